package testkit

import (
	"fmt"
	"os"
	"testing"
)

// InShare reports whether item n of a long list of alike items is for this run. PLATEN_TEST_SHARE=1/4 names one of four shares, which are
// numbered from 0; without it every item is. .ci/run has another share for the next commit, so that a few commits try all.
func InShare(t testing.TB, n int) bool {
	t.Helper()
	text := os.Getenv("PLATEN_TEST_SHARE")
	if text == "" {
		return true
	}
	var share, of int
	if _, err := fmt.Sscanf(text, "%d/%d", &share, &of); err != nil || share < 0 || share >= of {
		t.Fatalf("PLATEN_TEST_SHARE=%q is not a share such as 1/4", text)
	}
	return n%of == share
}
