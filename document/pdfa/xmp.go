package pdfa

import (
	"fmt"
	"strings"
	"time"
)

// fxNamespace is the namespace of Factur-X in XMP. Its prefix must be fx (Factur-X 1.08,
// 6.3).
const fxNamespace = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"

// fxProperties are the properties of the extension schema, with their descriptions.
var fxProperties = [][2]string{
	{"DocumentFileName", "The name of the embedded XML document"},
	{"DocumentType", "The type of the hybrid document in capital letters, e.g. INVOICE or ORDER"},
	{"Version", "The actual version of the standard applying to the embedded XML document"},
	{"ConformanceLevel", "The conformance level of the embedded XML document"},
}

const xmpTime = "2006-01-02T15:04:05-07:00"

// xmpPacket has the same values as Info, identifies the document as PDF/A-3b, and describes
// the embedded invoice. The properties for that need an extension schema (6.6.2.3).
func xmpPacket(in Invoice, level string) []byte {
	var b strings.Builder
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/">` + "\n" +
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` + "\n")
	writeDescription(&b, "pdfaid", "http://www.aiim.org/pdfa/ns/id/", [][2]string{{"part", "3"}, {"conformance", "B"}})
	writeDublinCore(&b, in)
	about := [][2]string{{"Producer", producer}}
	if in.Keywords != "" {
		about = append(about, [2]string{"Keywords", in.Keywords})
	}
	writeDescription(&b, "pdf", "http://ns.adobe.com/pdf/1.3/", about)
	now := in.Now.Format(xmpTime)
	writeDescription(&b, "xmp", "http://ns.adobe.com/xap/1.0/", [][2]string{
		{"CreatorTool", in.Creator},
		{"CreateDate", now},
		{"ModifyDate", now},
		{"MetadataDate", now},
	})
	writeExtensionSchema(&b)
	writeDescription(&b, "fx", fxNamespace, [][2]string{
		{"DocumentType", "INVOICE"},
		{"DocumentFileName", FileName},
		{"Version", "1.0"},
		{"ConformanceLevel", level},
	})
	b.WriteString("</rdf:RDF>\n</x:xmpmeta>\n")
	b.WriteString(strings.Repeat(strings.Repeat(" ", 99)+"\n", 20)) // padding for edits in place, as XMP recommends
	b.WriteString(`<?xpacket end="w"?>`)
	return []byte(b.String())
}

func writeDescription(b *strings.Builder, prefix, namespace string, properties [][2]string) {
	fmt.Fprintf(b, `<rdf:Description rdf:about="" xmlns:%s="%s">`+"\n", prefix, namespace)
	for _, p := range properties {
		fmt.Fprintf(b, "<%s:%s>%s</%[1]s:%[2]s>\n", prefix, p[0], escapeXML(p[1]))
	}
	b.WriteString("</rdf:Description>\n")
}

func writeDublinCore(b *strings.Builder, in Invoice) {
	b.WriteString(`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">` + "\n<dc:format>application/pdf</dc:format>\n")
	alt := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, `<dc:%s><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:%[1]s>`+"\n", name, escapeXML(text))
		}
	}
	alt("title", in.Title)
	if in.Author != "" {
		fmt.Fprintf(b, "<dc:creator><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></dc:creator>\n", escapeXML(in.Author))
	}
	alt("description", in.Subject)
	b.WriteString("</rdf:Description>\n")
}

func writeExtensionSchema(b *strings.Builder) {
	b.WriteString(`<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"` +
		` xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">` + "\n" +
		`<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">` + "\n" +
		"<pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>\n" +
		"<pdfaSchema:namespaceURI>" + fxNamespace + "</pdfaSchema:namespaceURI>\n" +
		"<pdfaSchema:prefix>fx</pdfaSchema:prefix>\n<pdfaSchema:property><rdf:Seq>\n")
	for _, p := range fxProperties {
		fmt.Fprintf(b, `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>%s</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>`+
			`<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>%s</pdfaProperty:description></rdf:li>`+"\n", p[0], p[1])
	}
	b.WriteString("</rdf:Seq></pdfaSchema:property>\n</rdf:li></rdf:Bag></pdfaExtension:schemas>\n</rdf:Description>\n")
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escapeXML(text string) string { return escaper.Replace(text) }

// pdfDate formats a time in UTC as a PDF date (7.9.4).
func pdfDate(t time.Time) string { return t.Format("D:20060102150405+00'00'") }
