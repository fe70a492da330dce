package events

import (
	"strings"
	"testing"
	"time"
)

// Placement is part of the stored format: these accounts stay where they are.
func TestPartitionIsFixed(t *testing.T) {
	for id, want := range map[AccountID]int32{"": 25, "acc_dev_free": 62, "acc_dev_pro": 6, "acc_aaaaaaaaaaaaaaaa": 32} {
		if got := Partition(id, 64); got != want {
			t.Errorf("%q is in %d, want %d", id, got, want)
		}
	}
}

// No partition gets twice its share of random accounts.
func TestPartitionsAreEven(t *testing.T) {
	const accounts, n = 64_000, 64
	var counts [n]int
	for range accounts {
		counts[Partition(NewAccountID(), n)]++
	}
	for p, count := range counts {
		if count < accounts/n/2 || count > accounts/n*2 {
			t.Errorf("partition %d has %d of %d accounts", p, count, accounts)
		}
	}
}

func TestParseJobID(t *testing.T) {
	id := NewJobID()
	if got, err := ParseJobID(id.String()); err != nil || got != id {
		t.Errorf("got %s, %v, want %s", got, err, id)
	}
	for _, bad := range []string{"", "42", "{" + id.String() + "}", "urn:uuid:" + id.String(), strings.ReplaceAll(id.String(), "-", ""), strings.Repeat("z", 36)} {
		if _, err := ParseJobID(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// A command that was set aside is repeated under one id, different from all earlier ones.
func TestAgain(t *testing.T) {
	first := NewCommandID()
	second, third := first.Again(), first.Again().Again()
	if second != first.Again() || second == first || third == second || third == first {
		t.Errorf("%s is followed by %s and %s", first, second, third)
	}
	if [6]byte(second[:6]) != [6]byte(first[:6]) || second[6]>>4 != 7 || second[8]>>6 != 2 {
		t.Errorf("%s is not a UUID of version 7 with the time of %s", second, first)
	}
}

// An instant is recent for a while, and from a little in the future on.
func TestRecent(t *testing.T) {
	now := At(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	for passed, want := range map[time.Duration]bool{
		time.Minute: false, time.Minute - time.Millisecond: true, 0: true,
		-ClockTolerance: true, -ClockTolerance - time.Millisecond: false, -time.Hour: false,
	} {
		if got := now.Add(-passed).Recent(time.Minute, now); got != want {
			t.Errorf("%s ago: %t, want %t", passed, got, want)
		}
	}
	if Instant(0).Recent(time.Minute, now) {
		t.Error("no instant is recent")
	}
}
