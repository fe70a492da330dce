package projections

import (
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// TrailTime is how long the trail of an account keeps a change.
const TrailTime = 400 * 24 * time.Hour

// trailSingles is how many changes per hour have an entry each. Further ones are summed by kind and author: nobody can push their earlier actions out
// of the trail by adding more, and the trail of an account is bounded.
const trailSingles = 100

// TrailEntry is one change of an account, or several of a busy hour, with their author.
type TrailEntry struct {
	At events.Instant `cbor:"1,keyasint"`
	// What is the type of the event, Subject its object.
	What    string        `cbor:"2,keyasint"`
	Subject string        `cbor:"3,keyasint,omitempty"`
	By      events.Author `cbor:"4,keyasint,omitzero"`
	// Email is the author's at the time, if it was a member.
	Email string `cbor:"5,keyasint,omitempty"`
	// More is how many more of the kind the author did, the last at Last. The subject is that of the first; By omits what they do not share.
	More int64          `cbor:"6,keyasint,omitempty"`
	Last events.Instant `cbor:"7,keyasint,omitempty"`
}

// add sums another entry of the kind.
func (e *TrailEntry) add(another TrailEntry) {
	e.More, e.Last = e.More+1, another.At
	if e.By.Address != another.By.Address {
		e.By.Address = ""
	}
	if e.By.Session != another.By.Session {
		e.By.Session = ""
	}
}

// trailEnd is the range of an account's trail entries, by number, and the counts of the present hour.
type trailEnd struct {
	First   int64          `cbor:"1,keyasint,omitempty"`
	Next    int64          `cbor:"2,keyasint,omitempty"`
	Hour    events.Instant `cbor:"3,keyasint,omitempty"`
	Singles int64          `cbor:"4,keyasint,omitempty"`
	Sums    []trailSum     `cbor:"5,keyasint,omitempty"`
}

// trailSum is an entry that sums an author's changes of one kind in the present hour.
type trailSum struct {
	What     string          `cbor:"1,keyasint"`
	Member   events.MemberID `cbor:"2,keyasint,omitempty"`
	Operator bool            `cbor:"3,keyasint,omitempty"`
	Number   int64           `cbor:"4,keyasint"`
}

func (s trailSum) sums(e TrailEntry) bool {
	return s.What == e.What && s.Member == e.By.Member && s.Operator == e.By.Operator
}

// record adds an event to the trail of its account if somebody caused it.
func record(tx *table.Tx, partition int32, e events.Envelope, ev events.Event) {
	if e.By == (events.Author{}) { // as with every job
		return
	}
	subject, recorded := events.Recorded(ev)
	if !recorded {
		return
	}
	t, _ := table.Teams.Load(tx, table.TeamKey(partition, e.Account))
	author, _ := t.Member(e.By.Member)
	entry := TrailEntry{At: e.At, What: events.TypeName(ev), Subject: subject, By: e.By, Email: author.Email}
	end, _ := trailEnds.Load(tx, trailEndKey(partition, e.Account))
	entryAt := func(number int64) []byte { return trailKey(partition, e.Account, number) }
	end = end.forget(tx, entryAt, e.At).keep(tx, entryAt, entry)
	trailEnds.Put(tx, trailEndKey(partition, e.Account), end)
}

// forget drops the entries that have left the trail: at most two, which is more than are added.
func (t trailEnd) forget(tx *table.Tx, entryAt func(int64) []byte, now events.Instant) trailEnd {
	for range 2 {
		oldest, _ := trails.Load(tx, entryAt(t.First))
		if t.First == t.Next || now < oldest.At.Add(TrailTime) {
			return t
		}
		trails.Delete(tx, entryAt(t.First))
		t.First++
	}
	return t
}

// keep adds an entry, or sums it.
func (t trailEnd) keep(tx *table.Tx, entryAt func(int64) []byte, e TrailEntry) trailEnd {
	if hour := e.At - e.At%events.Instant(time.Hour/time.Millisecond); hour != t.Hour {
		t.Hour, t.Singles, t.Sums = hour, 0, nil
	}
	if i := slices.IndexFunc(t.Sums, func(s trailSum) bool { return s.sums(e) }); i >= 0 {
		sum, _ := trails.Load(tx, entryAt(t.Sums[i].Number))
		sum.add(e)
		trails.Put(tx, entryAt(t.Sums[i].Number), sum)
		return t
	}
	if t.Singles < trailSingles {
		t.Singles++
	} else {
		t.Sums = append(slices.Clip(t.Sums), trailSum{e.What, e.By.Member, e.By.Operator, t.Next})
	}
	trails.Put(tx, entryAt(t.Next), e)
	t.Next++
	return t
}

// Trail lists up to limit entries of who changed what in an account, newest first, starting before an entry number; zero begins with the newest.
// older is the number from which to continue, zero if there are no more.
func (r *Replica) Trail(id events.AccountID, before int64, limit int) (all []TrailEntry, older int64, err error) {
	p := r.partition(id)
	end, _, err := trailEnds.Get(r, trailEndKey(p, id))
	number := end.Next
	if before > 0 {
		number = min(before, end.Next)
	}
	for ; number > end.First && err == nil && len(all) < limit; number-- {
		var e TrailEntry
		if e, _, err = trails.Get(r, trailKey(p, id, number-1)); err == nil {
			all = append(all, e)
		}
	}
	if number <= end.First {
		number = 0
	}
	return all, number, err
}
