package markup

import (
	"strings"
	"testing"
)

// An excerpt is the whole text up to 200 characters, and beyond that its beginning and end.
func TestExcerpt(t *testing.T) {
	whole := strings.Repeat("ä", 199) + "z"
	if got := Excerpt(whole); got != whole {
		t.Errorf("200 characters give %q", got)
	}
	if got, want := Excerpt("a"+whole), "a"+strings.Repeat("ä", 118)+"…"+strings.Repeat("ä", 79)+"z"; got != want {
		t.Errorf("201 characters give %q", got)
	}
	long := whole + strings.Repeat("ä", 1<<20)
	if allocated := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			Excerpt(long)
		}
	}).AllocedBytesPerOp(); allocated > 4096 {
		t.Errorf("an excerpt of %d bytes allocates %d", len(long), allocated)
	}
	if got := Excerpt("a\x1b[31m\u202e\u2066\u0085b\xff"); got != "a [31m   b\ufffd" {
		t.Errorf("got %q", got)
	}
}
