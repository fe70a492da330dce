package pdfa

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/document"
)

var now = time.Date(2026, 11, 21, 14, 30, 0, 123, time.UTC)

// printed are PDFs that the browser printed from the pages in testdata/html. rich.pdf and
// tagged.pdf are the same page, without and with tags and outline.
var printed = []string{"plain", "rich", "tagged"}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// basePDFs are the printed PDFs, and one of them stamped with a watermark.
func basePDFs(t testing.TB) (all [][]byte) {
	t.Helper()
	for _, name := range printed {
		all = append(all, read(t, "testdata/"+name+".pdf"))
	}
	stamped, err := document.Finish(t.Context(), all[1], document.Finishing{Overlay: all[0]})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, stamped)
}

// invoice is a valid invoice of a profile.
func invoice(t testing.TB, profile string) Invoice {
	t.Helper()
	return Invoice{
		XML: read(t, "../../einvoice/sample/"+profile+".xml"), Profile: profile,
		Title: "Rechnung 4711 – Müller & Söhne <GmbH>", Author: "Müller (Söhne) \\ GmbH", Subject: "Invoice", Language: "de", Now: now,
	}
}

// TestConvert converts every kind of PDF for every profile and validates the results with
// Check and qpdf.
func TestConvert(t *testing.T) {
	for _, profile := range slices.Sorted(maps.Keys(profiles)) {
		for i, pdf := range basePDFs(t) {
			in := invoice(t, profile)
			out, err := Convert(pdf, in)
			if err != nil {
				t.Fatal(profile, i, err)
			}
			if err := Check(out); err != nil {
				t.Errorf("%s, PDF %d: %v", profile, i, err)
			}
			if back, err := Extract(out); err != nil || !bytes.Equal(back, in.XML) {
				t.Errorf("%s, PDF %d: the extracted XML differs, %v", profile, i, err)
			}
			if level := conformanceLevel(t, out); level != profiles[profile].level {
				t.Errorf("%s, PDF %d: level %q", profile, i, level)
			}
			if again, err := Convert(pdf, in); err != nil || !bytes.Equal(again, out) {
				t.Errorf("%s, PDF %d: the second conversion gives other bytes, %v", profile, i, err)
			}
			qpdfCheck(t, out)
		}
	}
}

// qpdfCheck has qpdf check the syntax.
func qpdfCheck(t *testing.T, pdf []byte) {
	t.Helper()
	if _, err := exec.LookPath("qpdf"); err != nil {
		t.Skip("qpdf is not installed")
	}
	path := filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf: %v: %s", err, said)
	}
}

// TestConvertRefuses tests input that cannot be converted.
func TestConvertRefuses(t *testing.T) {
	good := read(t, "testdata/plain.pdf")
	encrypted, err := document.Finish(t.Context(), good, document.Finishing{Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	in := invoice(t, "basic")
	for name, c := range map[string]struct {
		pdf  []byte
		in   Invoice
		want string
	}{
		"not a PDF":     {[]byte("hello"), in, "cannot be converted"},
		"empty":         {nil, in, "cannot be converted"},
		"truncated":     {good[:len(good)/2], in, "cannot be converted"},
		"encrypted":     {encrypted, in, ""},
		"wrong profile": {good, Invoice{XML: in.XML, Profile: "comfort"}, "not a profile"},
		"no XML":        {good, Invoice{Profile: "basic"}, "no XML"},
	} {
		if _, err := Convert(c.pdf, c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConvertTwice converts a converted file: only the second invoice remains.
func TestConvertTwice(t *testing.T) {
	once, err := Convert(read(t, "testdata/plain.pdf"), invoice(t, "basic"))
	if err != nil {
		t.Fatal(err)
	}
	in := invoice(t, "extended")
	twice, err := Convert(once, in)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(twice); err != nil {
		t.Error(err)
	}
	if back, err := Extract(twice); err != nil || !bytes.Equal(back, in.XML) {
		t.Error("the first invoice remains", err)
	}
}

// TestMissingGlyphs checks that Check finds a printed character without a glyph.
func TestMissingGlyphs(t *testing.T) {
	out, err := Convert(read(t, "testdata/missing.pdf"), invoice(t, "basic"))
	if err != nil {
		t.Fatal(err)
	}
	var v *Violation
	if err := Check(out); !errors.As(err, &v) || v.Rule != "6.2.11.8-1" {
		t.Error(err)
	}
}
