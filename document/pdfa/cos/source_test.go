package cos

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Each reader of a source sees the whole file, and has its own limits.
func TestSource(t *testing.T) {
	data := []byte(limited)
	s := NewSource(data)
	for reader := range 3 {
		f, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		before := f.parsed
		if got := f.Array(Ref{Number: 3}); len(got) != 3 {
			t.Errorf("reader %d sees %v", reader, got)
		}
		if shared := f.parsed == before; shared != (reader > 0) {
			t.Errorf("reader %d: the object was parsed before: %t", reader, shared)
		}
	}
}

// Parts that one reader missed because of a limit are seen by the next.
func TestSourceBeyondLimits(t *testing.T) {
	var objects strings.Builder
	const count, size = 4, 1000
	for n := range count {
		fmt.Fprintf(&objects, "%d 0 obj\n(%s)\nendobj\n", 10+n, strings.Repeat("x", size))
	}
	s := NewSource([]byte(strings.Replace(limited, "trailer", objects.String()+"trailer", 1)))
	for reader := range 2 {
		f, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		f.limits.Parsed = f.parsed + 2500
		if reader == 0 {
			for n := range count {
				f.Resolve(Ref{Number: 10 + n})
			}
		}
		last, _ := f.Resolve(Ref{Number: 10 + count - 1}).(String)
		if exhausted := f.Exhausted(); exhausted != (reader == 0) || exhausted == (len(last) == size) {
			t.Errorf("reader %d: exhausted: %t, with %d bytes of the last object", reader, exhausted, len(last))
		}
	}
}

// Every reader of a source that is not a PDF gets the error.
func TestNoSource(t *testing.T) {
	s := NewSource([]byte("x"))
	for range 2 {
		if _, err := s.Open(); !errors.Is(err, ErrNotPDF) {
			t.Error(err)
		}
	}
}
