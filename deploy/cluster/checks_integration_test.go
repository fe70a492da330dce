//go:build integration

package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/deploy/hosttest"
	"platen.dev/events/testkit"
)

// convertAll converts a document by every operation, and returns the files by job.
func (c *cluster) convertAll(t *testing.T, operations []hosttest.Operation) (files map[string][]byte) {
	t.Helper()
	files = map[string][]byte{}
	for i, o := range operations {
		job, _, err := c.from.submit(testkit.Context(t), o.Path, o.Body)
		if err != nil {
			t.Fatal(err)
		}
		c.from.awaitDone(t, job)
		files[job] = c.from.file(t, job)
		if !bytes.HasPrefix(files[job], []byte(o.Begins)) {
			t.Errorf("%s: the file begins with %.20q", o.Path, files[job])
		}
		if i == 0 {
			c.phase(t, "the first PDF")
		}
	}
	return files
}

func checkVersions(t *testing.T, all []*hosttest.Host, want ...string) {
	t.Helper()
	for i, h := range all {
		if got := h.Run(t, "dpkg-query", "--show", "--showformat", "${Version}", "platen"); got != want[i] {
			t.Errorf("%s has version %s, want %s", h.Name, got, want[i])
		}
		if got := h.Property(t, "ActiveState"); got != "active" {
			t.Errorf("the service of %s is %s", h.Name, got)
		}
	}
}

// checkControllers looks at Kafka's voters: the hosts, each with the directory that it has now, and nobody else.
func checkControllers(t *testing.T, all []*hosttest.Host) {
	t.Helper()
	var want, got []string
	for _, h := range all {
		properties := h.Run(t, "cat", "/var/lib/kafka/meta.properties")
		want = append(want, regexp.MustCompile(`directory.id=(\S+)`).FindStringSubmatch(properties)[1])
	}
	status := all[0].Run(t, "/usr/local/bin/kafka-tool", "MetadataQuorumCommand", "describe", "--status")
	var voters []struct {
		Directory string `json:"directoryId"`
	}
	line := regexp.MustCompile(`CurrentVoters: *(.*)`).FindStringSubmatch(status)
	if line == nil || json.Unmarshal([]byte(line[1]), &voters) != nil {
		t.Fatalf("no list of voters:\n%s", status)
	}
	for _, v := range voters {
		got = append(got, v.Directory)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the controllers of Kafka have the directories %s, and those of the hosts are %s:\n%s", got, want, status)
	}
}

// checkLedger compares the usage ledger with the journal, and what the account was charged with the jobs that it was told of.
func (c *cluster) checkLedger(t *testing.T, jobs int) {
	t.Helper()
	h, out := c.all[0], ""
	if !testkit.Becomes(func() bool {
		answer, err := h.Command("runuser", "-u", "platen", "--", "platen", "admin", "ledger", "reconcile", "--check", "--data", "/var/lib/platen").CombinedOutput()
		out = string(answer)
		return err == nil
	}) {
		t.Fatalf("the ledger differs from the log:\n%s", out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	t.Logf("reconcile says: %s", lines[len(lines)-1])
	usage := h.Admin(t, "account", "usage", c.account)
	if want := fmt.Sprintf("jobs %d used, 0 reserved,", jobs); !strings.Contains(strings.Join(strings.Fields(usage), " "), want) {
		t.Errorf("the usage is %s, want %q", usage, want)
	}
}

// checkRestored compares the restored cluster with what was told of the lost one: of the jobs before the backup all are
// there; a later one is there or not known; none is charged twice; files of before are the same.
func (c *cluster) checkRestored(t *testing.T, l *load, before []string, files map[string][]byte) {
	t.Helper()
	for _, job := range before {
		c.from.awaitDone(t, job)
	}
	for job, want := range files {
		if got := c.from.file(t, job); !bytes.Equal(got, want) {
			t.Errorf("the file of job %s has %d bytes and had %d, or others", job, len(got), len(want))
		}
	}
	charged := len(files)
	for _, job := range l.jobs() {
		if _, known := slices.BinarySearch(before, job); !known && strings.HasPrefix(c.from.settled(t, job), fmt.Sprint(http.StatusNotFound)) {
			continue
		}
		c.from.awaitDone(t, job)
		c.from.file(t, job)
		if slices.Contains(l.rendered, job) {
			charged++
		}
	}
	t.Logf("of %d jobs %d were accepted before the backup; %d are charged", len(l.jobs()), len(before), charged)
	c.checkLedger(t, charged)
	c.phase(t, "its jobs, files and ledger are as they were")
}
