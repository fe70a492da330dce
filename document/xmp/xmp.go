// Package xmp writes XMP packets (ISO 16684-1): the metadata of a PDF, beside its Info dictionary, and the standards to which it claims to conform.
package xmp

import (
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Packet holds the properties of a packet. Empty ones are left out.
type Packet struct {
	Title, Author, Subject, Keywords string
	// Creator is the program that made the source, Producer the one that made the PDF.
	Creator, Producer string
	// Date is when the file was made, to the second; a zero Date is left out.
	Date time.Time
	// PDFA is the part of ISO 19005 that the file conforms to, at level B; 0 for none.
	PDFA int
	// PDFUA is the part of ISO 14289 that the file conforms to; 0 for none.
	PDFUA int
	// Extensions are schemas beyond those of XMP, with their values. PDF/A requires their description.
	Extensions []Extension
}

// Extension is a schema of simple properties.
type Extension struct {
	// Name describes the schema.
	Name, Namespace, Prefix string
	Properties              []Property
}

// Property is a property of an Extension and its value.
type Property struct{ Name, Type, Description, Value string }

// timeFormat is the form of dates in a packet.
const timeFormat = "2006-01-02T15:04:05-07:00"

// UANamespace is the namespace in which a file claims PDF/UA (ISO 14289-1, 5).
const UANamespace = "http://www.aiim.org/pdfua/ns/id/"

// Bytes is the packet, in UTF-8.
func (p Packet) Bytes() []byte {
	var b strings.Builder
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/">` + "\n" +
		`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` + "\n")
	if p.PDFA > 0 {
		describe(&b, "pdfaid", "http://www.aiim.org/pdfa/ns/id/", [][2]string{{"part", fmt.Sprint(p.PDFA)}, {"conformance", "B"}})
	}
	p.dublinCore(&b)
	describe(&b, "pdf", "http://ns.adobe.com/pdf/1.3/", [][2]string{{"Producer", p.Producer}, {"Keywords", p.Keywords}})
	about := [][2]string{{"CreatorTool", p.Creator}}
	if !p.Date.IsZero() {
		date := p.Date.Format(timeFormat)
		about = append(about, [2]string{"CreateDate", date}, [2]string{"ModifyDate", date}, [2]string{"MetadataDate", date})
	}
	describe(&b, "xmp", "http://ns.adobe.com/xap/1.0/", about)
	p.extensions(&b)
	b.WriteString("</rdf:RDF>\n</x:xmpmeta>\n")
	b.WriteString(`<?xpacket end="r"?>`) // not to be edited in place
	return []byte(b.String())
}

// describe writes a description of the properties that have a value.
func describe(b *strings.Builder, prefix, namespace string, properties [][2]string) {
	var given strings.Builder
	for _, p := range properties {
		if p[1] != "" {
			fmt.Fprintf(&given, "<%s:%s>%s</%[1]s:%[2]s>\n", prefix, p[0], escape(p[1]))
		}
	}
	if given.Len() > 0 {
		fmt.Fprintf(b, `<rdf:Description rdf:about="" xmlns:%s="%s">`+"\n%s</rdf:Description>\n", prefix, namespace, given.String())
	}
}

func (p Packet) dublinCore(b *strings.Builder) {
	b.WriteString(`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">` + "\n<dc:format>application/pdf</dc:format>\n")
	for _, property := range [][2]string{
		{p.Title, `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:title>`},
		{p.Author, `<dc:creator><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></dc:creator>`},
		{p.Subject, `<dc:description><rdf:Alt><rdf:li xml:lang="x-default">%s</rdf:li></rdf:Alt></dc:description>`},
	} {
		if property[0] != "" {
			fmt.Fprintf(b, property[1]+"\n", escape(property[0]))
		}
	}
	b.WriteString("</rdf:Description>\n")
}

// extensions writes the schemas beyond those of XMP: first their descriptions, then their values.
func (p Packet) extensions(b *strings.Builder) {
	all := p.Extensions
	if p.PDFUA > 0 {
		all = append([]Extension{uaExtension(p.PDFUA)}, all...)
	}
	if len(all) == 0 {
		return
	}
	b.WriteString(`<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"` +
		` xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">` + "\n" +
		"<pdfaExtension:schemas><rdf:Bag>\n")
	for _, e := range all {
		e.schema(b)
	}
	b.WriteString("</rdf:Bag></pdfaExtension:schemas>\n</rdf:Description>\n")
	for _, e := range all {
		values := make([][2]string, len(e.Properties))
		for n, property := range e.Properties {
			values[n] = [2]string{property.Name, property.Value}
		}
		describe(b, e.Prefix, e.Namespace, values)
	}
}

func (e Extension) schema(b *strings.Builder) {
	fmt.Fprintf(b, `<rdf:li rdf:parseType="Resource">`+"\n<pdfaSchema:schema>%s</pdfaSchema:schema>\n"+
		"<pdfaSchema:namespaceURI>%s</pdfaSchema:namespaceURI>\n<pdfaSchema:prefix>%s</pdfaSchema:prefix>\n<pdfaSchema:property><rdf:Seq>\n",
		escape(e.Name), escape(e.Namespace), e.Prefix)
	for _, p := range e.Properties {
		fmt.Fprintf(b, `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>%s</pdfaProperty:name><pdfaProperty:valueType>%s</pdfaProperty:valueType>`+
			`<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>%s</pdfaProperty:description></rdf:li>`+"\n",
			p.Name, p.Type, escape(p.Description))
	}
	b.WriteString("</rdf:Seq></pdfaSchema:property>\n</rdf:li>\n")
}

func uaExtension(part int) Extension {
	return Extension{
		Name: "PDF/UA Universal Accessibility Schema", Namespace: UANamespace, Prefix: "pdfuaid",
		Properties: []Property{{"part", "Integer", "The part of ISO 14289 that the file conforms to", fmt.Sprint(part)}},
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape writes text as XML, with U+FFFD in place of what XML cannot hold.
func escape(text string) string {
	return escaper.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")))
}
