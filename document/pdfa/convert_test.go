package pdfa

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"platen.dev/document"
	"platen.dev/document/xmp"
)

var now = time.Date(2026, 11, 21, 14, 30, 0, 123, time.UTC)

// printed lists PDFs that the browser printed from the pages in testdata/html. rich.pdf and tagged.pdf are the same
// page, without and with tags and outline.
var printed = []string{"plain", "rich", "tagged"}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// basePDFs returns the printed PDFs, and one of them stamped with a watermark.
func basePDFs(t testing.TB) (all [][]byte) {
	t.Helper()
	for _, name := range printed {
		all = append(all, read(t, "testdata/"+name+".pdf"))
	}
	stamped, err := document.Finish(t.Context(), all[1], document.Finishing{Overlay: all[0], Over: []int{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, stamped)
}

// archive is what most tests claim.
var archive = Claim{Part: 3}

// archived returns a document to convert to PDF/A of a part: for part 3, with an attachment and a schema.
func archived(t testing.TB, part int) Document {
	t.Helper()
	d := Document{
		Claim: Claim{Part: part},
		Title: "Rechnung 4711 – Müller & Söhne <GmbH>", Author: "Müller (Söhne) \\ GmbH", Subject: "Invoice", Language: "de", Now: now, Plain: true,
	}
	if part == 3 {
		d.Attachment = &Attachment{Name: "data.xml", Type: "text/xml", Description: "Data", Relationship: "Data", Data: []byte("<data/>")}
		d.Extensions = []xmp.Extension{{Name: "Schema for tests", Namespace: "urn:test", Prefix: "t", Properties: []xmp.Property{{Name: "Version", Type: "Text", Description: "The version", Value: "1"}}}}
	}
	return d
}

// TestConvert converts every kind of PDF to both parts, packed and plain, and validates the results with Check and qpdf.
func TestConvert(t *testing.T) {
	for _, part := range []int{2, 3} {
		for i, pdf := range basePDFs(t) {
			for _, plain := range []bool{true, false} {
				d := archived(t, part)
				d.Plain = plain
				out, err := Convert(pdf, d)
				if err != nil {
					t.Fatal(part, i, err)
				}
				if err := Check(out, d.Claim); err != nil {
					t.Errorf("part %d, PDF %d: %v", part, i, err)
				}
				if again, err := Convert(pdf, d); err != nil || !bytes.Equal(again, out) {
					t.Errorf("part %d, PDF %d: the second conversion gives other bytes, %v", part, i, err)
				}
				qpdfCheck(t, out)
			}
		}
	}
}

// Only the claims of a document are checked.
func TestClaims(t *testing.T) {
	second, err := Convert(read(t, "testdata/plain.pdf"), archived(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	for claim, want := range map[Claim][]string{
		{Part: 2}: nil, {Part: 3}: {"6.6.4-2"}, {}: nil,
	} {
		if got := rules(Check(second, claim)); !slices.Equal(got, want) {
			t.Errorf("%v: %v", claim, got)
		}
	}
	if got := rules(Check(goodPDF(t), Claim{Part: 2})); !slices.Equal(got, []string{"6.6.4-2", "6.8-5"}) {
		t.Error(got)
	}
}

// qpdfCheck checks the syntax with qpdf.
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
	for name, c := range map[string]struct {
		pdf  []byte
		want error
	}{
		"not a PDF": {[]byte("hello"), ErrInput},
		"empty":     {nil, ErrInput},
		"truncated": {good[:len(good)/2], ErrInput},
		"encrypted": {encrypted, nil},
	} {
		if _, err := Convert(c.pdf, archived(t, 3)); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConvertTwice converts a converted file: nothing of the first time remains.
func TestConvertTwice(t *testing.T) {
	twice, err := Convert(goodPDF(t), archived(t, 2))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(twice, Claim{Part: 2}); err != nil {
		t.Error(err)
	}
}

// TestMissingGlyphs checks that Check finds a printed character without a glyph.
func TestMissingGlyphs(t *testing.T) {
	out, err := Convert(read(t, "testdata/missing.pdf"), archived(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	var v *Violation
	if err := Check(out, archive); !errors.As(err, &v) || v.Rule != "6.2.11.8-1" {
		t.Error(err)
	}
}
