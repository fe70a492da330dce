package egress

import (
	"testing"

	"platen.dev/events/contract"
)

// A server that is slow to respond is waited for as long as the job allows: the proxy does
// not end the wait first.
func TestHeaderLimitIsLongerThanAnyJob(t *testing.T) {
	limit := Limits{}.withDefaults().Header
	if limit <= contract.MaxLoadTimeout || limit <= contract.CaptureTimeout {
		t.Errorf("a response header may take %s; a page may load for %s, a capture may take %s", limit, contract.MaxLoadTimeout, contract.CaptureTimeout)
	}
}
