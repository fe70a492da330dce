package testkit

import (
	"fmt"
	"os"
	"testing"
)

// InShare reports whether item n of a long list of similar items is for this run. PLATEN_TEST_SHARE=1/4 names one of four shares, numbered from 0;
// without it every item is. .ci/run uses another share for the next commit, so that a few commits cover all.
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
