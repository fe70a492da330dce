package pdfa

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
	"platen.dev/document/pdfa/cos"
)

// TestExtractForeign extracts invoices under the names that other producers use, also from
// files in which qpdf has made object streams or which it has linearised.
func TestExtractForeign(t *testing.T) {
	xml := invoice(t, "en16931").XML
	for _, name := range []string{"factur-x.xml", "ZUGFeRD-invoice.xml", "zugferd-invoice.xml", "xrechnung.xml", "Factur-X.xml"} {
		pdf := broken(t, goodPDF(t), func(c *conversion, _ types.Dict) {
			spec := c.first("Type", "Filespec")
			spec["F"], spec["UF"] = types.StringLiteral(name), textString(name)
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
	second := broken(t, good, func(c *conversion, catalog types.Dict) {
		file := c.add(types.StreamDict{Dict: types.Dict{}, Raw: []byte("<x/>")})
		spec := c.add(types.Dict{"F": types.StringLiteral("factur-x.xml"), "EF": types.Dict{"F": file}})
		catalog["AF"] = append(catalog["AF"].(types.Array), spec)
	})
	other := broken(t, good, func(c *conversion, _ types.Dict) {
		spec := c.first("Type", "Filespec")
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
		"no attachment": {read(t, "testdata/plain.pdf"), ErrNoInvoice, "no attachments"},
		"other":         {other, ErrNoInvoice, "notes.txt"},
		"encrypted":     {encrypted, ErrEncrypted, ""},
		"several":       {second, ErrSeveralInvoices, ""},
	} {
		if _, err := Extract(c.pdf); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
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
	pdf := broken(t, goodPDF(t), func(c *conversion, _ types.Dict) {
		number := c.number("Type", "EmbeddedFile")
		s := c.object(number).(types.StreamDict)
		s.Raw = zeros.Bytes()
		c.Table[number].Object = s
	})
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

// conformanceLevel is the level that the XMP packet of a file declares.
func conformanceLevel(t *testing.T, pdf []byte) string {
	t.Helper()
	file, err := openUntrusted(pdf)
	if err != nil {
		t.Fatal(err)
	}
	catalog, _ := file.Catalog()
	packet, err := file.Decode(file.Resolve(catalog["Metadata"]).(*cos.Stream))
	if err != nil {
		t.Fatal(err)
	}
	top, err := parseXMP(packet)
	if err != nil {
		t.Fatal(err)
	}
	return newXMPData(properties(top)).get(fxNamespace, "ConformanceLevel")
}

// FuzzExtract looks for input on which Extract or Check panics.
func FuzzExtract(f *testing.F) {
	f.Add(goodPDF(f))
	f.Add(read(f, "testdata/missing.pdf"))
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
