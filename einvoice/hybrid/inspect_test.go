package hybrid

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa"
	"platen.dev/document/pdfa/cos"
	"platen.dev/document/pdfa/pack"
	"platen.dev/einvoice"
	"platen.dev/events/testkit"
)

func deflated(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestInspectHostile checks that files whose shared parts make the work grow without bound are refused.
func TestInspectHostile(t *testing.T) {
	testkit.Long(t)
	head := "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[4 0 R]>>\nendobj\n"
	tail := "trailer\n<</Root 1 0 R>>\nstartxref\n0\n%%EOF"
	stream := func(number int, dict, content string) string {
		packed := deflated(t, content)
		return fmt.Sprintf("%d 0 obj\n<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n", number, dict, len(packed), packed)
	}
	var same strings.Builder // many objects, at one place
	const objects, big = 100_000, 4 << 20
	for n := range objects {
		fmt.Fprintf(&same, "%d 0 ", n+10)
	}
	first := same.Len()
	var fan strings.Builder // dictionaries of dictionaries
	for level := range 9 {
		fmt.Fprintf(&fan, "%d 0 obj\n<<", 10+level)
		for n := range 1000 {
			fmt.Fprintf(&fan, "/%d %d 0 R", n, 11+level)
		}
		fan.WriteString(">>\nendobj\n")
	}
	var pages, open strings.Builder
	pages.WriteString("2 0 obj\n<</Kids[")
	for n := range 20_000 {
		fmt.Fprintf(&pages, "%d 0 R ", n+10)
	}
	pages.WriteString("]>>\nendobj\n")
	for n := range 20_000 {
		fmt.Fprintf(&pages, "%d 0 obj\n<</Contents 3 0 R>>\nendobj\n", n+10)
		fmt.Fprintf(&open, "%d 0 obj\n<<>>stream\n", n+10)
	}
	for name, body := range map[string]string{
		"one object under many numbers": stream(3, fmt.Sprintf("/Type/ObjStm/N %d/First %d", objects, first), same.String()+"["+strings.Repeat("1 ", big/2)+"]"),
		"colour spaces in one another":  fan.String() + "5 0 obj\n<</ColorSpace 10 0 R>>\nendobj\n",
		"one content on many pages":     pages.String() + fmt.Sprintf("3 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", big, strings.Repeat("0 g ", big/4)),
		"streams without end":           open.String() + strings.Repeat(" ", 4<<20),
		"a large packet":                "1 0 obj\n<</Type/Catalog/Pages 2 0 R/Metadata 3 0 R>>\nendobj\n" + stream(3, "/Type/Metadata/Subtype/XML", "<?xpacket x?><a>"+strings.Repeat("x<!---->", 2<<20)+"</a>"),
	} {
		start := time.Now()
		in := Inspect(cos.NewSource([]byte(head + body + tail))) // without the limits, each would take minutes
		t.Logf("%s took %v", name, time.Since(start))
		if len(in.PDFA) == 0 || in.Err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// Our own file passes the inspection of foreign files.
func TestInspectOwn(t *testing.T) {
	for _, profile := range []string{"minimum", "basicwl", "basic", "en16931", "extended"} {
		pdf, err := Convert(printed(t, "rich"), invoice(t, profile))
		if err != nil {
			t.Fatal(err)
		}
		if in := Inspect(cos.NewSource(pdf)); in.Err != nil || len(in.PDFA) > 0 || len(in.Embedding) > 0 || in.Level != profiles[profile].level {
			t.Errorf("%s: %+v", profile, in)
		}
	}
}

// Findings that the checker cannot decide are doubtful; forbidden content is not.
func TestDoubtful(t *testing.T) {
	for rule, doubtful := range map[string]bool{"INFO": true, "LIMIT": true, "XMP": true, "6.6.2.3.3-8": false, "6.1.3-1": false, "6.1.7.2-1": false, "FX-FILE": false} {
		if pdfa.Doubtful(rule) != doubtful {
			t.Errorf("%s: doubtful is %v", rule, !doubtful)
		}
	}
}

// The XML of an XRechnung has its own file name, and may have its own version; under that of Factur-X its readers do not find it.
func TestInspectXRechnung(t *testing.T) {
	const guideline = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	xml := bytes.Replace(invoice(t, "en16931").XML, []byte(einvoice.Guidelines["en16931"]+"<"), []byte(guideline+"<"), 1)
	for _, c := range []struct{ name, level, version, wrong string }{
		{"xrechnung.xml", "XRECHNUNG", "1.0", ""},
		{"xrechnung.xml", "XRECHNUNG", "3.0", ""},
		{"xrechnung.xml", "XRECHNUNG", "3.0.1", "FX-VERSION"},
		{"factur-x.xml", "XRECHNUNG", "1.0", "FX-FILE"},
		{"xrechnung.xml", "EN 16931", "1.0", "FX-FILE"},
		{"factur-x.xml", "EN 16931", "1.0", "FX-LEVEL"},
		{"factur-x.xml", "EN 16931", "3.0", "FX-VERSION"},
	} {
		pdf := edited(t, goodPDF(t), func(e editing) {
			_, spec := e.typed("Filespec")
			spec["F"], spec["UF"] = types.StringLiteral(c.name), types.StringLiteral(c.name)
			raw("EmbeddedFile", func([]byte) []byte { return pack.Deflate(xml) })(e)
			xmpEdit("<fx:ConformanceLevel>EN 16931<", "<fx:ConformanceLevel>"+c.level+"<")(e)
			xmpEdit("<fx:Version>1.0<", "<fx:Version>"+c.version+"<")(e)
			xmpEdit("<fx:DocumentFileName>factur-x.xml<", "<fx:DocumentFileName>"+c.name+"<")(e)
		})
		in := Inspect(cos.NewSource(pdf))
		if c.wrong == "" && len(in.Embedding) > 0 || c.wrong != "" && (len(in.Embedding) == 0 || in.Embedding[0].Rule != c.wrong) || !bytes.Equal(in.XML, xml) {
			t.Errorf("%s as %s: %v, %v", c.name, c.level, in.Embedding, in.Err)
		}
	}
}
