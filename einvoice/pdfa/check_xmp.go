package pdfa

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"platen.dev/einvoice/markup"
	"platen.dev/einvoice/pdfa/cos"
)

// Namespaces of XMP.
const (
	rdfSpace       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	idSpace        = "http://www.aiim.org/pdfa/ns/id/"
	dcSpace        = "http://purl.org/dc/elements/1.1/"
	pdfSpace       = "http://ns.adobe.com/pdf/1.3/"
	xmpSpace       = "http://ns.adobe.com/xap/1.0/"
	extensionSpace = "http://www.aiim.org/pdfa/ns/extension/"
	schemaSpace    = "http://www.aiim.org/pdfa/ns/schema#"
	propertySpace  = "http://www.aiim.org/pdfa/ns/property#"
)

// predefined are the properties that need no declaration (XMP 2005; ISO 19005-3,
// 6.6.4). Of the first three namespaces these are all.
var predefined = map[string]string{
	idSpace:                           " part conformance amd corr ",
	dcSpace:                           " contributor coverage creator date description format identifier language publisher relation rights source subject title type ",
	pdfSpace:                          " Keywords PDFVersion Producer Trapped ",
	xmpSpace:                          " Advisory BaseURL CreateDate CreatorTool Identifier Label MetadataDate ModifyDate Nickname Rating Thumbnails ",
	"http://ns.adobe.com/xap/1.0/mm/": " DerivedFrom DocumentID History InstanceID ManagedFrom Manager ManageTo ManageUI ManagerVariant RenditionClass RenditionParams VersionID Versions LastURL RenditionOf SaveID ",
}

// element is an element of the packet.
type element struct {
	name     markup.Name
	parent   *element
	children []*element
	text     string
}

// xmpData are the simple properties of a packet, by namespace and name.
type xmpData struct {
	values   map[[2]string]string
	prefixes map[[2]string]string
}

func (x xmpData) get(space, name string) string { return x.values[[2]string{space, name}] }

// parseXMP reads a packet into its elements, attributes being as good as elements.
func parseXMP(packet []byte) (*element, error) {
	text, fault := markup.Decode(packet)
	if fault != nil {
		return nil, fmt.Errorf("byte %d: %s, not %s", fault.Offset, fault.Found, fault.Expected)
	}
	top := &element{}
	at := top
	for r := markup.NewReader(text); ; {
		token, fault := r.Next()
		if fault != nil {
			return nil, fmt.Errorf("byte %d: %s, not %s", fault.Offset, fault.Found, fault.Expected)
		}
		switch token.Kind {
		case markup.Over:
			return top, nil
		case markup.Start:
			next := &element{name: token.Name, parent: at}
			for _, a := range token.Attributes {
				if a.Name.Space != "" && a.Name.Space != rdfSpace && a.Name.Prefix != "xml" {
					next.children = append(next.children, &element{name: a.Name, parent: next, text: a.Value})
				}
			}
			at.children = append(at.children, next)
			at = next
		case markup.End:
			at = at.parent
		case markup.Text:
			at.text += token.Text
		}
	}
}

// find are the elements of a name at any depth.
func (e *element) find(space, local string) (all []*element) {
	for _, child := range e.children {
		if child.name.Space == space && child.name.Local == local {
			all = append(all, child)
			continue
		}
		all = append(all, child.find(space, local)...)
	}
	return all
}

// plain is the text of an element, or of the only item of the list in it.
func (e *element) plain() string {
	if items := e.find(rdfSpace, "li"); len(items) == 1 {
		return items[0].text
	}
	return strings.TrimSpace(e.text)
}

// properties are those of all descriptions.
func properties(top *element) (all []*element) {
	for _, rdf := range top.find(rdfSpace, "RDF") {
		for _, description := range rdf.children {
			all = append(all, description.children...)
		}
	}
	return all
}

func simpleProperties(all []*element) xmpData {
	x := xmpData{map[[2]string]string{}, map[[2]string]string{}}
	for _, p := range all {
		key := [2]string{p.name.Space, p.name.Local}
		x.values[key], x.prefixes[key] = p.plain(), p.name.Prefix
	}
	return x
}

var packetHead = regexp.MustCompile(`^<\?xpacket\s([^?]*)\?>`)

// metadata looks at the XMP packet (6.6) and whether Info agrees with it.
func (i *inspection) metadata() {
	s, ok := i.file.Resolve(i.catalog["Metadata"]).(*cos.Stream)
	if !ok || i.name(s.Dict["Type"]) != "Metadata" || i.name(s.Dict["Subtype"]) != "XML" {
		i.report("6.6.2.1-1", "catalogue has no metadata")
		return
	}
	packet, err := i.file.Decode(s)
	head := packetHead.FindSubmatch(packet)
	if err != nil || head == nil {
		i.report("6.6.2.1-4", "metadata is no XMP packet")
		return
	}
	i.when(bytes.Contains(head[1], []byte("bytes=")), "6.6.2.1-2", "packet has the attribute bytes")
	i.when(bytes.Contains(head[1], []byte("encoding=")), "6.6.2.1-3", "packet has the attribute encoding")
	if !utf8.Valid(packet) {
		i.report("6.6.2.1-5", "packet is not in UTF-8")
		return
	}
	top, err := parseXMP(packet)
	if err != nil {
		i.report("6.6.2.1-4", "packet is not well-formed: %v", err)
		return
	}
	all := properties(top)
	i.xmp = simpleProperties(all)
	i.identification()
	i.declared(all, i.extensions(top))
	i.agreement()
}

func (i *inspection) identification() {
	part, conformance := i.xmp.get(idSpace, "part"), i.xmp.get(idSpace, "conformance")
	i.when(part == "" && conformance == "", "6.6.4-1", "packet has no PDF/A identification")
	i.when(part != "" && part != "3" || part == "" && conformance != "", "6.6.4-2", "part is %q", part)
	i.when(part != "" && conformance != "B", "6.6.4-3", "conformance is %q", conformance)
	for n, name := range []string{"part", "conformance", "amd", "corr"} {
		prefix, there := i.xmp.prefixes[[2]string{idSpace, name}]
		i.when(there && prefix != "pdfaid", fmt.Sprintf("6.6.4-%d", 4+n), "%s has the prefix %q", name, prefix)
	}
}

// extensions are the properties that extension schemas declare (6.6.2.3.3).
func (i *inspection) extensions(top *element) map[[2]string]bool {
	declared := map[[2]string]bool{}
	for _, container := range top.find(extensionSpace, "schemas") {
		i.when(container.name.Prefix != "pdfaExtension" || len(container.children) != 1 || container.children[0].name.Local != "Bag",
			"6.6.2.3.3-1", "extension schemas are no bag with the prefix pdfaExtension")
		for _, bag := range container.children {
			for _, schema := range bag.children {
				i.schema(schema, declared)
			}
		}
	}
	return declared
}

// field is the text of an element's child; it must be there, with the right prefix.
func (i *inspection) field(e *element, space, prefix, name, rule string) string {
	for _, child := range e.children {
		if child.name.Space == space && child.name.Local == name {
			i.when(child.name.Prefix != prefix, rule, "%s has the prefix %q", name, child.name.Prefix)
			if text := strings.TrimSpace(child.text); text != "" {
				return text
			}
		}
	}
	i.report(rule, "extension schema has no %s:%s", prefix, name)
	return ""
}

func (i *inspection) schema(e *element, declared map[[2]string]bool) {
	i.field(e, schemaSpace, "pdfaSchema", "schema", "6.6.2.3.3-2")
	space := i.field(e, schemaSpace, "pdfaSchema", "namespaceURI", "6.6.2.3.3-3")
	prefix := i.field(e, schemaSpace, "pdfaSchema", "prefix", "6.6.2.3.3-4")
	i.when(space == fxNamespace && prefix != "fx" && prefix != "", "FX-PREFIX", "extension schema has the prefix %q", prefix)
	for _, child := range e.children {
		i.when(child.name.Space != schemaSpace || !slices.Contains([]string{"schema", "namespaceURI", "prefix", "property", "valueType"}, child.name.Local),
			"6.6.2.3.2-1", "extension schema has the field %s", child.name.Local)
	}
	for _, list := range e.find(schemaSpace, "property") {
		if list.name.Prefix != "pdfaSchema" || len(list.children) != 1 || list.children[0].name.Local != "Seq" {
			i.report("6.6.2.3.3-5", "properties of an extension schema are no sequence")
			continue
		}
		for _, property := range list.children[0].children {
			declared[[2]string{space, i.schemaProperty(property)}] = true
		}
	}
}

func (i *inspection) schemaProperty(e *element) string {
	name := i.field(e, propertySpace, "pdfaProperty", "name", "6.6.2.3.3-7")
	kind := i.field(e, propertySpace, "pdfaProperty", "valueType", "6.6.2.3.3-8")
	i.when(kind != "" && kind != "Text", "6.6.2.3.3-8", "value type %q is not known here", kind)
	category := i.field(e, propertySpace, "pdfaProperty", "category", "6.6.2.3.3-9")
	i.when(category != "" && category != "external" && category != "internal", "6.6.2.3.3-9", "category is %q", category)
	i.field(e, propertySpace, "pdfaProperty", "description", "6.6.2.3.3-10")
	return name
}

// declared asks that every property is known or declared (6.6.2.3.1).
func (i *inspection) declared(all []*element, extra map[[2]string]bool) {
	for _, p := range all {
		space, name := p.name.Space, p.name.Local
		if space == extensionSpace || strings.Contains(predefined[space], " "+name+" ") || extra[[2]string{space, name}] {
			continue
		}
		i.report("6.6.2.3.1-1", "property %s:%s is not declared", p.name.Prefix, name)
	}
	for _, name := range []string{"CreateDate", "ModifyDate", "MetadataDate"} {
		if date := i.xmp.get(xmpSpace, name); date != "" {
			_, err := time.Parse(xmpTime, date)
			i.when(err != nil, "6.6.2.3.1-2", "%s is %q", name, date)
		}
	}
}

// agreement asks that Info says what the packet says. PDF/A-3 does not demand it; those
// who check invoices do.
func (i *inspection) agreement() {
	info := i.file.Dict(i.file.Trailer["Info"])
	for key, property := range map[cos.Name][2]string{
		"Title": {dcSpace, "title"}, "Author": {dcSpace, "creator"}, "Subject": {dcSpace, "description"}, "Keywords": {pdfSpace, "Keywords"},
		"Producer": {pdfSpace, "Producer"}, "Creator": {xmpSpace, "CreatorTool"},
	} {
		a, b := textOf(i.file.Resolve(info[key])), i.xmp.get(property[0], property[1])
		i.when(a != b, "FX-INFO", "%s is %.60q, in XMP %.60q", string(key), a, b)
	}
	for key, name := range map[cos.Name]string{"CreationDate": "CreateDate", "ModDate": "ModifyDate"} {
		a := textOf(i.file.Resolve(info[key]))
		b, err := time.Parse(xmpTime, i.xmp.get(xmpSpace, name))
		i.when(a != "" && (err != nil || a != pdfDate(b.UTC())), "FX-INFO", "%s is %.60q, in XMP %.60q", string(key), a, i.xmp.get(xmpSpace, name))
	}
}

// textOf is a text string (7.9.2.2) as Go has it; of PDFDocEncoding, only what it shares with Latin-1.
func textOf(value any) string {
	s, ok := value.(cos.String)
	if !ok {
		return ""
	}
	b := []byte(s)
	switch {
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		units := make([]uint16, 0, len(b)/2)
		for b = b[2:]; len(b) > 1; b = b[2:] {
			units = append(units, uint16(b[0])<<8|uint16(b[1]))
		}
		return string(utf16.Decode(units))
	case bytes.HasPrefix(b, []byte("\ufeff")):
		return string(b[3:])
	}
	runes := make([]rune, len(b))
	for n, c := range b {
		runes[n] = rune(c)
	}
	return string(runes)
}
