package projections_test

import (
	"fmt"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/projections"
)

// A flood of changes neither pushes earlier ones out of the trail nor makes it long, and old ones leave it.
func TestTrail(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	owner, other := events.Author{Member: "mem_1", Address: "192.0.2.1"}, events.Author{Operator: true}
	begun := events.Instant(1_700_000_000_000 - 1_700_000_000_000%time.Hour.Milliseconds())
	change := func(at events.Instant, by events.Author, evs ...events.Event) {
		e := f.envelope("acc_a", nil, evs...)
		e.At, e.By = at, by
		f.append(events.Partition("acc_a", 2), e)
	}
	header := func(n int) events.Event { return events.WebhookHeaderSet{Name: fmt.Sprint("X-", n)} }
	headers := func(from, to int) (evs []events.Event) {
		for n := from; n < to; n++ {
			evs = append(evs, header(n))
		}
		return evs
	}
	read := func() []projections.TrailEntry {
		t.Helper()
		f.catchUp(r)
		all, older, err := r.Trail("acc_a", 0, 1000)
		if err != nil || older != 0 {
			t.Fatalf("more before %d, %v", older, err)
		}
		return all
	}

	change(begun, owner, events.KeyIssued{Key: events.Key{ID: "key_a"}})
	change(begun.Add(time.Second), owner, headers(1, 100)...)
	if all := read(); len(all) != 100 || all[0].Subject != "X-99" || all[99].Subject != "key_a" || all[0].More != 0 {
		t.Fatalf("%d entries, the newest %+v", len(all), all[0])
	}
	change(begun.Add(time.Minute), owner, headers(0, 1040)...)
	from := owner
	from.Address = "198.51.100.9"
	change(begun.Add(2*time.Minute), from, header(7))
	change(begun.Add(2*time.Minute), other, header(8))
	all := read()
	if sum := all[1]; len(all) != 102 || sum.More != 1040 || sum.Subject != "X-0" || sum.Last != begun.Add(2*time.Minute) || sum.By != (events.Author{Member: "mem_1"}) {
		t.Errorf("%d entries, the flood is %+v", len(all), sum)
	}
	if all[101].Subject != "key_a" {
		t.Errorf("the first is %+v", all[101])
	}

	change(begun.Add(time.Hour), owner, header(9))
	if all := read(); len(all) != 103 || all[0].More != 0 {
		t.Errorf("%d entries in the next hour, the newest %+v", len(all), all[0])
	}
	page, older, err := r.Trail("acc_a", 0, 100)
	rest, end, err2 := r.Trail("acc_a", older, 100)
	if len(page) != 100 || len(rest) != 3 || end != 0 || rest[2].Subject != "key_a" || err != nil || err2 != nil {
		t.Errorf("%d entries, then %d, then from %d: %v, %v", len(page), len(rest), end, err, err2)
	}

	change(begun.Add(projections.TrailTime)-1, owner, header(10))
	if n := len(read()); n != 104 {
		t.Errorf("%d entries, one millisecond before the first leaves", n)
	}
	change(begun.Add(projections.TrailTime), owner, header(11))
	if all := read(); len(all) != 104 || all[103].Subject == "key_a" {
		t.Errorf("%d entries, the oldest %+v", len(all), all[103])
	}
}
