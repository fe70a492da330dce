package salvage

import (
	"math/rand/v2"
	"slices"
	"testing"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// journal returns the records of a journal with several owners, former ones writing on for a while, and trimmed commands.
func journal(rng *rand.Rand, length int) (all []eventlog.Record) {
	epoch, former, cause, void := int64(-1), int64(-1), int64(0), int64(0)
	add := func(e events.Entry) {
		value, err := events.EncodeEntry(e)
		if err != nil {
			panic(err)
		}
		all = append(all, eventlog.Record{Offset: int64(len(all)), Value: value})
	}
	for len(all) < length {
		switch pick := rng.IntN(20); {
		case epoch < 0 || pick == 0:
			former, void = epoch, cause
			epoch = int64(len(all))
			add(events.Marker{Owner: "n1", Commands: "commands"})
		case pick == 1:
			add(events.Gap{Epoch: epoch, From: cause, To: cause + 3, Commands: "commands"})
			cause += 3
		case pick < 5 && former >= 0:
			add(events.Envelope{Epoch: former, Cause: void, Account: "acc", At: 1})
			void++
		default:
			add(events.Envelope{Epoch: epoch, Cause: cause, Account: "acc", At: events.Instant(cause + 1)})
			cause++
		}
	}
	return all
}

// accepted folds records, and returns which offsets count.
func accepted(records []eventlog.Record) (cursor projections.Cursor, counts map[int64]bool) {
	return acceptedFrom(0, records)
}

// acceptedFrom is accepted for a replica that has folded the records before start.
func acceptedFrom(start int64, records []eventlog.Record) (cursor projections.Cursor, counts map[int64]bool) {
	cursor, counts = projections.Origin(), map[int64]bool{}
	if start > 0 {
		cursor, _ = accepted(records[:start])
	}
	for _, r := range records[start:] {
		entry, _ := events.DecodeEntry(r.Value)
		if cursor.Step(r.Offset, entry) {
			counts[r.Offset] = true
		}
	}
	return cursor, counts
}

// drawLost returns a range of a journal of 60 records that leaves some of its end.
func drawLost(rng *rand.Rand) embedded.Lost {
	from := rng.Int64N(55)
	return embedded.Lost{Topic: events.TopicJournal, From: from, To: from + 1 + rng.Int64N(min(20, 59-from))}
}

// A replica that has folded any part of a journal, and whoever begins with its rows, continues behind whatever is lost.
func TestBridgeForReplica(t *testing.T) {
	rng := testkit.Rand(t)
	for range 5000 {
		records := journal(rng, 60)
		wantCursor, want := accepted(records)
		lost := drawLost(rng)
		folded, _ := accepted(records[:1+rng.Int64N(lost.To)])
		mended := mend(newBridge(folded), records, 0, lost)
		cursor, last := folded, int64(-1)
		for _, r := range mended[folded.Next:] {
			entry, _ := events.DecodeEntry(r.Value)
			counts := cursor.Step(r.Offset, entry)
			if r.Offset >= lost.To && want[r.Offset] {
				if last = r.Offset; !counts {
					t.Fatalf("with %d to %d lost, and %d folded, offset %d does not count any more", lost.From, lost.To, folded.Next, r.Offset)
				}
			}
		}
		if last >= 0 && (cursor.Cause != wantCursor.Cause || cursor.Epoch != wantCursor.Epoch) {
			t.Fatalf("with %d to %d lost, and %d folded, the cursor is %+v, want %+v", lost.From, lost.To, folded.Next, cursor, wantCursor)
		}
		if folded.Next <= lost.From || folded.Epoch < lost.From || folded.Epoch >= lost.To {
			continue
		}
		entry, _ := events.DecodeEntry(mended[folded.Epoch].Value)
		if m, is := entry.(events.Marker); folded.Next < lost.To && (!is || m.Owner != folded.Owner) {
			t.Fatalf("with %d to %d lost, and %d folded, the marker at %d is %+v", lost.From, lost.To, folded.Next, folded.Epoch, entry)
		}
	}
}

// mend returns the records of a journal, which is trimmed to a start, with those that a bridge puts in place of lost ones.
func mend(b *bridge, records []eventlog.Record, start int64, lost embedded.Lost) []eventlog.Record {
	for _, r := range records[start:lost.From] {
		b.Saw(r)
	}
	values := b.Fill(lost, func(visit func(eventlog.Record) bool) {
		for _, r := range records[lost.To:] {
			if !visit(r) {
				return
			}
		}
	})
	mended := append([]eventlog.Record{}, records...)
	for offset := lost.From; offset < lost.To; offset++ {
		mended[offset].Value = values[offset]
	}
	return mended
}

// Whatever records of a journal are lost, later records that counted still do, and the next owner continues where it would have. (An envelope of a
// former owner may count if the marker that made it void is lost, and nothing else tells.)
func TestBridge(t *testing.T) {
	rng := testkit.Rand(t)
	for range 5000 {
		records := journal(rng, 60)
		wantCursor, want := accepted(records)
		lost := drawLost(rng)
		start := int64(0)
		if rng.IntN(2) == 0 {
			start = rng.Int64N(lost.From + 1)
		}
		seen := slices.ContainsFunc(records[start:lost.From], func(r eventlog.Record) bool { return want[r.Offset] })
		if start > 0 && !seen { // nothing tells where it continues
			continue
		}
		mended := mend(newBridge(projections.Origin()), records, start, lost)
		cursor, have := acceptedFrom(start, mended)
		for offset := lost.To; offset < int64(len(records)); offset++ {
			if want[offset] && !have[offset] {
				t.Fatalf("with %d to %d lost, offset %d does not count any more", lost.From, lost.To, offset)
			}
		}
		last := int64(-1)
		for offset := range want {
			last = max(last, offset)
		}
		if last >= lost.To && (cursor.Cause != wantCursor.Cause || cursor.Epoch != wantCursor.Epoch) {
			t.Fatalf("with %d to %d lost, the cursor is %+v, want %+v", lost.From, lost.To, cursor, wantCursor)
		}
	}
}
