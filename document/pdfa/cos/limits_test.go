package cos

import (
	"errors"
	"testing"
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
