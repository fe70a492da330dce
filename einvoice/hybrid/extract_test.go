package hybrid

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document"
	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
	"platen.dev/document/pdfa/pack"
)

// TestExtractForeign extracts invoices under the names that other producers use, also from files that qpdf packed into object streams or linearised.
func TestExtractForeign(t *testing.T) {
	xml := invoice(t, "en16931").XML
	for _, name := range []string{"factur-x.xml", "ZUGFeRD-invoice.xml", "zugferd-invoice.xml", "xrechnung.xml", "Factur-X.xml"} {
		pdf := edited(t, goodPDF(t), func(e editing) {
			_, spec := e.typed("Filespec")
			spec["F"], spec["UF"] = types.StringLiteral(name), types.StringLiteral(name)
		})
		for _, level := range []int{0, 5, 9} {
			packed, err := document.Finish(t.Context(), pdf, document.Finishing{Level: level})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Extract(packed); err != nil || !bytes.Equal(got, xml) {
				t.Errorf("%s, level %d: %v", name, level, err)
			}
			if level := conformanceLevel(t, packed); level != "EN 16931" {
				t.Errorf("%s: level %q", name, level)
			}
		}
	}
}

// TestExtractRebuilds extracts from files without a valid cross-reference table.
func TestExtractRebuilds(t *testing.T) {
	good := goodPDF(t)
	at := bytes.LastIndex(good, []byte("\nxref"))
	cut := append(bytes.Clone(good[:at]), "\nstartxref\n12\n%%EOF"...)
	if got, err := Extract(cut); err != nil || !bytes.Equal(got, invoice(t, "en16931").XML) {
		t.Error(err)
	}
	shifted := append([]byte("\n\n\n"), good...)
	if got, err := Extract(shifted); err != nil || !bytes.Equal(got, invoice(t, "en16931").XML) {
		t.Error(err)
	}
}

// TestExtractRefuses checks the error for each reason why there is no invoice.
func TestExtractRefuses(t *testing.T) {
	good := goodPDF(t)
	encrypted, err := document.Finish(t.Context(), good, document.Finishing{Password: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	second := edited(t, good, func(e editing) {
		file, err1 := e.IndRefForNewObject(types.StreamDict{Dict: types.Dict{}, Raw: []byte("<x/>")})
		spec, err2 := e.IndRefForNewObject(types.Dict{"F": types.StringLiteral("factur-x.xml"), "EF": types.Dict{"F": *file}})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		e.catalog()["AF"] = append(e.catalog()["AF"].(types.Array), *spec)
	})
	other := edited(t, good, func(e editing) {
		_, spec := e.typed("Filespec")
		spec["F"], spec["UF"] = types.StringLiteral("notes.txt"), types.StringLiteral("notes.txt")
	})
	for name, c := range map[string]struct {
		pdf  []byte
		want error
		text string
	}{
		"nothing":       {nil, cos.ErrNotPDF, ""},
		"not a PDF":     {[]byte("<xml/>"), cos.ErrNotPDF, ""},
		"header only":   {[]byte("%PDF-1.7\n"), cos.ErrSyntax, ""},
		"no attachment": {printed(t, "plain"), ErrNoInvoice, "no attachments"},
		"other":         {other, ErrNoInvoice, "notes.txt"},
		"encrypted":     {encrypted, pdfa.ErrEncrypted, ""},
		"several":       {second, ErrSeveralInvoices, ""},
	} {
		if _, err := Extract(c.pdf); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// attach adds a file specification of a name whose EF has files.
func (e editing) attach(name string, files types.Dict) {
	spec, err := e.IndRefForNewObject(types.Dict{
		"Type": types.Name("Filespec"), "F": types.StringLiteral(name), "UF": types.StringLiteral(name), "AFRelationship": types.Name("Alternative"), "EF": files,
	})
	if err != nil {
		e.t.Fatal(err)
	}
	catalog := e.catalog()
	names, _ := e.DereferenceDict(catalog["Names"])
	tree, _ := e.DereferenceDict(names["EmbeddedFiles"])
	tree["Names"] = append(tree["Names"].(types.Array), types.StringLiteral(name), *spec)
	af, _ := e.DereferenceArray(catalog["AF"])
	catalog["AF"] = append(af, *spec)
}

// file adds a stream with an embedded XML.
func (e editing) file(xml []byte) types.IndirectRef {
	ref, err := e.IndRefForNewObject(types.StreamDict{
		Dict: types.Dict{
			"Type": types.Name("EmbeddedFile"), "Subtype": types.Name("text/xml"), "Filter": types.Name("FlateDecode"),
			"Params": types.Dict{"ModDate": types.StringLiteral("D:20260101000000Z")},
		},
		Raw: pack.Deflate(xml),
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return *ref
}

// A file has one invoice only if every reader finds the same: in each entry of EF, and under each name by which invoices are known.
func TestOneInvoice(t *testing.T) {
	xml, other := invoice(t, "en16931").XML, []byte("<other/>")
	embedded := func(e editing) types.Dict {
		_, spec := e.typed("Filespec")
		return spec["EF"].(types.Dict)
	}
	for name, c := range map[string]struct {
		edit    func(e editing)
		several string // what the error says; "" for none
		own     bool   // our own files may be so
	}{
		"as it was":       {func(editing) {}, "", true},
		"another F":       {func(e editing) { embedded(e)["F"] = e.file(other) }, "factur-x.xml is a different file to readers", false},
		"an equal F":      {func(e editing) { embedded(e)["F"] = e.file(xml) }, "", true},
		"another for DOS": {func(e editing) { embedded(e)["DOS"] = e.file(other) }, "factur-x.xml is a different file to readers", false},
		"another F in a second specification": {
			func(e editing) { e.attach("notes.txt", types.Dict{"UF": embedded(e)["UF"], "F": e.file(other)}) },
			"factur-x.xml is a different file to readers", false,
		},
		"many equal ones": {
			func(e editing) {
				for range maxOthers + 1 {
					e.attach("notes.txt", types.Dict{"UF": embedded(e)["UF"], "F": e.file(xml)})
				}
			}, "factur-x.xml is more than 5 files", false,
		},
		"another name": {
			func(e editing) { f := e.file(other); e.attach("XRechnung.xml", types.Dict{"F": f, "UF": f}) },
			"factur-x.xml and XRechnung.xml are different", true, // it is not compared with our own names
		},
		"another name of an equal file": {func(e editing) { f := e.file(xml); e.attach("zugferd-invoice.xml", types.Dict{"F": f, "UF": f}) }, "", true},
		"a name that any file may have": {func(e editing) { f := e.file(other); e.attach("invoice.xml", types.Dict{"F": f, "UF": f}) }, "", true},
	} {
		pdf := edited(t, goodPDF(t), c.edit)
		got, err := Extract(pdf)
		if c.several == "" != (err == nil) || err != nil && (!errors.Is(err, ErrSeveralInvoices) || !strings.Contains(err.Error(), c.several)) || err == nil && !bytes.Equal(got, xml) {
			t.Errorf("%s: %v", name, err)
		}
		if in := Inspect(cos.NewSource(pdf)); c.several == "" && in.Err != nil || c.several != "" && !errors.Is(in.Err, ErrSeveralInvoices) {
			t.Errorf("%s: the inspection says %v", name, in.Err)
		}
		if err := Check(pdf); err == nil != c.own || err != nil && !strings.Contains(err.Error(), "FX-FILE") {
			t.Errorf("%s: our own check says %v", name, err)
		}
	}
}

// Many attachments may share one long name, of which each keeps a part.
func TestLongNames(t *testing.T) {
	const attachments = 200
	var names, streams strings.Builder
	for n := range attachments {
		fmt.Fprintf(&names, "()<</EF<</F %d 0 R>>/UF 2 0 R>>", n+3)
		fmt.Fprintf(&streams, "%d 0 obj\n<</Length 0>>\nstream\n\nendstream\nendobj\n", n+3)
	}
	pdf := "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Names<</EmbeddedFiles<</Names[" + names.String() + "]>>>>>>\nendobj\n2 0 obj\n(" +
		strings.Repeat("\xe9", 1<<20) + ")\nendobj\n" + streams.String() + "trailer\n<</Root 1 0 R>>\n"
	file, err := cos.NewSource([]byte(pdf)).Open()
	if err != nil {
		t.Fatal(err)
	}
	all := attachmentsOf(file)
	for _, a := range all {
		if want := strings.Repeat("é", maxName); a.name != want {
			t.Fatalf("a name has %d bytes, want %d", len(a.name), len(want))
		}
	}
	if len(all) != attachments {
		t.Errorf("%d attachments", len(all))
	}
}

// TestExtractBomb checks the limit of decoded bytes with a small file that decodes to many.
func TestExtractBomb(t *testing.T) {
	var zeros bytes.Buffer
	w := zlib.NewWriter(&zeros)
	for range 4 {
		w.Write(make([]byte, 1<<20))
	}
	w.Close()
	pdf := edited(t, goodPDF(t), raw("EmbeddedFile", func([]byte) []byte { return zeros.Bytes() }))
	file, err := cos.Open(pdf, cos.Limits{Objects: 1000, Decoded: 3 << 20})
	if err != nil {
		t.Fatal(err)
	}
	a, err := findInvoice(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Decode(a.stream); !errors.Is(err, cos.ErrLimit) {
		t.Error(err)
	}
}

// TestExtractHostile checks that files with loops and deep nesting are refused quickly.
func TestExtractHostile(t *testing.T) {
	head := "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Names<</EmbeddedFiles 2 0 R>>/AF 3 0 R/Metadata 4 0 R>>\nendobj\n"
	tail := "trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF"
	for name, body := range map[string]string{
		"tree in itself":    "2 0 obj\n<</Kids[2 0 R 2 0 R 2 0 R 2 0 R 2 0 R 2 0 R]>>\nendobj\n",
		"reference loop":    "2 0 obj\n3 0 R\nendobj\n3 0 obj\n2 0 R\nendobj\n",
		"length of itself":  "4 0 obj\n<</Length 4 0 R>>\nstream\nx\nendstream\nendobj\n",
		"deep array":        "2 0 obj\n" + strings.Repeat("[", 1<<20) + "\nendobj\n",
		"deep dictionaries": "2 0 obj\n" + strings.Repeat("<</A", 1<<18) + "\nendobj\n",
		"open string":       "2 0 obj\n(" + strings.Repeat("(", 1<<20) + "\nendobj\n",
		"object stream of itself": "5 0 obj\n<</Type/ObjStm/N 2/First 8/Length 20>>\nstream\n" +
			"5 0 6 2 1 2 3 4 5 6 \nendstream\nendobj\n",
		"many objects": strings.Repeat("9 0 obj\n", 1<<17),
		"xref loop":    "xref\n0 1\n0000000000 65535 f \ntrailer<</Root 1 0 R/Prev 105>>",
	} {
		start := time.Now()
		_, err := Extract([]byte(head + body + tail))
		if err == nil {
			t.Errorf("%s was accepted", name)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// conformanceLevel returns the level declared in a file's XMP packet.
func conformanceLevel(t *testing.T, pdf []byte) string {
	t.Helper()
	file, err := openUntrusted(cos.NewSource(pdf))
	if err != nil {
		t.Fatal(err)
	}
	catalog, _ := file.Catalog()
	packet, err := file.Decode(file.Resolve(catalog["Metadata"]).(*cos.Stream))
	if err != nil {
		t.Fatal(err)
	}
	_, level, _ := strings.Cut(string(packet), "<fx:ConformanceLevel>")
	level, _, _ = strings.Cut(level, "<")
	return level
}

// FuzzExtract looks for input on which Extract or Check panics.
func FuzzExtract(f *testing.F) {
	f.Add(goodPDF(f))
	f.Add(printed(f, "missing"))
	f.Add([]byte("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>"))
	f.Fuzz(func(t *testing.T, pdf []byte) {
		_, err := Extract(pdf)
		if err != nil && strings.Contains(err.Error(), "broken PDF") {
			t.Error(err) // a panic
		}
		if err := Check(pdf); err != nil && strings.Contains(err.Error(), "broken file") {
			t.Error(err)
		}
	})
}

func Example() {
	_, err := Extract([]byte("hello"))
	fmt.Println(err)
	// Output: not a PDF
}
