package page

import "testing"

// A warning names the hidden pixels, unless a box only reserves them.
func TestWarnOfHidden(t *testing.T) {
	for pixels, want := range map[int]string{
		1: "The page scrolls in an inner box; 1 pixels of its content are not shown.", endless - 1: "The page scrolls in an inner box; 999999 pixels of its content are not shown.",
		endless: "The page scrolls in an inner box, which shows only a part of its content.",
	} {
		p := &page{}
		if p.warnOfHidden(pixels); len(p.found.warned) != 1 || p.found.warned[0].Detail != want {
			t.Errorf("%d: %v", pixels, p.found.warned)
		}
	}
	p := &page{}
	if p.warnOfHidden(0); p.found.warned != nil {
		t.Errorf("nothing is hidden: %v", p.found.warned)
	}
}
