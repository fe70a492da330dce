package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A node whose log is damaged does not start, and loses nothing silently: the log is salvaged as the command says, and the node continues with all
// jobs in its replica, and counts on, even if the log has lost its end, or everything. Removing the replica then loses nothing either.
func TestDamagedLog(t *testing.T) {
	testkit.Long(t)
	for name, harm := range map[string]func(content []byte){
		"in the middle": func(content []byte) { content[len(content)/2] ^= 1 },
		"at its end":    func(content []byte) { flip(content[len(content)/2:]) },
		"all over":      flip,
	} {
		t.Run(name, func(t *testing.T) {
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
			awaitCharges(t, m, len(ids))
			p.stop(t) // a replica lacks what it has folded in the moment before it is killed
			damage(t, filepath.Join(m.data, "log"), harm)

			if refused := m.launch(t).awaitFailure(t); !strings.Contains(refused, "platen log salvage") {
				t.Errorf("the node says %s", refused)
			}
			salvageAsSaid(t, m.data)
			check := func() {
				t.Helper()
				for _, id := range ids {
					if status, answered, err := from.status(p.address, id); status != events.StatusDone || !answered {
						t.Errorf("job %s is %s, %v", id, status, err)
					}
				}
				ids = append(ids, submit())
			}
			p = m.start(t)
			check()
			p.stop(t)
			if err := os.RemoveAll(filepath.Join(m.data, "replica")); err != nil {
				t.Fatal(err)
			}
			p = m.start(t)
			check()
			awaitCharges(t, m, len(ids))
			p.stop(t)
		})
	}
}

// awaitCharges waits until the usage ledger has a number of charges.
func awaitCharges(t *testing.T, m *machine, want int) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("the usage ledger has %d charges", want), func() bool {
		return strings.Count(m.admin(t, "usage", "acc_dev_pro", "--entries"), "/debit") == want
	})
}

// salvageAsSaid salvages the log of a stopped node, and puts the copy in its place as the command says.
func salvageAsSaid(t *testing.T, data string) {
	t.Helper()
	var said strings.Builder
	if err := run([]string{"log", "salvage", "--data", data}, &said, &said); err != nil {
		t.Fatalf("%s, %v", &said, err)
	}
	t.Log(said.String())
	for line := range strings.Lines(said.String()) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "mv" {
			if err := os.Rename(words[1], words[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// flip flips a bit of each part of a file that has a checksum of its own.
func flip(content []byte) {
	for at := 0; at < len(content); at += 100 {
		content[at] ^= 1
	}
}

// damage harms the newest write-ahead log.
func damage(t *testing.T, dir string, harm func(content []byte)) {
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
	harm(content)
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
