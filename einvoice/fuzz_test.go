package einvoice

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// FuzzParse checks that any input gives an invoice, or an error of bounded length whose violations have positions.
func FuzzParse(f *testing.F) {
	for i, profile := range contract.Profiles() {
		f.Add([]byte(sample(f, profile)), byte(i))
	}
	for _, document := range []string{"", "<a/>", "\xFF\xFE<\x00", "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xff</a>", "<!DOCTYPE a><a/>", strings.Repeat("<a>", 70)} {
		f.Add([]byte(document), byte(0))
	}
	f.Fuzz(func(t *testing.T, document []byte, n byte) {
		profile := contract.Profiles()[int(n)%len(contract.Profiles())]
		invoice, err := ParseSchemaOnly(document, profile)
		if (invoice == nil) != (err != nil) {
			t.Fatalf("%v and %v", invoice, err)
		}
		var invalid *InvalidError
		if errors.As(err, &invalid) {
			checkViolations(t, invalid)
		}
		if err == nil {
			for n := range invoice.Leaves() {
				if n.Path() == "" || n.SourceLine() < 1 {
					t.Fatalf("a leaf at %q, line %d", n.Path(), n.SourceLine())
				}
			}
		}
		if _, parseErr := Parse(document, profile); err != nil && parseErr == nil {
			t.Fatal("Parse accepts what ParseSchemaOnly refuses")
		}
	})
}

func checkViolations(t *testing.T, e *InvalidError) {
	t.Helper()
	if n := len(e.Violations); n == 0 || n > MaxViolations || e.Malformed && n != 1 {
		t.Fatalf("%d violations", n)
	}
	for i, v := range e.Violations {
		if v.Line < 1 || v.Column < 1 || v.Found == "" || v.Expected == "" || len(v.String()) > 20_000 {
			t.Fatalf("%+v", v)
		}
		if i > 0 && v.offset < e.Violations[i-1].offset {
			t.Fatalf("violations are not in order: %v", e)
		}
	}
	if strings.ContainsFunc(strings.ReplaceAll(e.Error(), "\n", ""), func(r rune) bool { return r < ' ' }) {
		t.Fatalf("a control character in %q", e.Error())
	}
}
