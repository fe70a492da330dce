package hybrid

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document"
	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/pack"
)

var now = time.Date(2026, 11, 21, 14, 30, 0, 123, time.UTC)

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// printed returns a PDF that the browser printed from a page in document/pdfa/testdata/html.
func printed(t testing.TB, name string) []byte {
	t.Helper()
	return read(t, "../../document/pdfa/testdata/"+name+".pdf")
}

// basePDFs returns printed PDFs, and one of them stamped with a watermark.
func basePDFs(t testing.TB) (all [][]byte) {
	t.Helper()
	for _, name := range []string{"plain", "rich", "tagged"} {
		all = append(all, printed(t, name))
	}
	stamped, err := document.Finish(t.Context(), all[1], document.Finishing{Overlay: all[0], Over: []int{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	return append(all, stamped)
}

// invoice returns a valid invoice of a profile.
func invoice(t testing.TB, profile string) Invoice {
	t.Helper()
	return Invoice{
		XML: read(t, "../sample/"+profile+".xml"), Profile: profile,
		Title: "Rechnung 4711 – Müller & Söhne <GmbH>", Author: "Müller (Söhne) \\ GmbH", Subject: "Invoice", Language: "de", Now: now,
	}
}

// goodPDF returns a valid hybrid invoice.
func goodPDF(t testing.TB) []byte {
	t.Helper()
	out, err := Convert(printed(t, "rich"), invoice(t, "en16931"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// editing gives a test access to the objects of a file.
type editing struct {
	*model.Context
	t *testing.T
}

// edited changes the objects of a file and writes it again.
func edited(t *testing.T, pdf []byte, change func(e editing)) []byte {
	t.Helper()
	doc, err := pdfcpu.Read(bytes.NewReader(pdf), model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	change(editing{doc, t})
	out, err := pack.Write(pack.File{Objects: doc.XRefTable, Info: *doc.Info, First: make([]byte, 16)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// typed returns the number and dictionary of the first object of a type.
func (e editing) typed(name string) (int, types.Dict) {
	for _, number := range slices.Sorted(maps.Keys(e.Table)) {
		object, err := e.Dereference(*types.NewIndirectRef(number, 0))
		if err != nil {
			e.t.Fatal(err)
		}
		d, _ := object.(types.Dict)
		if s, ok := pack.Stream(object); ok {
			d = s.Dict
		}
		if d != nil && d["Type"] == types.Name(name) {
			return number, d
		}
	}
	e.t.Fatal("no object of type " + name)
	return 0, nil
}

func (e editing) catalog() types.Dict {
	catalog, err := e.Catalog()
	if err != nil {
		e.t.Fatal(err)
	}
	return catalog
}

// set sets an entry of the first object of a type; nil deletes it.
func set(name, entry string, to types.Object) func(editing) {
	return func(e editing) {
		_, d := e.typed(name)
		if d[entry] = to; to == nil {
			delete(d, entry)
		}
	}
}

// raw replaces the bytes of the first stream of a type.
func raw(name string, change func([]byte) []byte) func(editing) {
	return func(e editing) {
		number, _ := e.typed(name)
		object, _ := e.Dereference(*types.NewIndirectRef(number, 0))
		s, _ := pack.Stream(object)
		s.Raw = change(s.Raw)
		e.Table[number].Object = s
	}
}

func xmpEdit(former, present string) func(editing) {
	return raw("Metadata", func(packet []byte) []byte {
		if !bytes.Contains(packet, []byte(former)) {
			panic("packet lacks " + former)
		}
		return bytes.Replace(packet, []byte(former), []byte(present), 1)
	})
}

// breaks are changes that violate one rule each.
var breaks = []struct {
	rule   string
	change func(editing)
}{
	{"FX-LEVEL", xmpEdit("<fx:ConformanceLevel>EN 16931", "<fx:ConformanceLevel>EN16931")},
	{"FX-LEVEL", xmpEdit("<fx:ConformanceLevel>EN 16931", "<fx:ConformanceLevel>EXTENDED")},
	{"FX-DOCUMENTFILENAME", xmpEdit("<fx:DocumentFileName>factur-x.xml", "<fx:DocumentFileName>x.xml")},
	{"FX-DOCUMENTTYPE", xmpEdit("<fx:DocumentType>INVOICE", "<fx:DocumentType>ORDER")},
	{"FX-VERSION", xmpEdit("<fx:Version>1.0", "<fx:Version>2")},
	{"FX-PREFIX", xmpEdit("<pdfaSchema:prefix>fx<", "<pdfaSchema:prefix>zf<")},
	{"FX-RELATION", set("Filespec", "AFRelationship", types.Name("Data"))},
	{"FX-NAMES", func(e editing) { delete(e.catalog(), "Names") }},
	{"FX-FILE", set("Filespec", "UF", types.StringLiteral("zugferd-invoice.xml"))},
	{"FX-DATE", set("EmbeddedFile", "Params", nil)},
	{"FX-MIME", set("EmbeddedFile", "Subtype", types.Name("application/pdf"))},
	{"FX-XML", raw("EmbeddedFile", func([]byte) []byte { return pack.Deflate([]byte("<x>")) })},
	{"FX-XML", raw("EmbeddedFile", func([]byte) []byte { return pack.Deflate([]byte("<x/>")) })},
	{"6.8-3", set("Filespec", "AFRelationship", nil)},
}

// rules returns the rules in an error, each once.
func rules(err error) (all []string) {
	var invalid *pdfa.InvalidError
	if !errors.As(err, &invalid) {
		return nil
	}
	for _, v := range invalid.Violations {
		all = append(all, v.Rule)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestCheckFinds violates one rule at a time and expects that violation and no other.
func TestCheckFinds(t *testing.T) {
	good := goodPDF(t)
	for n, b := range breaks {
		t.Run(fmt.Sprintf("%s#%d", b.rule, n), func(t *testing.T) {
			err := Check(edited(t, good, b.change))
			if got := rules(err); !slices.Equal(got, []string{b.rule}) {
				t.Errorf("%v", err)
			}
		})
	}
	if got := rules(Check(printed(t, "rich"))); !slices.Contains(got, "FX-FILE") {
		t.Error(got)
	}
}

// TestConvert converts every kind of PDF for every profile.
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
		}
	}
}

// TestConvertTwice converts a converted file: only the second invoice remains.
func TestConvertTwice(t *testing.T) {
	in := invoice(t, "extended")
	twice, err := Convert(goodPDF(t), in)
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

// TestConvertRefuses tests invoices that cannot be embedded.
func TestConvertRefuses(t *testing.T) {
	for name, in := range map[string]Invoice{"wrong profile": {XML: []byte("x"), Profile: "comfort"}, "no XML": {Profile: "basic"}} {
		if _, err := Convert(printed(t, "plain"), in); err == nil {
			t.Errorf("%s was converted", name)
		}
	}
}

// A UBL invoice is attached unchanged, in a file that does not claim to be Factur-X; each kind of file fails the check of the other.
func TestConvertUBL(t *testing.T) {
	for _, pdf := range basePDFs(t) {
		in := invoice(t, "ubl-invoice")
		in.Profile, in.UBL = "en16931", true
		out, err := Convert(pdf, in)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckUBL(out, false); err != nil {
			t.Error(err)
		}
		if err := Check(out); err == nil || !strings.Contains(err.Error(), "0 files are named factur-x.xml") {
			t.Errorf("as Factur-X: %v", err)
		}
		found, err := Read(out)
		if err != nil || found.FileName != UBLFileName || found.Relationship != "Alternative" || !bytes.Equal(found.XML, in.XML) || bytes.Contains(out, []byte("factur-x")) || bytes.Contains(out, []byte("Factur-X")) {
			t.Errorf("%q %q, %v", found.FileName, found.Relationship, err)
		}
	}
	factur, err := Convert(printed(t, "plain"), invoice(t, "en16931"))
	if err != nil {
		t.Fatal(err)
	}
	err = CheckUBL(factur, false)
	for _, want := range []string{"0 files are named invoice.xml", "UBL-FILE", "UBL-CLAIM"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is missing in %v", want, err)
		}
	}
}
