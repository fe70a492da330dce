package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// What was written since a service was started is seen by the next run, too, whatever became of the one that wrote it.
func TestUnreadSettingsAreSeen(t *testing.T) {
	for _, role := range []string{"platen", "kafka"} {
		m := regexp.MustCompile(`(?m)^  ansible.builtin.shell: (find (.*) -type f -newermt .*)$`).FindStringSubmatch(read(t, filepath.Join("roles", role, "tasks/main.yml")))
		if m == nil {
			t.Errorf("%s: nothing compares the settings with the start", role)
			continue
		}
		dir, files := t.TempDir(), strings.Fields(m[2])
		for _, file := range files {
			if filepath.Ext(file) == ".d" {
				file += "/storage.conf"
			}
			if err := os.MkdirAll(filepath.Dir(dir+file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir+file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, started := range []time.Duration{-time.Hour, time.Hour} {
			systemctl := fmt.Sprintf("systemctl() { [ \"$*\" = 'show --timestamp=unix --property=InactiveExitTimestamp --value %s' ] && echo @%d; }\n", role, time.Now().Add(started).Unix())
			out, err := exec.CommandContext(testkit.Context(t), "sh", "-c", systemctl+strings.ReplaceAll(m[1], "/etc/", dir+"/etc/")).Output()
			want := 0
			if started < 0 {
				want = len(files)
			}
			if got := strings.Count(string(out), "\n"); err != nil || got != want {
				t.Errorf("%s, started %s from now: %d files are newer, want %d (%v)", role, started, got, want, err)
			}
		}
	}
}
