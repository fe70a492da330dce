package ledger

import (
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func sample() Entry {
	return Entry{
		ID: "8d2e/debit", Account: "acc_a", Job: "8d2e", Kind: Debit, Key: "key_b", Operation: "html-to-pdf",
		Tags: []Tag{{"team", "blue"}, {"cost", ""}}, Occurred: time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC),
		Window: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), Units: 1, Bytes: -2, Ref: "r", Reason: "ü",
	}
}

// sampleHash was computed with another implementation of XXH64.
const sampleHash = 0x86be58b9090e1b8a

// The bytes and the hash of an entry are part of the contract: they never change.
func TestHash(t *testing.T) {
	const want = "0100000000000000" + // version
		"0a00000000000000" + "386432652f6465626974" + // 8d2e/debit
		"0500000000000000" + "6163635f61" + "0400000000000000" + "38643265" + // acc_a, 8d2e
		"0100000000000000" + // debit
		"0500000000000000" + "6b65795f62" + "0b00000000000000" + "68746d6c2d746f2d706466" + // key_b, html-to-pdf
		"0200000000000000" + "0400000000000000" + "7465616d" + "0400000000000000" + "626c7565" + // team, blue
		"0400000000000000" + "636f7374" + "0000000000000000" + // cost, nothing
		"40a20d6a00000000" + "00edf36900000000" + // occurred, window
		"0100000000000000" + "feffffffffffffff" + // units, bytes
		"0100000000000000" + "72" + "0200000000000000" + "c3bc"
	e := sample()
	if got := hex.EncodeToString(e.canonical(nil)); got != want {
		t.Errorf("canonical bytes %s, want %s", got, want)
	}
	if got := e.Hash(); got != sampleHash {
		t.Errorf("hash %016x, want %016x", got, uint64(sampleHash))
	}
	e.Source = Source{"t", 1, 2}
	e.Occurred = e.Occurred.In(time.FixedZone("", 3600))
	if e.Hash() != sampleHash || e.Verify(sampleHash) != nil {
		t.Error("the hash depends on the source or on a time zone")
	}
	e.Tags[0], e.Tags[1] = e.Tags[1], e.Tags[0]
	if e.Hash() == sampleHash || e.Verify(sampleHash) == nil {
		t.Error("the hash does not depend on the order of tags")
	}
}

// Every limit of an entry, from both sides.
func TestEntryLimits(t *testing.T) {
	eight := []Tag{{"1", ""}, {"2", ""}, {"3", ""}, {"4", ""}, {"5", ""}, {"6", ""}, {"7", ""}, {"8", ""}}
	for name, c := range map[string]struct{ good, bad func(*Entry) }{
		"id":              {func(e *Entry) { e.ID = strings.Repeat("x", MaxName) }, func(e *Entry) { e.ID += strings.Repeat("x", MaxName) }},
		"no id":           {func(e *Entry) { e.ID = "x" }, func(e *Entry) { e.ID = "" }},
		"account":         {func(e *Entry) { e.Account = strings.Repeat("x", MaxName) }, func(e *Entry) { e.Account = "" }},
		"job":             {func(e *Entry) { e.Job = "" }, func(e *Entry) { e.Job = strings.Repeat("x", MaxName+1) }},
		"key":             {func(e *Entry) { e.Key = "" }, func(e *Entry) { e.Key = strings.Repeat("x", MaxName+1) }},
		"operation":       {func(e *Entry) { e.Operation = "" }, func(e *Entry) { e.Operation = strings.Repeat("x", MaxName+1) }},
		"ref":             {func(e *Entry) { e.Ref = strings.Repeat("x", MaxName) }, func(e *Entry) { e.Ref = strings.Repeat("x", MaxName+1) }},
		"reason":          {func(e *Entry) { e.Reason = strings.Repeat("x", MaxReason) }, func(e *Entry) { e.Reason = strings.Repeat("x", MaxReason+1) }},
		"UTF-8":           {func(e *Entry) { e.Reason = "世界" }, func(e *Entry) { e.Reason = "\xff" }},
		"zero byte":       {func(e *Entry) { e.Reason = "\x01" }, func(e *Entry) { e.Reason = "\x00" }},
		"first kind":      {func(e *Entry) { e.Kind = Debit }, func(e *Entry) { e.Kind = 0 }},
		"last kind":       {func(e *Entry) { e.Kind = Adjust }, func(e *Entry) { e.Kind = Adjust + 1 }},
		"adjust's reason": {func(e *Entry) { e.Kind, e.Ref = Adjust, "" }, func(e *Entry) { e.Kind, e.Reason = Adjust, "" }},
		"earliest":        {func(e *Entry) { e.Occurred = MinTime }, func(e *Entry) { e.Occurred = MinTime.Add(-time.Second) }},
		"latest":          {func(e *Entry) { e.Occurred = MaxTime.Add(-time.Second) }, func(e *Entry) { e.Occurred = MaxTime }},
		"fraction":        {func(e *Entry) { e.Occurred = e.Occurred.Add(time.Second) }, func(e *Entry) { e.Occurred = e.Occurred.Add(1) }},
		"earliest window": {func(e *Entry) { e.Window = MinTime }, func(e *Entry) { e.Window = time.Time{} }},
		"tags":            {func(e *Entry) { e.Tags = eight }, func(e *Entry) { e.Tags = append(eight, Tag{"9", ""}) }},
		"tag twice":       {func(e *Entry) { e.Tags = []Tag{{"a", "1"}, {"A", "1"}} }, func(e *Entry) { e.Tags = []Tag{{"a", "1"}, {"a", "2"}} }},
		"tag name":        {func(e *Entry) { e.Tags[0].Name = strings.Repeat("x", MaxTagName) }, func(e *Entry) { e.Tags[0].Name = strings.Repeat("x", MaxTagName+1) }},
		"no tag name":     {func(e *Entry) { e.Tags[0].Name = "-._zZ09" }, func(e *Entry) { e.Tags[0].Name = "" }},
		"quote":           {func(e *Entry) { e.Tags[0].Value = `"'` }, func(e *Entry) { e.Tags[0].Name = `"` }},
		"apostrophe":      {func(e *Entry) { e.Tags = nil }, func(e *Entry) { e.Tags[0].Name = "a'b" }},
		"tag value":       {func(e *Entry) { e.Tags[0].Value = strings.Repeat("x", MaxTagValue) }, func(e *Entry) { e.Tags[0].Value = strings.Repeat("x", MaxTagValue+1) }},
	} {
		good, bad := sample(), sample()
		c.good(&good)
		c.bad(&bad)
		if err := good.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := bad.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// Sums are exact whatever their intermediate values, and ErrOverflow only if the result does not
// fit.
func TestSum(t *testing.T) {
	for _, c := range []struct {
		add  []int64
		want int64
		err  error
	}{
		{nil, 0, nil},
		{[]int64{math.MaxInt64, 1, -1}, math.MaxInt64, nil},
		{[]int64{math.MinInt64, -1, 1}, math.MinInt64, nil},
		{[]int64{math.MinInt64, math.MinInt64, math.MaxInt64, math.MaxInt64, 2}, 0, nil},
		{[]int64{math.MaxInt64, 1}, 0, ErrOverflow},
		{[]int64{math.MinInt64, -1}, 0, ErrOverflow},
		{[]int64{math.MaxInt64, math.MaxInt64, math.MaxInt64}, 0, ErrOverflow},
	} {
		var whole, halves Sum
		for _, v := range c.add {
			whole.Add(v)
			halves.AddSum(Halves(v/(1<<32), v%(1<<32)))
		}
		for _, s := range []Sum{whole, halves} {
			if got, err := s.Int64(); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("%v: %d, %v, want %d, %v", c.add, got, err, c.want, c.err)
			}
		}
	}
}
