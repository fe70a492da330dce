package cos

import (
	"maps"
	"testing"
)

// Names count on from the last number; those beyond the codes of a byte, and other values, are passed over.
func TestDifferences(t *testing.T) {
	d := Array{Name("a"), int64(65), Name("A"), 1.5, Name("B"), int64(255), Name("last"), Name("beyond"), int64(-1), Name("before"), Name("first")}
	got := maps.Collect((&File{}).Differences(d))
	if want := map[int]Name{65: "A", 66: "B", 255: "last", 0: "first"}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
