package simulation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/events/public"
	"platen.dev/projections"
)

// This file plays what may happen to a whole log: all brokers lose power, and with it the acknowledged end of a journal; or the cluster is restored
// from a backup. The lost part has then never happened, and the models of the outside world forget it. It stays in the public events, and later ones
// must not be confused with it.

// disaster strikes the log in one step of a schedule.
type disaster struct {
	step    int
	restore bool
}

// plan returns the disaster of a seed's schedule; most have none.
func plan(seed uint64) disaster {
	rng := rand.New(rand.NewPCG(seed, 2)) // its own stream, so that the other schedules do not depend on it
	step := rng.IntN(stepCount)
	switch pick := rng.IntN(100); {
	case pick < 12:
		return disaster{step, false}
	case pick < 20:
		return disaster{step, true}
	}
	return disaster{step: -1}
}

func (w *world) strike(d disaster) {
	w.now = w.now.Add(time.Minute) // the least it takes: nothing is decided again at the instant of its first decision
	for p := range int32(partitions) {
		end := int64(len(w.journal[p]))
		w.cut(p, max(w.floor(p, end), end-int64(w.rng.IntN(20))))
	}
	for _, n := range w.nodes { // booting brokers takes longer than any retry
		n.keeping = [partitions]*keeping{}
		for p := range int32(partitions) {
			n.failOwnerships(p, "no broker answers")
		}
	}
	if d.restore && !w.upgrading { // a restored cluster has nodes of one version
		w.restore()
	}
}

// floor returns how far a journal may be cut: at least one snapshot that every node can read must still belong to it. An empty journal would be refused by
// nodes that have folded it, and one without any decision would halt.
func (w *world) floor(p int32, end int64) int64 {
	if w.trimmed[p] == 0 {
		return min(end, max(3, w.firstDecided(p)))
	}
	if w.raised { // the record that raised the level must stay, since this version cannot read the rest
		return end
	}
	floor := end
	for _, s := range w.saved[p] {
		if s.reads < next && w.belongs(p, s) {
			floor = min(floor, s.ref.Next)
		}
	}
	return max(floor, w.firstDecided(p))
}

// firstDecided returns the offset after the first accepted envelope or gap of a journal, or its end.
func (w *world) firstDecided(p int32) int64 {
	c := projections.Origin()
	for offset, r := range w.journal[p] {
		if c.Step(int64(offset), r.entry) && c.Cause >= 0 {
			return c.Next
		}
	}
	return int64(len(w.journal[p]))
}

// cut drops the records of a journal from an offset on.
func (w *world) cut(p int32, to int64) {
	for _, r := range w.journal[p][to:] {
		if e, is := r.entry.(events.Envelope); is {
			w.undo(p, e)
		}
	}
	w.journal[p] = w.journal[p][:to:to]
	w.told[p] = projections.Origin()
	for _, n := range w.nodes {
		for _, o := range n.owned {
			if o.partition == p { // it will never be told what it has not been told yet
				o.folded = slices.DeleteFunc(o.folded, func(s projections.Step) bool { return s.Offset >= to })
			}
		}
	}
}

// undo forgets what clients have heard of an envelope. Its jobs may now send something else than before.
func (w *world) undo(p int32, e events.Envelope) {
	delete(w.replies, e.Command)
	w.undone[p] = true
	w.retained[p] = max(w.retained[p], e.Cause+1) // it may have been trimmed since it was decided
	for _, ev := range e.Events {
		if id, is := events.JobOf(ev); is {
			w.doubtful[id] = true
		}
	}
}

// restore plays `platen restore`: new nodes, with the rest of the log. Undecided commands are left out.
func (w *world) restore() {
	w.wire = nil
	for p := range int32(partitions) {
		c := w.replay(p).cursor
		w.commands[p] = w.commands[p][:c.Cause+1]
		w.saved[p] = slices.DeleteFunc(w.saved[p], func(s saved) bool { return !w.has(p, s.cursor.Next, s.last) })
		value, err := events.EncodeEntry(events.Marker{Owner: "restore", Level: events.NewestLevel, Timeline: w.timelineID(), At: w.now, Restored: true})
		if err != nil {
			panic(err)
		}
		w.write(p, value)
		w.topic[p] = slices.DeleteFunc(w.topic[p], func(f fact) bool { return f.number > c.Number })
	}
	for _, n := range w.nodes {
		for _, o := range n.owned {
			o.outbox = nil
		}
		for p := range n.replicas {
			n.replicas[p] = newReplica()
		}
		n.crash()
	}
	for p := range int32(partitions) {
		w.assign(p, 100)
	}
}

// has reports whether the record before an offset is still the given one.
func (w *world) has(p int32, next int64, last []byte) bool {
	return next == 0 || next <= int64(len(w.journal[p])) && bytes.Equal(w.journal[p][next-1].bytes, last)
}

// diverge makes a node drop a partition whose journal is no longer the one that it has folded.
func (n *node) diverge(p int32) {
	r := n.replicas[p]
	if n.world.has(p, r.cursor.Next, r.last) && (r.marker == nil || n.world.has(p, r.cursor.Epoch+1, r.marker)) || n.world.rules.KeepDiverged {
		return
	}
	n.replicas[p] = newReplica()
	n.failOwnerships(p, "the journal has lost records that were folded")
}

// fact is a public event.
type fact struct {
	number  int64
	id      string
	content string
	begins  bool // a timeline
}

func (w *world) timelineID() events.TimelineID {
	id := w.id()
	var text []byte
	for _, b := range id[8:] {
		text = append(text, 'a'+b>>4, 'a'+b&15)
	}
	return events.TimelineID(text)
}

// lastNumber is the highest number among the public events of a partition.
func (w *world) lastNumber(p int32) (last int64) {
	for _, f := range w.topic[p] {
		last = max(last, f.number)
	}
	return last
}

// publishUpTo plays the publisher of an owner that has folded the journal up to an offset. Events of partitions without a timeline are not played.
func (w *world) publishUpTo(p int32, next int64) {
	last := w.lastNumber(p)
	for c := &w.told[p]; c.Next < min(next, int64(len(w.journal[p]))); {
		for _, f := range w.facts(p, c) {
			if f.number > last {
				w.topic[p] = append(w.topic[p], f)
				w.seen(p, f)
			}
		}
	}
}

// facts moves a cursor past a record, and returns the facts that follow.
func (w *world) facts(p int32, c *projections.Cursor) (facts []fact) {
	offset, before := c.Next, *c
	entry := w.journal[p][offset].entry
	accepted := w.rules.step(c, offset, entry)
	if c.Timeline == "" {
		return nil
	}
	if _, is := entry.(events.Marker); is && c.Number != before.Number {
		return []fact{{c.Number, fmt.Sprint(c.Timeline, offset), fmt.Sprint("begun after ", before.Number), true}}
	}
	if e, is := entry.(events.Envelope); is && accepted {
		all := public.Of(c.Timeline, p, offset, e)
		for i, f := range all {
			facts = append(facts, fact{before.Number + int64(i) + 1, f.Position.String(), fmt.Sprintf("%s %T %+v %v", f.Subject, f.Data, f.Data, e.Command), false})
		}
	}
	return facts
}

// seen checks that no number and no id stands for two different events.
func (w *world) seen(p int32, f fact) {
	for _, key := range []string{fmt.Sprint(p, "number", f.number), fmt.Sprint(p, "id", f.id)} {
		if had, again := w.ever[key]; again && had != f.content {
			w.fail("partition %d: %s stands for %s and %s", p, key, had, f.content)
		}
		w.ever[key] = f.content
	}
}

// checkFacts checks that all public events of the journal were published, in the order of their numbers. Only the event that begins a timeline may be
// missing, if another timeline begins before anything is decided: its number may be below one that was published and lost, which is why its owner
// announced itself again.
func (v verdict) checkFacts(p int32) error {
	published, c := map[string]int64{}, projections.Origin()
	for _, f := range v.topic[p] {
		published[f.id] = f.number
	}
	last, missing := int64(0), error(nil)
	for c.Next < int64(len(v.journal[p])) {
		for _, f := range v.facts(p, &c) {
			switch {
			case missing != nil && !f.begins:
				return missing
			case f.number <= last:
				return fmt.Errorf("the event %s has the number %d after %d", f.id, f.number, last)
			}
			if last, missing = f.number, nil; published[f.id] != f.number {
				missing = fmt.Errorf("the event %s has the number %d, and was published with %d", f.id, f.number, published[f.id])
			}
			if !f.begins && missing != nil {
				return missing
			}
		}
	}
	return missing
}
