package main

import (
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

const (
	crashJobs  = 200
	crashKills = 10
)

// TestCrash kills a node with SIGKILL ten times while it processes 200 jobs, and restarts
// it on the same data. Every job that got a 202 must end as a file that can be
// downloaded, and be debited once. So must the jobs that were durable, but whose response
// was lost in a crash.
func TestCrash(t *testing.T) {
	testkit.Long(t)
	t.Parallel() // it mostly waits
	r := testkit.Rand(t)
	m := newMachine(t, "--dev")
	p := m.start(t)
	key := client{m.devKey(t, events.PlanBusiness)}
	w := startWorkload(t, key)
	for range crashKills {
		w.allow(crashJobs / crashKills)
		awaitMoment(t, p, w, r)
		p.kill()
		w.down(p.address)
		m.awaitNoBrowsers(t)
		p = m.launch(t)
	}
	p.awaitListening(t)
	w.up(p.address)
	w.await(t, "all jobs are done", func() bool { return len(w.jobs) == crashJobs && w.done == crashJobs })
	testkit.Eventually(t, "only the profiles of the two browsers that run all the time are left", func() bool { return m.profiles() <= settledBrowsers })
	w.stop()
	w.checkFaults(t)
	checkSettled(t, m, p, key, w)
}

// awaitMoment waits for a random moment at which a node may be killed: before it
// listens, as soon as it does, or after some jobs were accepted or done.
func awaitMoment(t *testing.T, p *process, w *workload, r *rand.Rand) {
	t.Helper()
	kind, n := r.IntN(5), 1+r.IntN(crashJobs/crashKills)
	if kind == 0 {
		p.await(t, "shard owned")
		t.Log("kill: before it listens")
		return
	}
	p.awaitListening(t)
	w.up(p.address)
	accepted, done := w.progress()
	switch kind {
	case 1:
		t.Log("kill: as soon as it listens")
	case 2, 3:
		n = min(n, w.left())
		t.Logf("kill: after %d more jobs are accepted", n)
		w.await(t, "jobs are accepted", func() bool { return len(w.jobs) >= accepted+n })
	case 4:
		n = (n + 1) / 2
		t.Logf("kill: after %d more jobs are done", n)
		w.await(t, "jobs are done", func() bool { return w.done >= min(done+n, w.allowance) })
	}
}

// checkSettled ends a crash test. One more job ensures that all commands about earlier
// jobs are decided. A restart makes the jobs known whose response was lost. Then files,
// accounts and journal must agree about every job.
func checkSettled(t *testing.T, m *machine, p *process, key client, w *workload) {
	t.Helper()
	last, status, err := key.submit(p.address, 0)
	if status != 202 {
		t.Fatalf("last job: %d %v", status, err)
	}
	p.stop(t)
	known := m.audit(t)
	p = m.start(t)
	for id := range known {
		awaitFile(t, key, p.address, id)
	}
	if got, want := m.listedUnits(t, "acc_dev_business"), int64(len(known)); got != want {
		t.Errorf("account list shows %d units, want %d: one for every job", got, want)
	}
	p.stop(t)
	m.awaitNoBrowsers(t)
	if got := m.profiles(); got > 0 {
		t.Errorf("%d browser profiles are left of a node that stopped", got)
	}
	accepted := append(w.accepted(), last)
	m.withLog(t, func(l eventlog.Log) {
		b := auditJournal(t, l)
		b.check(t, accepted)
		m.checkLedger(t, l, b.checkStates(t, l))
		m.checkReplica(t, l)
	})
	t.Logf("%d times 202, %d responses lost (%d of these jobs were durable), %d times 429, %d times 503, slowest 202 after %s",
		len(accepted), w.lost, len(known)-len(accepted), w.limited, w.refused, w.slowest.Round(time.Millisecond))
}

// withLog opens the embedded log of a node that is not running.
func (m *machine) withLog(t *testing.T, f func(eventlog.Log)) {
	t.Helper()
	l, err := embedded.Open(embedded.Config{
		Dir: filepath.Join(m.data, "log"), Partitions: events.DefaultPartitions, Logger: testkit.Silent(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	f(l)
}

func (m *machine) audit(t *testing.T) (b audit) {
	t.Helper()
	m.withLog(t, func(l eventlog.Log) { b = auditJournal(t, l) })
	return b
}

// awaitFile waits until a job is done, and downloads its file.
func awaitFile(t *testing.T, from client, address string, id events.JobID) {
	t.Helper()
	testkit.Eventually(t, "job "+id.String()+" is done", func() bool {
		status, _, err := from.status(address, id)
		if err != nil || status == events.StatusFailed {
			t.Fatalf("job %s: %s %v", id, status, err)
		}
		return status == events.StatusDone
	})
	testkit.Eventually(t, "job "+id.String()+" can be downloaded", func() bool {
		answered, err := from.download(address, id)
		if err != nil {
			t.Error(err)
		}
		return answered
	})
}

// listedUnits returns an account's value in the column UNITS of `platen admin account
// list`.
func (m *machine) listedUnits(t *testing.T, account string) int64 {
	t.Helper()
	list := m.admin(t, "account", "list")
	for line := range strings.Lines(list) {
		if fields := strings.Fields(line); fields[0] == account {
			units, err := strconv.ParseInt(fields[3], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return units
		}
	}
	t.Fatalf("account %s is not in:\n%s", account, list)
	return 0
}
