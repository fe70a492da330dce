package table

import (
	"testing"

	"platen.dev/events"
)

// The keys of rows are on disk, and never change.
func TestKeys(t *testing.T) {
	for want, got := range map[string][]byte{
		"r\x01\x020123456789abcdef":                 replyKey(258, events.CommandID([]byte("0123456789abcdef"))),
		"s\x01\x02\x00\x00\x00\x00\x00\x00\x01\x03": repliedKey(258, 259),
		"m\x01\x02acc":                              TeamKey(258, "acc"),
	} {
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
