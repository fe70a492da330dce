package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A node whose log is damaged does not start, and loses nothing silently: the log is salvaged as the command says, and the node continues with all
// jobs in its replica.
func TestDamagedLog(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	m := newMachine(t, "--dev")
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}
	submit := func() events.JobID {
		id, status, err := from.post(p.address+"/html-to-pdf", map[string]any{"html": "<p>" + strings.Repeat("words ", 2000) + "</p>"})
		if status != 202 {
			t.Fatalf("submit: %d %v", status, err)
		}
		awaitFile(t, from, p.address, id)
		return id
	}
	var ids []events.JobID
	for range 12 {
		ids = append(ids, submit())
	}
	p.stop(t) // a replica lacks what it has folded in the moment before it is killed
	log := filepath.Join(m.data, "log")
	damage(t, log)

	if refused := m.launch(t).awaitFailure(t); !strings.Contains(refused, "the log is damaged") || !strings.Contains(refused, "platen log salvage") {
		t.Errorf("the node says %s", refused)
	}
	var said strings.Builder
	if err := run([]string{"log", "salvage", "--data", m.data}, &said, &said); err != nil || !strings.Contains(said.String(), "RECORDS") {
		t.Fatalf("%s, %v", &said, err)
	}
	for line := range strings.Lines(said.String()) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "mv" {
			if err := os.Rename(words[1], words[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	p = m.start(t)
	for _, id := range ids {
		if status, answered, err := from.status(p.address, id); status != events.StatusDone || !answered {
			t.Errorf("job %s is %s, %v", id, status, err)
		}
	}
	submit()
	p.stop(t)
}

// damage flips a bit in the middle of the newest write-ahead log.
func damage(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	name := names[len(names)-1]
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(content) < 150<<10 {
		t.Fatalf("%s has %d bytes only", name, len(content))
	}
	content[len(content)/2] ^= 1
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
