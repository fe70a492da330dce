package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/public"
)

const (
	fingerprinted = "acc_fingerprint"
	// windowStart has milliseconds, as an account's anchor has.
	windowStart = events.Instant(1_772_438_400_789) // 2026-03-02T08:00:00.789Z
)

// charges are what the account was charged in two windows, as envelopes of the journal.
func charges() (all []events.Envelope) {
	envelope := func(at events.Instant, evs ...events.Event) {
		all = append(all, events.Envelope{Account: fingerprinted, At: at, Events: evs})
	}
	done := func(number byte, window, at events.Instant, origin events.JobOrigin) {
		job := events.JobID{0xc0, number}
		size := int64(number) * 1000
		envelope(at, events.JobDone{Job: job, File: events.File{Size: size}, Origin: origin}, events.QuotaDebited{Job: job, Window: window, Bytes: size})
	}
	tagged := events.JobOrigin{Key: "key_b", Operation: events.HTMLToImage, Tags: []events.Tag{{Name: "customer", Value: "4\t711"}}}
	done(2, windowStart, windowStart.Add(90*time.Minute+999*time.Millisecond), tagged)
	done(1, windowStart, windowStart.Add(100*time.Minute), events.JobOrigin{Key: "key_a", Operation: events.HTMLToPDF})
	done(3, windowStart, windowStart.Add(110*time.Minute), events.JobOrigin{}) // of a version that did not record the origin
	done(4, windowStart.Add(31*24*time.Hour), windowStart.Add(31*24*time.Hour), events.JobOrigin{Key: "key_a", Operation: events.HTMLToPDF})
	envelope(windowStart.Add(2*time.Hour), events.UsageAdjusted{Window: windowStart, Adjustment: events.Adjustment{
		Entry: "adj_1", Kind: events.Credit, Units: -1, Bytes: -1000, Reason: "the page was empty", Ref: events.DebitOf(events.JobID{0xc0, 1}),
	}})
	return all
}

// publicEvents are the public events of charges, as consumers get them.
func publicEvents(t *testing.T) (all []public.Received) {
	t.Helper()
	for i, e := range charges() {
		for _, fact := range public.Of("", 0, int64(i), e) {
			fact.Sequence = int64(len(all) + 1)
			record, err := fact.Record()
			if err != nil {
				t.Fatal(err)
			}
			received, err := public.Parse(record)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, received)
		}
	}
	return all
}

// entryOf is the entry that stands for a usage event; false for another event.
func entryOf(t *testing.T, e public.Received) (Entry, bool) {
	t.Helper()
	var data struct {
		Entry  string    `json:"entry_id"`
		Kind   string    `json:"kind"`
		Job    string    `json:"job_id"`
		Key    string    `json:"key_id"`
		Op     string    `json:"operation"`
		Ref    string    `json:"ref_entry"`
		Window time.Time `json:"window_start"`
		Units  int64     `json:"render_units"`
		Bytes  int64     `json:"bytes"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	kind := map[string]Kind{"": Debit, "credit": Credit, "adjust": Adjust}[data.Kind]
	return Entry{
		ID: data.Entry, Account: string(e.Account), Kind: kind, Job: data.Job, Key: data.Key, Operation: data.Op, Ref: data.Ref,
		Occurred: e.At.Truncate(time.Second), Window: data.Window.Truncate(time.Second), Units: data.Units, Bytes: data.Bytes,
	}, strings.HasPrefix(e.Type, "platen.usage.")
}

// fingerprintOf makes the fingerprint of the first window, and returns its start.
func fingerprintOf(t *testing.T) (sum string, start time.Time) {
	t.Helper()
	start = windowStart.Time().Truncate(time.Second)
	f := NewFingerprint(fingerprinted, start)
	for _, e := range publicEvents(t) {
		if entry, is := entryOf(t, e); is && entry.Window.Equal(start) {
			if err := f.Add(entry); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%x", f.Sum()), start
}

// The value is pinned: what was once printed on an invoice must be found again.
func TestFingerprint(t *testing.T) {
	const want = "8bb9fe4dc90a96bbef76195c8f7c408d2d8d8320a9774ac138b8d827713e11cb"
	if got, _ := fingerprintOf(t); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	empty := NewFingerprint("acc", MinTime)
	if got, want := fmt.Sprintf("%x", empty.Sum()), "dacff25ce5f9d1dbdd22b7aee8d20712c060bd5364f4b8cd8c4d04205a7ec46d"; got != want {
		t.Errorf("without entries: got %s, want %s", got, want)
	}
}

// Neither the order of the entries nor fractions of seconds matter; every field does.
func TestFingerprintFields(t *testing.T) {
	a := Entry{ID: "a", Kind: Debit, Job: "j", Key: "k", Operation: "o", Ref: "r", Occurred: MinTime, Units: 1, Bytes: 2}
	b := Entry{ID: "a-", Kind: Credit, Occurred: MinTime}
	sum := func(window time.Time, entries ...Entry) [32]byte {
		f := NewFingerprint("acc", window)
		for _, e := range entries {
			if err := f.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		return f.Sum()
	}
	want := sum(MinTime, a, b)
	fraction := a
	fraction.Occurred = MinTime.Add(999 * time.Millisecond)
	if sum(MinTime.Add(time.Millisecond), b, fraction) != want {
		t.Error("the order or a fraction of a second changes the fingerprint")
	}
	for name, change := range map[string]func(*Entry){
		"id": func(e *Entry) { e.ID = "x" }, "kind": func(e *Entry) { e.Kind = Adjust }, "job": func(e *Entry) { e.Job = "" },
		"key": func(e *Entry) { e.Key = "" }, "operation": func(e *Entry) { e.Operation = "" }, "ref": func(e *Entry) { e.Ref = "" },
		"units": func(e *Entry) { e.Units = -1 }, "bytes": func(e *Entry) { e.Bytes = 20 }, "time": func(e *Entry) { e.Occurred = MinTime.Add(time.Second) },
		"neighbours": func(e *Entry) { e.Job, e.Key = "jk", "" },
	} {
		changed := a
		change(&changed)
		if sum(MinTime, changed, b) == want {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
	if sum(MinTime.Add(time.Second), a, b) == want || sum(MinTime, a) == want {
		t.Error("the window's start, or an entry, does not change the fingerprint")
	}
}

// A window has a bound, since its entries are sorted in memory.
func TestFingerprintIsBounded(t *testing.T) {
	f := NewFingerprint("acc", MinTime)
	f.most = 1
	if err := f.Add(Entry{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Add(Entry{ID: "b"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("got %v", err)
	}
}

// The published script finds the same fingerprint in the public events, also when they come twice.
func TestFingerprintOfEvents(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: there is no python3, so docs/consumers/fingerprint.py is not tested")
	}
	var lines bytes.Buffer
	for _, e := range publicEvents(t) {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", line)
	}
	twice := lines.String() + lines.String()
	want, start := fingerprintOf(t)
	for _, window := range []string{start.Format(time.RFC3339), windowStart.String()} {
		script := exec.CommandContext(t.Context(), python, "../docs/consumers/fingerprint.py", fingerprinted, window)
		script.Stdin = strings.NewReader(twice)
		out, err := script.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: got %s (%v), want %s", window, out, err, want)
		}
	}
}

// fakeConsumer stands in for kafka-python: another program has written between the events.
const fakeConsumer = `
import collections
Record = collections.namedtuple("Record", "partition headers value")

def event(number, kind, data):
    return Record(3, [("ce_sequence", b"%d" % number), ("ce_type", kind.encode()), ("ce_note", None)], data)

debit = b'{"account": "acc_a", "window_start": "w", "render_units": 2, "bytes": 5}'

class KafkaConsumer:
    def __init__(self, *topics, **options): pass
    def __iter__(self):
        yield event(1, "platen.usage.debited.v1", debit)
        yield Record(3, [], b"garbage")
        yield Record(3, None, None)
        yield Record(3, [("ce_sequence", b"x\\xff"), ("ce_type", b"platen.usage.debited.v1")], debit)
        yield event(999, "platen.usage.debited.v1", b"{")
        yield event(2, "platen.usage.debited.v1", debit)
        yield event(2, "platen.usage.debited.v1", debit)
`

// The published script sums up the charges of public events, whatever other programs have written into the topic.
func TestSumOfEvents(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("SKIPPED: there is no python3, so docs/consumers/usage.py is not tested")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kafka.py"), []byte(fakeConsumer), 0o600); err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), python, "../docs/consumers/usage.py", "broker:9092")
	script.Env = append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1")
	if out, err := script.CombinedOutput(); err != nil || string(out) != "acc_a w 4 10\n" {
		t.Errorf("got %s (%v)", out, err)
	}
}
