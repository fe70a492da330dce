package embedded

import (
	"bytes"
	"slices"
	"testing"

	"platen.dev/events/eventlog"
)

// FuzzDecode checks that no bytes make decode panic, and that a decoded record survives
// being encoded and decoded again.
func FuzzDecode(f *testing.F) {
	full := eventlog.Record{Key: []byte("key"), Value: []byte("value"), Headers: []eventlog.Header{{Key: "a", Value: "b"}, {}}}
	for _, r := range []eventlog.Record{{}, full} {
		f.Add(encode(nil, &r))
	}
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Add([]byte{1, 0, 200, 200, 200, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := decode(raw)
		if err != nil {
			return
		}
		encoded := encode(nil, &r)
		if len(encoded) != encodedSize(&r) {
			t.Fatalf("%d bytes, encodedSize says %d", len(encoded), encodedSize(&r))
		}
		again, err := decode(encoded)
		if err != nil || !bytes.Equal(again.Key, r.Key) || !bytes.Equal(again.Value, r.Value) || !slices.Equal(again.Headers, r.Headers) {
			t.Fatalf("%+v became %+v, %v", r, again, err)
		}
	})
}
