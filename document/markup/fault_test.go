package markup

import (
	"strings"
	"testing"

	"platen.dev/events/testkit"
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
	if used := testkit.AllocatedBy(func() { Excerpt(long) }); used > 64<<10 {
		t.Errorf("an excerpt of %d bytes allocates %d", len(long), used)
	}
	if got := Excerpt("a\x1b[31m\u202e\u2066\u0085b\xff"); got != "a [31m   b\ufffd" {
		t.Errorf("got %q", got)
	}
}
