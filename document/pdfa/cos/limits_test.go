package cos

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

const limited = "%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n2 0 obj\n[3 0 R 3 0 R]\nendobj\n3 0 obj\n[1 2 3]\nendobj\n" +
	"4 0 obj\n<</Length 5>>\nstream\nabcde\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF"

// walk resolves an array of references, and then decodes a stream twice. It returns how many elements of the second array it saw, and
// the error of the last decoding.
func walk(t *testing.T, limits Limits) (seen int, exhausted bool, err error) {
	t.Helper()
	limits.Objects = 100
	f, err := Open([]byte(limited), limits)
	if err != nil {
		return 0, true, err
	}
	for _, value := range f.Array(Ref{Number: 2}) {
		seen += len(f.Array(value))
	}
	if s, ok := f.Resolve(Ref{Number: 4}).(*Stream); ok {
		for range 2 {
			_, err = f.Decode(s)
		}
	}
	return seen, f.Exhausted(), err
}

// Objects beyond a limit are missing, and the file reports that it was exhausted.
func TestLimits(t *testing.T) {
	const enough = 1 << 20
	least := func(limit func(int) Limits) int {
		for n := 1; n < enough; n++ {
			if seen, exhausted, err := walk(t, limit(n)); seen == 6 && !exhausted && err == nil {
				return n
			}
		}
		t.Fatal("no limit is enough")
		return 0
	}
	for name, limit := range map[string]func(int) Limits{
		"parsed":  func(n int) Limits { return Limits{Decoded: enough, Steps: enough, Parsed: n} },
		"steps":   func(n int) Limits { return Limits{Decoded: enough, Parsed: enough, Steps: n} },
		"decoded": func(n int) Limits { return Limits{Parsed: enough, Steps: enough, Decoded: n} },
	} {
		n := least(limit)
		if name == "decoded" && n != 10 {
			t.Errorf("two times five bytes decode to %d", n)
		}
		seen, exhausted, err := walk(t, limit(n-1))
		if !exhausted {
			t.Errorf("%s: one less than %d is enough: %d elements, %v", name, n, seen, err)
		}
		if name == "decoded" && !errors.Is(err, ErrLimit) {
			t.Error(err)
		}
	}
	if seen, exhausted, err := walk(t, Limits{Decoded: enough}); seen != 6 || exhausted || err != nil {
		t.Errorf("without limits: %d, %v, %v", seen, exhausted, err)
	}
}

// Decoding takes little more memory than may be decoded, however small the stream is.
func TestMemoryOfDecoding(t *testing.T) {
	const limit = 1 << 20
	repeated := bytes.Repeat([]byte{0x81, 0x81}, 25_000) // each pair is 128 times the byte 0x81, which is such pairs again
	for name, s := range map[string]*Stream{
		"run length in run length": {Dict: Dict{"Filter": Array{Name("RL"), Name("RL")}}, Raw: repeated},
		"base 85":                  {Dict: Dict{"Filter": Array{Name("RL"), Name("A85")}}, Raw: bytes.Repeat([]byte{0x81, 'z'}, 7_000)},
	} {
		f := &File{limits: Limits{Decoded: limit}}
		var err error
		used := testkit.AllocatedBy(func() { _, err = f.Decode(s) })
		if !errors.Is(err, ErrLimit) || used > 2*limit {
			t.Errorf("%s: %d KiB of memory, although %d KiB may be decoded: %v", name, used>>10, limit>>10, err)
		}
	}
	f := &File{limits: Limits{Decoded: limit}}
	wide := Dict{"Predictor": int64(12), "Columns": int64(1 << 20), "Colors": int64(32), "BitsPerComponent": int64(16)}
	var got []byte
	used := testkit.AllocatedBy(func() { got, _ = f.undoPredictor([]byte("\x02x"), wide) })
	if string(got) != "x" || used > limit {
		t.Errorf("a row of one byte became %q with %d KiB of memory", got, used>>10)
	}
}

// Filters count at least what they read: decoding to nothing takes time, too. Beyond the limit, they read no more.
func TestDecodingToNothing(t *testing.T) {
	const size = 1000
	for name, s := range map[string]*Stream{
		"hex":        {Dict: Dict{"Filter": Name("AHx")}, Raw: bytes.Repeat([]byte(" "), size)},
		"base 85":    {Dict: Dict{"Filter": Name("A85")}, Raw: bytes.Repeat([]byte(" "), size)},
		"run length": {Dict: Dict{"Filter": Array{Name("RL"), Name("RL"), Name("AHx")}}, Raw: bytes.Repeat([]byte("\x01\x00 "), size/3)},
		"deflated":   {Dict: Dict{"Filter": Name("Fl")}, Raw: append([]byte("\x78\x9c"), bytes.Repeat([]byte("\x00\x00\x00\xff\xff"), size/5)...)}, // empty blocks
	} {
		f := &File{limits: Limits{Decoded: 3 * size}}
		for range 10 {
			_, _ = f.Decode(s)
		}
		if !f.Exhausted() || f.decoded > 4*size+100 {
			t.Errorf("%s: ten times %d bytes count as %d", name, size, f.decoded)
		}
	}
}

// table returns a PDF whose cross-reference table names one offset for all objects but the catalog.
func table(body string, offsets ...int) []byte {
	var b bytes.Buffer
	b.WriteString(head + body)
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%010d 00000 n \n", len(offsets)+2, strings.Index(head, "1 0 obj"))
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+2, start)
	return b.Bytes()
}

const head = "%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n"

// What precedes and follows an object counts as parsed: many entries of the table may point into one comment or one string.
func TestAroundObjects(t *testing.T) {
	const size, count = 100_000, 300 // together more than LimitsFor
	long := strings.Repeat("x", size)
	var nested strings.Builder // each object is in the comment behind the one before
	nestedAt := make([]int, 4*count)
	for n := range nestedAt {
		nestedAt[n] = len(head) + nested.Len()
		fmt.Fprintf(&nested, "%d 0 obj<<>>%%%s", n+2, long[:20])
	}
	same := make([]int, count)
	for n := range same {
		same[n] = len(head)
	}
	for name, pdf := range map[string][]byte{
		"a comment":          table("%"+long+"\n", same...),
		"a string":           table("("+long+")\n", same...),
		"comments in others": table(nested.String()+"\n", nestedAt...),
	} {
		f, err := Open(pdf, LimitsFor(len(pdf)))
		if err != nil || f.Rebuilt {
			t.Fatal(name, err)
		}
		if name == "comments in others" {
			f.limits.Parsed = f.parsed + nested.Len()*20
		}
		for _, number := range f.Numbers() {
			f.Resolve(Ref{Number: number})
		}
		if !f.Exhausted() || f.parsed > f.limits.Parsed+size {
			t.Errorf("%s: %d of at most %d bytes count as parsed", name, f.parsed, f.limits.Parsed)
		}
	}
}

// Cross-reference tables count as parsed: many may contain one another.
func TestTablesAreCounted(t *testing.T) {
	const size = 10_000
	pdf := bytes.Replace(table(""), []byte(" 00000 n"), []byte(" ("+strings.Repeat("x", size)+") n"), 1)
	for parsed, want := range map[int]error{size: ErrLimit, 2 * size: nil} {
		if _, err := Open(pdf, Limits{Objects: 10, Parsed: parsed}); !errors.Is(err, want) {
			t.Errorf("at most %d bytes: %v, want %v", parsed, err, want)
		}
	}
}

// The entries of a cross-reference stream count: a byte may be one, and a small stream may decode to many bytes.
func TestEntriesOfStreams(t *testing.T) {
	const rows = 1000
	f := &File{limits: Limits{Objects: 10, Decoded: rows, Parsed: rows * entrySize}, entries: map[int]xrefEntry{}}
	s := &Stream{Dict: Dict{"W": Array{int64(1), int64(0), int64(0)}, "Index": Array{}}, Raw: make([]byte, rows)}
	for range rows { // the same object again and again
		s.Dict["Index"] = append(s.Dict["Index"].(Array), int64(1), int64(1))
	}
	if err := f.readXRefStream(s); !errors.Is(err, ErrLimit) {
		t.Errorf("as many entries as the limit: %v", err)
	}
	f.decoded, f.parsed, f.limits.Parsed = 0, 0, rows*entrySize+1
	if err := f.readXRefStream(s); err != nil {
		t.Error(err)
	}
}

// The search for trailers counts what it parses, and finds a trailer behind the word in a text.
func TestTrailers(t *testing.T) {
	pdf := []byte(head + strings.Repeat("trailer(", 10_000))
	if _, err := Open(pdf, LimitsFor(len(pdf))); !errors.Is(err, ErrLimit) {
		t.Errorf("%d bytes in each other: %v", len(pdf), err)
	}
	f, err := Open([]byte("%PDF-1.7\n9 0 obj\n(a trailer (\\()\nendobj\n trailer (\n8 0 obj\n<</Pages 9 0 R>>\nendobj\ntrailer\n<</Root 8 0 R>>\n"), LimitsFor(100))
	if err != nil || f.Trailer["Root"] != (Ref{Number: 8}) {
		t.Errorf("%v", err)
	}
}

// Streams whose lengths are each other's lengths are not read in any depth.
func TestLengthsOfLengths(t *testing.T) {
	var b strings.Builder
	const count = 1000
	for n := range count {
		fmt.Fprintf(&b, "%d 0 obj\n<</Length %d 0 R>>\nstream\nx\nendstream\nendobj\n", n+2, n+3)
	}
	f, err := Open([]byte(head+b.String()+"trailer\n<</Root 1 0 R>>\n"), LimitsFor(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := f.Resolve(Ref{Number: 2}).(*Stream); !ok || string(s.Raw) != "x\n" {
		t.Errorf("read %v", f.Resolve(Ref{Number: 2}))
	}
	if read := len(f.objects); read > maxPending+1 {
		t.Errorf("%d objects were read for the length of one", read)
	}
}
