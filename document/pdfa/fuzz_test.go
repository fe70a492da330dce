package pdfa

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/document/pdfa/cos"
)

// FuzzCheckForeign checks files that anyone may have made. Whatever is wrong with them, it is found by a rule: nothing panics.
func FuzzCheckForeign(f *testing.F) {
	good := goodPDF(f)
	f.Add(good)
	for _, b := range breaks {
		f.Add(broken(f, good, b.change))
	}
	for _, change := range allowed {
		f.Add(broken(f, good, change))
	}
	f.Fuzz(func(t *testing.T, pdf []byte) {
		var invalid *InvalidError
		if err := CheckForeign(cos.NewSource(pdf)); err == nil || !errors.As(err, &invalid) {
			return
		}
		for _, v := range invalid.Violations {
			if strings.HasPrefix(v.Detail, "broken file: ") {
				t.Error(v)
			}
		}
	})
}
