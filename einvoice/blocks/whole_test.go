package blocks

import "testing"

// Only codes and dates are kept on one line; no text is lost, and none becomes markup.
func TestWhole(t *testing.T) {
	const open, end = `<span class="w">`, `</span>`
	for text, want := range map[string]string{
		"":                            "",
		"plain text, 12.50 EUR":       "plain text, 12.50 EUR",
		"well-known":                  "well-known",
		"2026/16-KD":                  open + "2026/16-KD" + end,
		"due  2026-12-23,\nor\t<1-2>": "due  " + open + "2026-12-23," + end + "\nor\t" + open + "&lt;1-2&gt;" + end,
		"12-3\u00a0%":                 open + "12-3\u00a0%" + end,
		"رقم 2026/10-02، مق-12":       "رقم " + open + "2026/10-02" + end + "، مق-12",
		"仕様書2026-10参照":                "仕様書2026-10参照",
		"23\u200f/11\u200f/2026":      `<span class="w r">` + "23\u200f/11\u200f/2026" + end,
	} {
		if got := string(whole(text)); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	for length, kept := range map[int]bool{200: true, 201: false} {
		code := "1-"
		for len(code) < length {
			code += "x"
		}
		if got := string(whole(code)) != code; got != kept {
			t.Errorf("a code of %d characters is kept: %v", length, got)
		}
	}
}
