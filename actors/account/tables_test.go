package account

import (
	"testing"

	"platen.dev/events"
)

// Stores of the current schema of package projections have these keys, and their parts can be
// read back.
func TestKeysOfTables(t *testing.T) {
	id := events.JobID([]byte("0123456789abcdef"))
	for want, got := range map[string][]byte{
		"A\x01\x02acc":              stateKey(258, "acc"),
		"J\x01\x020123456789abcdef": jobKey(258, id),
		"D\x01\x02\x00\x00\x00\x00\x00\x00\x01\x030123456789abcdef": timedKey(due, 258, 259, id),
		"N\x01\x02\x00\x00\x00\x00\x00\x00\x01\x030123456789abcdef": timedKey(pendingWebhooks, 258, 259, id),
		"U\x01\x020123456789abcdef":                                 unsettledKey(258, id),
		"I\x01\x02acc\x00key":                                       requestKey(258, "acc", "key"),
		"Q\x01\x02\x00\x00\x00\x00\x00\x00\x01\x03":                 quarantineKey(258, 259),
		"q\x01\x02": quarantineSizes.Key(258),
	} {
		if string(got) != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := parseJobKey(jobKey(258, id)); got != id {
		t.Errorf("job key: got %s", got)
	}
	if at, got := parseTimedKey(due, timedKey(due, 258, 259, id)); at != 259 || got != id {
		t.Errorf("due key: got %d, %s", at, got)
	}
	if got := parseQuarantineKey(quarantineKey(258, 259)); got != 259 {
		t.Errorf("quarantine key: got %d", got)
	}
	if got := parseUnsettledKey(unsettledKey(258, id)); got != id {
		t.Errorf("unsettled key: got %s", got)
	}
}
