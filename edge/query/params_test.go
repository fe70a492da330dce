package query

import "testing"

// An endpoint without parameters refuses any.
func TestNone(t *testing.T) {
	if None(nil) != nil || len(None([]Param{{"a", ""}})) != 1 {
		t.Error("a parameter where there are none is not refused")
	}
}
