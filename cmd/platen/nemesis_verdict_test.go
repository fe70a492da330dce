//go:build integration

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"platen.dev/events"
	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// verdict checks what must hold after any storm.
func (s *storm) verdict() {
	s.say("the storm is over; the crowd leaves when its jobs are done")
	s.crowd.leave()
	accepted := s.crowd.accepted()
	l := openKafka(s.t, s.kafka.Addresses()...)
	s.awaitEnds(l)
	told := s.checkWebhooks(l)
	b := auditJournal(s.t, l)
	s.checkJobs(b, accepted, told)
	charged := b.checkStates(s.t, l)
	s.reconcile()
	s.stopNodes()
	for _, n := range s.nodes { // no node is left that would write between two reads of the journal
		s.mendReplica(l, n)
		n.checkReplica(s.t, l)
		n.checkLedger(s.t, l, charged)
	}
	s.say("the replicas and the ledgers are compared")
	s.checkProcesses()
	s.table()
	c := s.crowd.counted()
	s.say("%s; histories: %v; faults: %v", c, s.crowd.checked, s.faults)
}

// mendReplica does what the node's next scrub would do. If a file of the replica is damaged, the next start rebuilds the replica.
func (s *storm) mendReplica(l eventlog.Log, n *stormNode) {
	replica, err := projections.Open(testkit.Context(s.t), replicaConfig(l, n.replica()))
	if err != nil {
		s.t.Fatal(err)
	}
	damaged, err := disk.Scrub(testkit.Context(s.t), replica.Dir(), func(int) error { return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	for name, why := range damaged {
		s.say("the replica of %s is made anew: %s: %v", n.name, name, why)
		replica.Damaged(why)
	}
	_ = replica.Close() // it says again what is damaged
}

// reconcile has every node compare its ledger with the log, as an operator would.
func (s *storm) reconcile() {
	for i, n := range s.nodes {
		var told string
		equal := s.pass(crowdPatience, func() bool {
			told = n.admin(s.t, "ledger", "reconcile", "--check")
			return strings.HasPrefix(told, "equal: ") && !strings.Contains(told, "not in the ledger yet")
		})
		if !equal {
			s.fault("ledger", "node %d: %.2000s", i, told)
		}
		s.say("the ledger of node %d: %s", i, strings.TrimSpace(told))
	}
}

// awaitEnds waits until every job of the journal has ended. Clients do not know those whose
// responses were lost.
func (s *storm) awaitEnds(l eventlog.Log) {
	var open []string
	ended := s.pass(crowdPatience, func() bool {
		open = nil
		for id, got := range auditJournal(s.t, l) {
			if got.done+got.failed == 0 {
				open = append(open, id.String())
			}
		}
		return len(open) == 0
	})
	if !ended {
		s.fault("not terminal", "%d jobs have not ended %s after the last fault: %.500s", len(open), crowdPatience, strings.Join(open, " "))
		s.tellLives(l, open)
	}
	s.say("every job has ended: %v", ended)
}

// tellLives prints what the journal says about jobs, and when.
func (s *storm) tellLives(l eventlog.Log, ids []string) {
	for p := range l.Partitions() {
		logtest.Each(s.t, l, events.TopicJournal, p, func(r eventlog.Record) {
			entry, err := events.DecodeEntry(r.Value)
			e, is := entry.(events.Envelope)
			if err != nil || !is {
				return
			}
			for _, ev := range e.Events {
				if id, of := events.JobOf(ev); of && slices.Contains(ids, id.String()) {
					s.say("   %s partition %d, offset %d: %s %s", e.At.Time().UTC().Format("15:04:05.000"), p, r.Offset, events.TypeName(ev), ev)
				}
			}
		})
	}
}

// checkJobs checks that each job was accepted, done and debited once, and has its file.
func (s *storm) checkJobs(b audit, accepted map[events.JobID]crowdJob, told map[events.JobID]*toldJob) {
	for id, job := range accepted {
		if b[id] == nil {
			s.fault("lost", "job %s, number %d, got a 202 and is not in the journal", id, job.number)
		}
	}
	files, fetched, delivered := s.storedFiles(), 0, 0
	for id, got := range b {
		want := tally{account: got.account, reserved: 1, queued: 1, done: 1, debited: 1}
		if *got != want {
			s.fault("wrong in the journal", "job %s: %+v", id, *got)
			continue
		}
		job, known := accepted[id]
		if w := told[id]; w != nil && w.delivered {
			s.checkDelivered(id, job, known)
			delivered++
			continue
		}
		file, err := os.ReadFile(files[id])
		if err == nil && known {
			err = jobOf(job.number).check(file)
		}
		if job.file {
			fetched++
		}
		if err != nil {
			s.fault("wrong file", "job %s in the store: %v", id, err)
		}
	}
	s.say("%d jobs in the journal, %d of them with a 202 that arrived; clients downloaded the files of %d, and %d were delivered", len(b), len(accepted), fetched, delivered)
}

// storedFiles finds the files of the store by their jobs.
func (s *storm) storedFiles() map[events.JobID]string {
	files := map[events.JobID]string{}
	for _, path := range storedFiles(s.shared.Dir) {
		if id, _, ok := events.ParseFileName(filepath.Base(path)); ok {
			files[id] = path
		}
	}
	return files
}

// stopNodes has every node stop in order, and checks that nothing is left of it.
func (s *storm) stopNodes() {
	for _, n := range s.nodes {
		s.must(n.signal(syscall.SIGTERM))
	}
	for _, n := range s.nodes {
		select {
		case err := <-n.p.exited:
			if err != nil {
				s.fault("ended badly", "%s, told to stop: %v; its last lines:\n%s", n.name, err, n.p.out.Last(25))
			}
		case <-time.After(testkit.Patience):
			s.fault("does not stop", "%s; its log has its stacks", n.name)
			s.end(n)
		}
		n.awaitNoBrowsers(s.t)
		if got := n.profiles(); got > 0 {
			s.fault("left over", "%d browser profiles of %s", got, n.name)
		}
	}
	s.say("the nodes have stopped")
}

// checkProcesses ends the brokers and checks that no other process of the world is left.
func (s *storm) checkProcesses() {
	for _, b := range s.kafka.Brokers() {
		b.Kill()
	}
	for _, p := range processes(func(p chaosProcess) bool { return p.pid != 1 && p.pid != os.Getpid() && p.state != "Z" }) {
		s.fault("left over", "%s", fmt.Sprintf("process %d: %.200s", p.pid, p.command))
	}
}
