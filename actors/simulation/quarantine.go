package simulation

import (
	"errors"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/events"
)

// This file plays the quarantine: the commands set aside by owners, and the operator who drops some.

// dropOne has the operator drop a command that some node shows in quarantine.
func (w *world) dropOne() {
	p := int32(w.rng.IntN(partitions))
	var causes []int64
	_ = account.EachQuarantined(w.nodes[w.rng.IntN(len(w.nodes))].replicas[p].values, p, func(cause int64, _ account.Quarantined) bool {
		causes = append(causes, cause)
		return true
	})
	if len(causes) > 0 {
		w.send(w.command(events.PartitionID(p), events.DropSetAside{Cause: causes[w.rng.IntN(len(causes))]}))
	}
}

// quarantined returns the commands that were set aside and not dropped, by the journal.
func (w *world) quarantined(p int32) map[int64]events.CommandID {
	r, all := newReplica(), map[int64]events.CommandID{}
	for offset, record := range w.journal[p] {
		e, is := record.entry.(events.Envelope)
		if !w.rules.step(&r.cursor, int64(offset), record.entry) || !is {
			continue
		}
		if e.SetAside != "" {
			all[e.Cause] = e.Command
		}
		for _, ev := range e.Events {
			if dropped, is := ev.(events.SetAsideDropped); is {
				delete(all, dropped.Cause)
			}
		}
	}
	return all
}

// checkQuarantine compares the rows with the journal, and checks that each command's record is there, unless too short a retention has deleted it.
func (v verdict) checkQuarantine(p int32) (failure error) {
	want := v.quarantined(p)
	err := account.EachQuarantined(v.nodes[0].replicas[p].values, p, func(cause int64, q account.Quarantined) bool {
		switch id, known := want[cause]; {
		case !known || id != q.Command:
			failure = fmt.Errorf("command %d is in quarantine as %s", cause, q.Command)
		case v.commands[p][cause] == nil && cause >= v.retained[p]:
			failure = fmt.Errorf("the record of command %d, which is in quarantine, is trimmed", cause)
		}
		delete(want, cause)
		return failure == nil
	})
	if err == nil && failure == nil && len(want) > 0 {
		failure = fmt.Errorf("%d commands that were set aside are not in quarantine", len(want))
	}
	return errors.Join(err, failure)
}
