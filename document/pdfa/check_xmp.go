package pdfa

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"platen.dev/document/markup"
	"platen.dev/document/pdfa/cos"
	"platen.dev/document/xmp"
)

// Namespaces in XMP packets.
const (
	rdfNamespace       = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	pdfaidNamespace    = "http://www.aiim.org/pdfa/ns/id/"
	dcNamespace        = "http://purl.org/dc/elements/1.1/"
	pdfNamespace       = "http://ns.adobe.com/pdf/1.3/"
	xmpNamespace       = "http://ns.adobe.com/xap/1.0/"
	extensionNamespace = "http://www.aiim.org/pdfa/ns/extension/"
	schemaNamespace    = "http://www.aiim.org/pdfa/ns/schema#"
	propertyNamespace  = "http://www.aiim.org/pdfa/ns/property#"
)

// predefined are the properties that need no extension schema (XMP 2005; ISO 19005-3,
// 6.6.4). For the first three namespaces the lists are complete.
var predefined = map[string]string{
	pdfaidNamespace:                   " part conformance amd corr ",
	dcNamespace:                       " contributor coverage creator date description format identifier language publisher relation rights source subject title type ",
	pdfNamespace:                      " Keywords PDFVersion Producer Trapped ",
	xmpNamespace:                      " Advisory BaseURL CreateDate CreatorTool Identifier Label MetadataDate ModifyDate Nickname Rating Thumbnails ",
	"http://ns.adobe.com/xap/1.0/mm/": " DerivedFrom DocumentID History InstanceID ManagedFrom Manager ManageTo ManageUI ManagerVariant RenditionClass RenditionParams VersionID Versions LastURL RenditionOf SaveID ",
}

// element is an element or attribute of a packet.
type element struct {
	name     markup.Name
	parent   *element
	children []*element
	text     string
}

// xmpData has the simple values and the prefixes of the properties of a packet, by
// namespace and name.
type xmpData struct {
	values   map[[2]string]string
	prefixes map[[2]string]string
}

func (x xmpData) get(space, name string) string { return x.values[[2]string{space, name}] }

// parseXMP parses a packet. Attributes become elements, as both denote properties in RDF.
func parseXMP(packet []byte) (*element, error) {
	text, fault := markup.Decode(packet)
	if fault != nil {
		return nil, fmt.Errorf("byte %d: found %s; expected %s", fault.Offset, fault.Found, fault.Expected)
	}
	top := &element{}
	at := top
	for r := markup.NewReader(text); ; {
		token, fault := r.Next()
		if fault != nil {
			return nil, fmt.Errorf("byte %d: found %s; expected %s", fault.Offset, fault.Found, fault.Expected)
		}
		switch token.Kind {
		case markup.EndDocument:
			return top, nil
		case markup.StartElement:
			next := &element{name: token.Name, parent: at}
			for _, a := range token.Attributes {
				if a.Name.Space != "" && a.Name.Space != rdfNamespace && a.Name.Prefix != "xml" {
					next.children = append(next.children, &element{name: a.Name, parent: next, text: a.Value})
				}
			}
			at.children = append(at.children, next)
			at = next
		case markup.EndElement:
			at = at.parent
		case markup.Text:
			at.text += token.Text
		}
	}
}

// find returns the outermost descendants with a name.
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

// simpleValue is the text of an element, or of the only item of its list.
func (e *element) simpleValue() string {
	if items := e.find(rdfNamespace, "li"); len(items) == 1 {
		return items[0].text
	}
	return strings.TrimSpace(e.text)
}

// properties are the properties in all descriptions.
func properties(top *element) (all []*element) {
	for _, rdf := range top.find(rdfNamespace, "RDF") {
		for _, description := range rdf.children {
			all = append(all, description.children...)
		}
	}
	return all
}

func newXMPData(all []*element) xmpData {
	x := xmpData{map[[2]string]string{}, map[[2]string]string{}}
	for _, p := range all {
		key := [2]string{p.name.Space, p.name.Local}
		x.values[key], x.prefixes[key] = p.simpleValue(), p.name.Prefix
	}
	return x
}

// maxPacket bounds the XMP packets that are read, in bytes: some kilobytes are usual.
const maxPacket = 1 << 20

var packetHead = regexp.MustCompile(`^<\?xpacket\s([^?]*)\?>`)

// metadata checks the XMP packet (6.6), and that Info agrees with it.
func (c *checker) metadata() {
	s, ok := c.file.Resolve(c.catalog["Metadata"]).(*cos.Stream)
	if !ok || c.name(s.Dict["Type"]) != "Metadata" || c.name(s.Dict["Subtype"]) != "XML" {
		c.report("6.6.2.1-1", "the catalog has no metadata")
		return
	}
	packet, err := c.file.Decode(s)
	head := packetHead.FindSubmatch(packet)
	if err != nil || head == nil || len(packet) > maxPacket {
		c.report("6.6.2.1-4", "the metadata is not an XMP packet of up to %d bytes", maxPacket)
		return
	}
	c.reportIf(bytes.Contains(head[1], []byte("bytes=")), "6.6.2.1-2", "the packet has the attribute bytes")
	c.reportIf(bytes.Contains(head[1], []byte("encoding=")), "6.6.2.1-3", "the packet has the attribute encoding")
	if !utf8.Valid(packet) {
		c.report("6.6.2.1-5", "the packet is not in UTF-8")
		return
	}
	top, err := parseXMP(packet)
	if err != nil {
		c.report("6.6.2.1-4", "the packet is not well-formed: %v", err)
		return
	}
	all := properties(top)
	c.xmp = newXMPData(all)
	c.identification()
	c.declaredProperties(all, c.extensionSchemas(top))
	c.infoAgreement()
}

func (c *checker) identification() {
	part, conformance := c.xmp.get(pdfaidNamespace, "part"), c.xmp.get(pdfaidNamespace, "conformance")
	c.reportIf(part == "" && conformance == "", "6.6.4-1", "the packet has no PDF/A identification")
	c.reportIf(part != "" && part != fmt.Sprint(c.claim.Part) || part == "" && conformance != "", "6.6.4-2", "part is %q", part)
	level := conformance == "B" || c.foreign && (conformance == "A" || conformance == "U")
	c.reportIf(part != "" && !level, "6.6.4-3", "conformance is %q", conformance)
	for n, name := range []string{"part", "conformance", "amd", "corr"} {
		prefix, present := c.xmp.prefixes[[2]string{pdfaidNamespace, name}]
		c.reportIf(present && prefix != "pdfaid", fmt.Sprintf("6.6.4-%d", 4+n), "%s has the prefix %q", name, prefix)
	}
}

// extensionSchemas checks the extension schemas and returns the properties that they
// declare (6.6.2.3.3).
func (c *checker) extensionSchemas(top *element) map[[2]string]bool {
	declared := map[[2]string]bool{}
	c.schemas = map[string]string{}
	for _, container := range top.find(extensionNamespace, "schemas") {
		c.reportIf(container.name.Prefix != "pdfaExtension" || len(container.children) != 1 || container.children[0].name.Local != "Bag",
			"6.6.2.3.3-1", "the extension schemas are not one bag with the prefix pdfaExtension")
		for _, bag := range container.children {
			for _, schema := range bag.children {
				c.extensionSchema(schema, declared)
			}
		}
	}
	return declared
}

// field is the text of a child element, which must be present and have the right prefix.
func (c *checker) field(e *element, space, prefix, name, rule string) string {
	for _, child := range e.children {
		if child.name.Space == space && child.name.Local == name {
			c.reportIf(child.name.Prefix != prefix, rule, "%s has the prefix %q", name, child.name.Prefix)
			if text := strings.TrimSpace(child.text); text != "" {
				return text
			}
		}
	}
	c.report(rule, "an extension schema has no %s:%s", prefix, name)
	return ""
}

func (c *checker) extensionSchema(e *element, declared map[[2]string]bool) {
	c.field(e, schemaNamespace, "pdfaSchema", "schema", "6.6.2.3.3-2")
	space := c.field(e, schemaNamespace, "pdfaSchema", "namespaceURI", "6.6.2.3.3-3")
	prefix := c.field(e, schemaNamespace, "pdfaSchema", "prefix", "6.6.2.3.3-4")
	c.schemas[space] = prefix
	for _, child := range e.children {
		c.reportIf(child.name.Space != schemaNamespace || !slices.Contains([]string{"schema", "namespaceURI", "prefix", "property", "valueType"}, child.name.Local),
			"6.6.2.3.2-1", "an extension schema has the field %s", child.name.Local)
	}
	for _, list := range e.find(schemaNamespace, "property") {
		if list.name.Prefix != "pdfaSchema" || len(list.children) != 1 || list.children[0].name.Local != "Seq" {
			c.report("6.6.2.3.3-5", "the properties of an extension schema are not one sequence")
			continue
		}
		for _, property := range list.children[0].children {
			declared[[2]string{space, c.schemaProperty(property)}] = true
		}
	}
}

func (c *checker) schemaProperty(e *element) string {
	name := c.field(e, propertyNamespace, "pdfaProperty", "name", "6.6.2.3.3-7")
	kind := c.field(e, propertyNamespace, "pdfaProperty", "valueType", "6.6.2.3.3-8")
	c.reportIf(kind != "" && kind != "Text" && kind != "Integer", "6.6.2.3.3-8", "the value type %q is not supported", kind)
	category := c.field(e, propertyNamespace, "pdfaProperty", "category", "6.6.2.3.3-9")
	c.reportIf(category != "" && category != "external" && category != "internal", "6.6.2.3.3-9", "category is %q", category)
	c.field(e, propertyNamespace, "pdfaProperty", "description", "6.6.2.3.3-10")
	return name
}

// declaredProperties checks that every property is predefined or declared (6.6.2.3.1).
func (c *checker) declaredProperties(all []*element, declared map[[2]string]bool) {
	for _, p := range all {
		space, name := p.name.Space, p.name.Local
		if space == extensionNamespace || strings.Contains(predefined[space], " "+name+" ") || declared[[2]string{space, name}] {
			continue
		}
		c.report("6.6.2.3.1-1", "the property %s:%s is not declared", p.name.Prefix, name)
	}
	for _, name := range []string{"CreateDate", "ModifyDate", "MetadataDate"} {
		if date := c.xmp.get(xmpNamespace, name); date != "" {
			_, err := time.Parse(xmp.TimeFormat, date)
			c.reportIf(err != nil, "6.6.2.3.1-2", "%s is %q", name, date)
		}
	}
}

// infoAgreement checks that Info has the same values as the packet. PDF/A does not
// require that since part 2, but validators of hybrid invoices do, and readers show either.
func (c *checker) infoAgreement() {
	info := c.file.Dict(c.file.Trailer["Info"])
	for key, property := range map[cos.Name][2]string{
		"Title": {dcNamespace, "title"}, "Author": {dcNamespace, "creator"}, "Subject": {dcNamespace, "description"}, "Keywords": {pdfNamespace, "Keywords"},
		"Producer": {pdfNamespace, "Producer"}, "Creator": {xmpNamespace, "CreatorTool"},
	} {
		a, b := cos.Text(c.file.Resolve(info[key])), c.xmp.get(property[0], property[1])
		c.reportIf(a != b, "INFO", "%s is %.60q, in XMP %.60q", string(key), a, b)
	}
	for key, name := range map[cos.Name]string{"CreationDate": "CreateDate", "ModDate": "ModifyDate"} {
		a := cos.Text(c.file.Resolve(info[key]))
		b, err := time.Parse(xmp.TimeFormat, c.xmp.get(xmpNamespace, name))
		c.reportIf(a != "" && (err != nil || a != pdfDate(b.UTC())), "INFO", "%s is %.60q, in XMP %.60q", string(key), a, c.xmp.get(xmpNamespace, name))
	}
}
