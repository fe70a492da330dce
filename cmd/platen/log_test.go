package main

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// The log prints the same while the node runs and after it stopped, embedded and with
// Kafka, and shows nothing that a caller has written.
func TestLogDump(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // nodes in processes of their own
	for name, flags := range map[string][]string{"embedded": {"--dev"}, "kafka": {"--dev", "--kafka", nodetest.Broker(t)}} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, flags...)
			p := m.start(t)
			from := client{m.devKey(t, events.PlanPro)}
			id, status, err := from.post(p.address+"/html-to-pdf", map[string]any{
				"html": "<p>Kr0kodil</p>", "webhook_url": "https://example.test/?Kr0kodil", "options": map[string]any{"user_password": "Kr0kodil"},
			})
			if status != 202 {
				t.Fatalf("submit: %d %v", status, err)
			}
			awaitFile(t, from, p.address, id)
			args := append([]string{"--job", id.String()}, flags[1:]...)
			testkit.Eventually(t, "the end of the download is decided", func() bool {
				return strings.Contains(m.dump(t, args...), " DownloadEnded{")
			})
			running := m.dump(t, args...)
			p.stop(t)
			if stopped := m.dump(t, args...); stopped != running {
				t.Errorf("running\n%s\nstopped\n%s", running, stopped)
			}
			for _, event := range []string{"JobQueued", "RenderStarted", "JobDone", "QuotaDebited", "DownloadBegun"} {
				if strings.Count(running, " "+event+"{job="+id.String()) != 1 {
					t.Errorf("%s is not there once:\n%s", event, running)
				}
			}
			if strings.Contains(running, "Kr0kodil") {
				t.Errorf("content shows:\n%s", running)
			}
			if asJSON := m.dump(t, append(args, "--json", "--account", "acc_dev_pro")...); !strings.Contains(asJSON, `{"type":"JobDone","fields":{"job":"`+id.String()) {
				t.Errorf("JSON: %s", asJSON)
			}
		})
	}
}

// dump runs `platen log dump` for the machine's node.
func (m *machine) dump(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	if err := run(append([]string{"log", "dump", "--data", m.data}, args...), &out, &errs); err != nil {
		t.Fatalf("log dump %q: %v\n%s", args, err, &errs)
	}
	return out.String()
}

// A wrong filter is refused with a reason.
func TestLogDumpRefusals(t *testing.T) {
	for args, want := range map[string]string{
		"--data " + t.TempDir(): "no node runs with this --data",
		"--data " + t.TempDir() + " --kafka " + testkit.FreePorts(t, 1)[0]: "cannot be read",
		"--job 42":                      "--job: ",
		"--from yesterday":              "--from: must be a time",
		"--config /nowhere/platen.toml": "/nowhere/platen.toml",
	} {
		err := run(strings.Fields("log dump "+args), &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", args, err, want)
		}
	}
	for _, args := range []string{"log", "log dance", "log dump --nonsense", "log dump extra"} {
		if err := run(strings.Fields(args), &strings.Builder{}, &strings.Builder{}); !errors.Is(err, wrongUsage) {
			t.Errorf("%s: got %v, want the usage", args, err)
		}
	}
}
