package events

import (
	"strings"
	"testing"
)

const (
	traceText = "0af7651916cd43dd8448eb211c80319c"
	spanText  = "b7ad6b7169203331"
)

// The vectors follow W3C Trace Context, 3.2.2 (traceparent) and 4 (processing model).
func TestParseTraceparent(t *testing.T) {
	const good = "00-" + traceText + "-" + spanText
	for _, tc := range []struct {
		text    string
		ok      bool
		sampled bool
	}{
		{good + "-01", true, true},
		{good + "-00", true, false},
		{good + "-03", true, true}, // flags that are not defined are passed over
		{good + "-fe", true, false},
		{"cc" + good[2:] + "-01", true, true}, // a later version
		{"cc" + good[2:] + "-01-what-the-future-will-be-like", true, true},
		{"cc" + good[2:] + "-01.what", false, false},
		{"cc" + good[2:] + "-01-", true, true},
		{good + "-01-", false, false}, // version 00 has nothing more
		{good + "-01 ", false, false},
		{" " + good + "-01", false, false},
		{"ff" + good[2:] + "-01", false, false},
		{"0F" + good[2:] + "-01", false, false},
		{strings.ToUpper(good) + "-01", false, false},
		{good + "-0", false, false},
		{good + "-0g", false, false},
		{good + "-", false, false},
		{good, false, false},
		{"", false, false},
		{"00-" + strings.Repeat("0", 32) + "-" + spanText + "-01", false, false},
		{"00-" + traceText + "-" + strings.Repeat("0", 16) + "-01", false, false},
		{"00_" + traceText + "-" + spanText + "-01", false, false},
		{"00-" + traceText + "_" + spanText + "-01", false, false},
		{"00-" + traceText + "-" + spanText + "_01", false, false},
		{"00-" + traceText[:31] + "-" + spanText + "-001", false, false},
		{strings.Repeat("-", 1<<14), false, false},
		{strings.Repeat("\xff", 55), false, false},
	} {
		got, ok := ParseTraceparent([]byte(tc.text))
		if ok != tc.ok || got.Sampled != tc.sampled {
			t.Errorf("%q: got %+v, %v", tc.text, got, ok)
		}
		switch {
		case ok && (got.ID.String() != traceText || got.Span.String() != spanText):
			t.Errorf("%q: got %s %s", tc.text, got.ID, got.Span)
		case !ok && !got.IsZero():
			t.Errorf("%q is refused, and leaves %+v", tc.text, got)
		}
	}
}

// FuzzParseTraceparent checks that every accepted value is written as it was read, except for
// unknown flags and versions.
func FuzzParseTraceparent(f *testing.F) {
	f.Add([]byte("00-" + traceText + "-" + spanText + "-01"))
	f.Add([]byte("01-" + traceText + "-" + spanText + "-00-x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := ParseTraceparent(text)
		if !ok {
			return
		}
		if written := got.Traceparent(); written[2:flagsAt] != string(text[2:flagsAt]) {
			t.Errorf("%q is written as %q", text, written)
		}
		if again, ok := ParseTraceparent([]byte(got.Traceparent())); !ok || again != got {
			t.Errorf("%+v is read again as %+v, %v", got, again, ok)
		}
	})
}

// Reading what a client has sent allocates nothing.
func TestParseTraceparentAllocatesNothing(t *testing.T) {
	text := []byte("00-" + traceText + "-" + spanText + "-01")
	if n := testing.AllocsPerRun(100, func() { _, _ = ParseTraceparent(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
