package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

const (
	harmedTopic      = "topic"
	harmedPartitions = 3
)

// writeHarmed writes a log of tables and a write-ahead log, and returns its records by partition and the partitions' starts.
func writeHarmed(t *testing.T, dir string, rng *rand.Rand) (records [harmedPartitions][][]byte, starts [harmedPartitions]int64) {
	t.Helper()
	for session := range 3 { // each brings the write-ahead log of the one before to a table
		l, err := Open(Config{Dir: dir, Partitions: harmedPartitions, Logger: testkit.Silent()})
		if err != nil {
			t.Fatal(err)
		}
		for range 400 {
			p := rng.Int32N(harmedPartitions)
			value := make([]byte, 1+rng.IntN(2000))
			for i := range value {
				value[i] = byte(rng.Uint32())
			}
			if _, err := eventlog.AppendWait(t.Context(), l, harmedTopic, p, eventlog.Record{Value: value}); err != nil {
				t.Fatal(err)
			}
			records[p] = append(records[p], value)
		}
		if session == 1 {
			starts[1] = 50
			if err := l.Trim(t.Context(), harmedTopic, 1, 50); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return records, starts
}

// A salvage finds every undamaged record, at its offset, and names all others except those at the end of a partition. The result is a log that can
// continue.
func TestSalvage(t *testing.T) {
	rng := testkit.Rand(t)
	whole := filepath.Join(t.TempDir(), "whole")
	records, starts := writeHarmed(t, whole, rng)
	some, most := 0, 0
	for i := range 60 {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		what := "unharmed"
		if i > 0 {
			what = testkit.Harm(t, dir, rng)
		}
		found, err := Salvage(t.Context(), SalvageConfig{From: dir, To: dir + "-to", Topics: []string{harmedTopic}, Partitions: harmedPartitions, Logger: testkit.Silent()})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		have := checkSalvaged(t, what, dir+"-to", records, starts, found)
		if i == 0 && (have != 1150 || len(found.Damaged)+len(found.Lost) > 0) {
			t.Errorf("an unharmed log: %d records, %+v", have, found)
		}
		if have < 1150 {
			some++
		}
		if have > 600 {
			most++
		}
	}
	if t.Logf("%d of 60 logs have lost something, %d have more than half", some, most); some == 0 || most < 40 {
		t.Error("too much is lost, or nothing")
	}
}

// checkSalvaged compares a salvaged log with what was written, and returns how many records it has.
func checkSalvaged(t *testing.T, what, dir string, records [harmedPartitions][][]byte, starts [harmedPartitions]int64, found Salvaged) (have int) {
	t.Helper()
	l, err := Open(Config{Dir: dir, Partitions: harmedPartitions, Logger: testkit.Silent()})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	defer l.Close()
	for p := range int32(harmedPartitions) {
		lost := map[int64]bool{}
		for _, gap := range found.Lost {
			for offset := gap.From; gap.Partition == p && offset < gap.To; offset++ {
				lost[offset] = true
			}
		}
		start, end, err := l.Bounds(t.Context(), harmedTopic, p)
		if err != nil || end > int64(len(records[p])) || start < starts[p] && !lost[start] && start != end {
			t.Fatalf("%s: partition %d is from %d to %d, %v", what, p, start, end, err)
		}
		r := l.Read(harmedTopic, p, start)
		for next := start; next < end; {
			batch, err := r.Next(testkit.Context(t))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for _, record := range batch {
				if record.Offset != next {
					t.Fatalf("%s: offset %d follows %d", what, record.Offset, next-1)
				}
				next++
				switch {
				case lost[record.Offset] && len(record.Value) == 0:
				case !bytes.Equal(record.Value, records[p][record.Offset]):
					t.Fatalf("%s: partition %d has another record at %d, which is not among the lost %v", what, p, record.Offset, found.Lost)
				default:
					have++
				}
			}
		}
		r.Close()
		if offset, err := eventlog.AppendWait(t.Context(), l, harmedTopic, p, eventlog.Record{Value: []byte("more")}); err != nil || offset != end {
			t.Errorf("%s: the log goes on at %d, not at %d, %v", what, offset, end, err)
		}
	}
	return have
}

// A salvage refuses targets that it would spoil.
func TestSalvageRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	l, err := Open(Config{Dir: dir, Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	to := dir + "-to"
	c := SalvageConfig{From: dir, To: to, Logger: testkit.Silent()}
	if _, err := Salvage(t.Context(), c); !errors.Is(err, ErrInUse) {
		t.Errorf("a log in use: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c.To = dir
	if _, err := Salvage(t.Context(), c); err == nil {
		t.Error("it writes to a directory that exists")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.To = to
	if _, err := Salvage(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	empty := t.TempDir()
	if _, err := Salvage(t.Context(), SalvageConfig{From: empty, To: empty + "-to", Logger: testkit.Silent()}); !errors.Is(err, ErrNoPartitions) {
		t.Errorf("no log: %v", err)
	}
}
