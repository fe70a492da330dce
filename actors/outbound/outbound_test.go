package outbound

import (
	"strings"
	"testing"
)

// What is kept of a text is valid, and bounded.
func TestKept(t *testing.T) {
	for text, want := range map[string]string{
		"a\xffb": "ab", "": "", strings.Repeat("x", MaxKept) + "y": strings.Repeat("x", MaxKept),
		strings.Repeat("x", MaxKept-1) + "ä": strings.Repeat("x", MaxKept-1),
	} {
		if got := Kept(text); got != want {
			t.Errorf("%d bytes: kept %d, want %d", len(text), len(got), len(want))
		}
	}
}
