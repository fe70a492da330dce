package backup

import (
	"bytes"
	"reflect"
	"testing"

	"platen.dev/events/eventlog"
)

// Records are decoded unchanged; any other bytes are an error, or records that encode to the same bytes.
func FuzzRecord(f *testing.F) {
	for _, r := range []eventlog.Record{
		{}, {Offset: 1<<63 - 1, Key: []byte("k"), Value: []byte("v")}, {Offset: 7, Headers: []eventlog.Header{{Key: "a", Value: "1"}, {}}},
	} {
		f.Add(appendRecord(nil, r))
	}
	f.Add([]byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := decoder{rest: raw}
		for len(d.rest) > 0 {
			r := d.record()
			if d.err != nil {
				return
			}
			again := decoder{rest: appendRecord(nil, r)}
			if got := again.record(); again.err != nil || !reflect.DeepEqual(got, r) {
				t.Fatalf("%+v is decoded as %+v (%v)", r, got, again.err)
			}
		}
	})
}

// The largest record that a log accepts is decoded, and one byte more is not.
func TestRecordLimits(t *testing.T) {
	for _, tc := range []struct {
		key, header, value int
		ok                 bool
	}{
		{maxAttributes, 0, eventlog.MaxRecord, true},
		{maxAttributes + 1, 0, 0, false},
		{1, maxAttributes - 1, 0, true},
		{1, maxAttributes, 0, false},
		{0, 0, eventlog.MaxRecord + 1, false},
	} {
		r := eventlog.Record{Offset: 3, Key: bytes.Repeat([]byte("k"), tc.key), Value: bytes.Repeat([]byte("v"), tc.value)}
		if tc.header > 0 {
			r.Headers = []eventlog.Header{{Value: string(bytes.Repeat([]byte("h"), tc.header))}}
		}
		d := decoder{rest: appendRecord(nil, r)}
		if d.record(); (d.err == nil) != tc.ok {
			t.Errorf("%+v: %v", tc, d.err)
		}
	}
}
