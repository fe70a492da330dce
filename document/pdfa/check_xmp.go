package pdfa

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"platen.dev/document/markup"
	"platen.dev/document/pdfa/cos"
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
	typeNamespace      = "http://www.aiim.org/pdfa/ns/type#"
	fieldNamespace     = "http://www.aiim.org/pdfa/ns/field#"
)

// element is an element or attribute of a packet.
type element struct {
	name     markup.Name
	parent   *element
	children []*element
	text     string // complete at its end
	parts    strings.Builder
	lang     bool // has a language
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
				next.lang = next.lang || a.Name.Prefix == "xml" && a.Name.Local == "lang"
				if a.Name.Space != "" && a.Name.Space != rdfNamespace && a.Name.Prefix != "xml" {
					next.children = append(next.children, &element{name: a.Name, parent: next, text: a.Value})
				}
			}
			at.children = append(at.children, next)
			at = next
		case markup.EndElement:
			at.text = at.parts.String()
			at = at.close()
		case markup.Text:
			at.parts.WriteString(token.Text)
		}
	}
}

// close ends an element, and returns its parent. What a description within a property says is said of the property itself, as with
// rdf:parseType="Resource" (RDF/XML 7.2.18).
func (e *element) close() *element {
	p := e.parent
	if e.name.Space != rdfNamespace || e.name.Local != "Description" || p.name.Space == rdfNamespace && p.name.Local == "RDF" {
		return p
	}
	for _, child := range e.children {
		child.parent = p
	}
	p.children = append(p.children[:len(p.children)-1], e.children...)
	return p
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

var packetHead = regexp.MustCompile(`^\s*<\?xpacket\s[^?]*\?>`)

// utf8BOM may precede a packet.
var utf8BOM = []byte("\ufeff")

// metadata checks the XMP packet (6.6), and that Info agrees with it.
func (c *checker) metadata() {
	s, ok := c.file.Resolve(c.catalog["Metadata"]).(*cos.Stream)
	if !ok || c.name(s.Dict["Type"]) != "Metadata" || c.name(s.Dict["Subtype"]) != "XML" {
		c.report("6.6.2.1-1", "the catalog has no metadata")
		return
	}
	packet, err := c.file.Decode(s)
	if !utf8.Valid(packet) || bytes.IndexByte(packet, 0) >= 0 {
		c.report("6.6.2.1-5", "the packet is not in UTF-8")
		return
	}
	packet = bytes.TrimPrefix(packet, utf8BOM)
	if err != nil || len(packet) > maxPacket {
		c.report("6.6.2.1-4", "the metadata is not an XMP packet of up to %d bytes", maxPacket)
		return
	}
	head := packetHead.Find(packet) // may be missing
	c.reportIf(bytes.Contains(head, []byte("bytes=")), "6.6.2.1-2", "the packet has the attribute bytes")
	c.reportIf(bytes.Contains(head, []byte("encoding=")), "6.6.2.1-3", "the packet has the attribute encoding")
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
// declare, with their types (6.6.2.3.3).
func (c *checker) extensionSchemas(top *element) map[[2]string]string {
	declared := map[[2]string]string{}
	c.schemas, c.types = map[string]string{}, map[string]fieldTypes{}
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

func (c *checker) extensionSchema(e *element, declared map[[2]string]string) {
	c.field(e, schemaNamespace, "pdfaSchema", "schema", "6.6.2.3.3-2")
	space := c.field(e, schemaNamespace, "pdfaSchema", "namespaceURI", "6.6.2.3.3-3")
	prefix := c.field(e, schemaNamespace, "pdfaSchema", "prefix", "6.6.2.3.3-4")
	c.schemas[space] = prefix
	c.noOtherFields(e, schemaNamespace, "schema namespaceURI prefix property valueType")
	own, kinds := map[string]fieldTypes{}, c.list(e, schemaNamespace, "pdfaSchema", "valueType", "6.6.2.3.3-6")
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = typeName(c.field(kind, typeNamespace, "pdfaType", "type", "6.6.2.3.3-11"))
		own[names[i]] = fieldTypes{}
	}
	for i, kind := range kinds {
		c.schemaType(kind, own[names[i]], own)
	}
	maps.Copy(c.types, own)
	for _, property := range c.list(e, schemaNamespace, "pdfaSchema", "property", "6.6.2.3.3-5") {
		name, kind := c.schemaProperty(property, own)
		declared[[2]string{space, name}] = kind
	}
}

// list returns the items of a sequence in an extension schema, which may be absent.
func (c *checker) list(e *element, space, prefix, name, rule string) (all []*element) {
	for _, child := range e.children {
		if child.name.Space != space || child.name.Local != name {
			continue
		}
		items, ok := child.items("Seq")
		c.reportIf(!ok || child.name.Prefix != prefix, rule, "%s of an extension schema is not one sequence with the prefix %s", name, prefix)
		all = append(all, items...)
	}
	return all
}

// noOtherFields checks that a part of an extension schema has the fields of its table only (6.6.2.3.2).
func (c *checker) noOtherFields(e *element, space, names string) {
	for _, child := range e.children {
		c.reportIf(child.name.Space != space || !slices.Contains(strings.Fields(names), child.name.Local), "6.6.2.3.2-1", "an extension schema has the field %s", child.name.Local)
	}
}

// fieldTypes are the types of the fields of a type of an extension schema, by namespace and name.
type fieldTypes map[[2]string]string

// schemaType checks the definition of a type of an extension schema, and fills in its fields.
func (c *checker) schemaType(e *element, fields fieldTypes, own map[string]fieldTypes) {
	space := c.field(e, typeNamespace, "pdfaType", "namespaceURI", "6.6.2.3.3-12")
	c.field(e, typeNamespace, "pdfaType", "prefix", "6.6.2.3.3-13")
	c.field(e, typeNamespace, "pdfaType", "description", "6.6.2.3.3-14")
	c.noOtherFields(e, typeNamespace, "type namespaceURI prefix description field")
	for _, f := range c.list(e, typeNamespace, "pdfaType", "field", "6.6.2.3.3-15") {
		name := c.field(f, fieldNamespace, "pdfaField", "name", "6.6.2.3.3-16")
		fields[[2]string{space, name}] = c.valueType(f, fieldNamespace, "pdfaField", "6.6.2.3.3-17", own)
		c.field(f, fieldNamespace, "pdfaField", "description", "6.6.2.3.3-18")
		c.noOtherFields(f, fieldNamespace, "name valueType description")
	}
}

// valueType returns the type that a property or field declares, which must be defined by XMP, PDF/A or the schema itself.
func (c *checker) valueType(e *element, space, prefix, rule string, own map[string]fieldTypes) string {
	declared := c.field(e, space, prefix, "valueType", rule)
	kind := typeName(declared)
	item := kind
	if array, of, ok := strings.Cut(kind, " "); ok && arrays[array] != "" {
		item = of
	}
	c.reportIf(declared != "" && !isType(kind) && own[item] == nil, rule, "the value type %q is not defined", declared)
	return kind
}

func (c *checker) schemaProperty(e *element, own map[string]fieldTypes) (name, kind string) {
	name = c.field(e, propertyNamespace, "pdfaProperty", "name", "6.6.2.3.3-7")
	kind = c.valueType(e, propertyNamespace, "pdfaProperty", "6.6.2.3.3-8", own)
	category := c.field(e, propertyNamespace, "pdfaProperty", "category", "6.6.2.3.3-9")
	c.reportIf(category != "" && category != "external" && category != "internal", "6.6.2.3.3-9", "category is %q", category)
	c.field(e, propertyNamespace, "pdfaProperty", "description", "6.6.2.3.3-10")
	c.noOtherFields(e, propertyNamespace, "name valueType category description")
	return name, kind
}

// declaredProperties checks that every property is predefined or declared, and has a value of its type (6.6.2.3.1).
func (c *checker) declaredProperties(all []*element, declared map[[2]string]string) {
	for _, p := range all {
		space, name := p.name.Space, p.name.Local
		list, standard := predefined[space]
		kind, known := list[name]
		if own, ok := declared[[2]string{space, name}]; ok && !known {
			kind, known = own, true
		}
		switch {
		case space == extensionNamespace:
		case known:
			c.reportIf(!p.hasType(kind) || !c.hasFields(p, kind, 0), "6.6.2.3.1-2", "the property %s:%s is not of the type %q", p.name.Prefix, name, kind)
		case standard && list == nil:
			c.report("XMP", "the property %s:%s is not checked", p.name.Prefix, name)
		default:
			c.report("6.6.2.3.1-1", "the property %s:%s is not declared", p.name.Prefix, name)
		}
	}
}

// hasFields reports whether a value of a type of an extension schema, or of an array of them, has no fields but those of the type.
func (c *checker) hasFields(e *element, kind string, depth int) bool {
	if array, item, ok := strings.Cut(kind, " "); ok && arrays[array] != "" {
		items, _ := e.items(arrays[array])
		return !slices.ContainsFunc(items, func(e *element) bool { return !c.hasFields(e, item, depth) })
	}
	fields, own := c.types[kind]
	return !own || depth > maxTypeDepth || !slices.ContainsFunc(e.unqualified().children, func(f *element) bool {
		kind, declared := fields[[2]string{f.name.Space, f.name.Local}]
		return !declared || !f.hasType(kind) || !c.hasFields(f, kind, depth+1)
	})
}

// maxTypeDepth is how deep fields of own types are checked.
const maxTypeDepth = 10

// inPacket maps the entries of Info to the properties that have the same values.
var inPacket = map[cos.Name][2]string{
	"Title": {dcNamespace, "title"}, "Author": {dcNamespace, "creator"}, "Subject": {dcNamespace, "description"}, "Keywords": {pdfNamespace, "Keywords"},
	"Producer": {pdfNamespace, "Producer"}, "Creator": {xmpNamespace, "CreatorTool"}, "CreationDate": {xmpNamespace, "CreateDate"}, "ModDate": {xmpNamespace, "ModifyDate"},
}

// infoAgreement checks that Info has the same values as the packet. PDF/A does not
// require that since part 2, but validators of hybrid invoices do, and readers show either. Others' files may leave values out.
func (c *checker) infoAgreement() {
	info := c.file.Dict(c.file.Trailer["Info"])
	for _, key := range slices.Sorted(maps.Keys(inPacket)) {
		property := inPacket[key]
		a, b := cos.Text(c.file.Resolve(info[key])), c.xmp.get(property[0], property[1])
		if c.foreign && (a == "" || b == "") || a == "" && strings.HasSuffix(string(key), "Date") {
			continue
		}
		c.reportIf(a != b && !sameTime(a, b), "INFO", "%s is %.60q, in XMP %.60q", string(key), a, b)
	}
}

// sameTime reports whether a date of Info (7.9.4) and one of XMP are the same second.
func sameTime(info, packet string) bool {
	a, errA := time.Parse("20060102150405Z0700", strings.ReplaceAll(strings.TrimPrefix(info, "D:"), "'", ""))
	b, errB := time.Parse(time.RFC3339, packet)
	return errA == nil && errB == nil && a.Equal(b.Truncate(time.Second))
}
