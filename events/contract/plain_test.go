package contract

import "testing"

// foreign has characters that a terminal obeys, that end lines, and that change the writing direction.
const foreign = "a\x1b[2Jb\x7fc\u009b31md\u202ee\u2066f\u2069g\u2028h\u2029i\rj\nk\tl\xffm\x00n\u200fo\u061cp"

// Characters that a terminal obeys are shown instead; ordinary text stays unchanged.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		foreign: `a\x1b[2Jb\u007fc\u009b31md\u202ee\u2066f\u2069g\u2028h\u2029i\rj\nk\tl\xffm\x00n` + "\u200fo\u061cp",
		"":      "",
		`Müller & Söhne "Ünïcode" \n 株式会社 👩‍👩‍👧 שלום`: `Müller & Söhne "Ünïcode" \n 株式会社 👩‍👩‍👧 שלום`,
		"\uFFFD stays": "\uFFFD stays",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got, want := PlainLines("a\tb\n\x1b[2Jc\r"), "a\tb\n"+`\x1b[2Jc\r`; got != want {
		t.Errorf("lines: got %q, want %q", got, want)
	}
}

// Every acting character is known: the C0 and C1 sets, DEL, line ends, and those that change the writing direction. Direction marks do not act.
func TestHidden(t *testing.T) {
	for _, of := range [][2]rune{{0, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x202e}, {0x2066, 0x2069}} {
		for r := of[0]; r <= of[1]; r++ {
			if !Hidden(r) {
				t.Errorf("%U is shown", r)
			}
		}
		for _, r := range []rune{of[0] - 1, of[1] + 1, 0x061c, 0x200e, 0x200f} {
			if r > 0 && Hidden(r) {
				t.Errorf("%U is hidden", r)
			}
		}
	}
}
