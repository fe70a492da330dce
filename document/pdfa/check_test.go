package pdfa

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa/cos"
	"platen.dev/document/pdfa/pack"
)

// goodPDF returns a valid PDF/A-3b file of a page with links, images and fonts of every kind, and an attachment.
func goodPDF(t testing.TB) []byte {
	t.Helper()
	out, err := Convert(read(t, "testdata/rich.pdf"), archived(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// broken changes the objects of a valid file and writes it again.
func broken(t testing.TB, pdf []byte, change func(c *conversion, catalog types.Dict)) []byte {
	t.Helper()
	ctx, err := pdfcpu.Read(bytes.NewReader(pdf), model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	c := &conversion{XRefTable: ctx.XRefTable}
	catalog, err := c.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	change(c, catalog)
	out, err := pack.Write(pack.File{Objects: ctx.XRefTable, Info: *c.Info, First: make([]byte, 16)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// number returns the number of the first object that has a key with a value.
func (c *conversion) number(key, value string) int {
	for number := 1; number <= c.MaxObjNr+1; number++ {
		if d := c.dict(*types.NewIndirectRef(number, 0)); d != nil && c.nameOf(d[key]) == value {
			return number
		}
	}
	panic("no object with " + key + " " + value)
}

// first returns the first object that has a key with a value.
func (c *conversion) first(key, value string) types.Dict {
	return c.dict(*types.NewIndirectRef(c.number(key, value), 0))
}

// xmpEdit replaces text in the packet.
func xmpEdit(former, present string) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		number := catalog["Metadata"].(types.IndirectRef).ObjectNumber.Value()
		s := c.object(number).(types.StreamDict)
		if !bytes.Contains(s.Raw, []byte(former)) {
			panic("packet lacks " + former)
		}
		s.Raw = bytes.Replace(s.Raw, []byte(former), []byte(present), 1)
		c.Table[number].Object = s
	}
}

// ownType gives the property of the extension schema a type of its own, which has a count, and a value of that type.
func ownType(fields string) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		xmpEdit("<pdfaProperty:valueType>Text", "<pdfaProperty:valueType>Thing")(c, catalog)
		xmpEdit("<pdfaSchema:property>", `<pdfaSchema:valueType xmlns:pdfaType="http://www.aiim.org/pdfa/ns/type#" xmlns:pdfaField="http://www.aiim.org/pdfa/ns/field#"><rdf:Seq>
			<rdf:li rdf:parseType="Resource"><pdfaType:type>Thing</pdfaType:type><pdfaType:namespaceURI>urn:o</pdfaType:namespaceURI><pdfaType:prefix>o</pdfaType:prefix>
			<pdfaType:description>A thing</pdfaType:description><pdfaType:field><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaField:name>count</pdfaField:name>
			<pdfaField:valueType>Integer</pdfaField:valueType><pdfaField:description>How many</pdfaField:description></rdf:li></rdf:Seq></pdfaType:field></rdf:li>
			</rdf:Seq></pdfaSchema:valueType><pdfaSchema:property>`)(c, catalog)
		xmpEdit("<t:Version>1</t:Version>", `<t:Version rdf:parseType="Resource" xmlns:o="urn:o">`+fields+`</t:Version>`)(c, catalog)
	}
}

// contentEdit inserts operations before the content of the first page.
func contentEdit(text string) func(*conversion, types.Dict) {
	return func(c *conversion, _ types.Dict) {
		page := c.first("Type", "Page")
		contents := c.array(page["Contents"])
		if contents == nil {
			contents = types.Array{page["Contents"]}
		}
		page["Contents"] = append(types.Array{c.add(unfilteredStream([]byte(text), types.Dict{}))}, contents...)
	}
}

// set sets an entry of the first object that has a key with a value.
func set(key, value, entry string, to types.Object) func(*conversion, types.Dict) {
	return func(c *conversion, _ types.Dict) { c.first(key, value)[entry] = to }
}

// unset deletes an entry of the first object that has a key with a value.
func unset(key, value, entry string) func(*conversion, types.Dict) {
	return func(c *conversion, _ types.Dict) { delete(c.first(key, value), entry) }
}

func inCatalog(entry string, to types.Object) func(*conversion, types.Dict) {
	return func(_ *conversion, catalog types.Dict) { catalog[entry] = to }
}

// using adds a resource to the first page, as Broken, and operations before its content.
func using(kind string, resource func(*conversion) types.Object, operations string) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		resources := c.dict(c.first("Type", "Page")["Resources"])
		all := types.Dict{}
		for name, value := range c.dict(resources[kind]) {
			all[name] = value
		}
		all["Broken"] = resource(c)
		resources[kind] = all
		contentEdit(operations)(c, catalog)
	}
}

// object adds an object to the file.
func object(o types.Object) func(*conversion) types.Object {
	return func(c *conversion) types.Object { return c.add(o) }
}

// state makes the first page use a graphics state with an entry.
func state(entry string, to types.Object) func(*conversion, types.Dict) {
	return using("ExtGState", object(types.Dict{entry: to}), "q /Broken gs Q ")
}

// glyphSet gives a subset of a font a set with more or fewer glyphs than its program has.
func glyphSet(more int) func(*conversion, types.Dict) {
	return func(c *conversion, _ types.Dict) {
		descriptor := c.dict(c.first("Subtype", "CIDFontType2")["FontDescriptor"])
		program, _, _ := c.DereferenceStreamDict(descriptor["FontFile2"])
		if err := program.Decode(); err != nil {
			panic(err)
		}
		bits := make([]byte, 1<<13)
		for gid := range readTrueType(program.Content).glyphs + more {
			bits[gid/8] |= 128 >> (gid % 8)
		}
		descriptor["CIDSet"] = c.add(types.StreamDict{Dict: types.Dict{}, Raw: bits})
	}
}

// shown makes the first page show a glyph of a composite font.
func shown(code string) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		font := *types.NewIndirectRef(c.number("Subtype", "Type0"), 0)
		using("Font", func(*conversion) types.Object { return font }, "BT /Broken 12 Tf [("+code+")] TJ ET ")(c, catalog)
	}
}

// trueTypeFont makes the first page show text in a TrueType font without a usable encoding.
func trueTypeFont(edit func(font, descriptor types.Dict)) func(*conversion, types.Dict) {
	return using("Font", func(c *conversion) types.Object {
		program := c.dict(c.first("Subtype", "CIDFontType2")["FontDescriptor"])["FontFile2"]
		descriptor := types.Dict{"Type": types.Name("FontDescriptor"), "FontName": types.Name("X"), "FontFile2": program}
		font := types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name("TrueType"), "BaseFont": types.Name("X"), "FirstChar": types.Integer(65), "LastChar": types.Integer(65),
			"Widths": types.Array{types.Integer(1)}, "FontDescriptor": descriptor,
		}
		edit(font, descriptor)
		return font
	}, "BT /Broken 12 Tf (A) Tj ET ")
}

var tint = types.Dict{"FunctionType": types.Integer(2), "Domain": types.NewNumberArray(0, 1), "N": types.Integer(1)}

// spot is a colour space of a colourant.
var spot = types.Array{types.Name("Separation"), types.Name("Spot"), types.Name("DeviceRGB"), tint}

// deviceN makes the first page set a DeviceN colour space.
func deviceN(colorants types.Array, attributes types.Dict) func(*conversion, types.Dict) {
	return using("ColorSpace", object(types.Array{types.Name("DeviceN"), colorants, types.Name("DeviceRGB"), tint, attributes}), "/Broken cs ")
}

// overprinting adds a state that overprints in mode 1 to the first page, as Broken, and a space of a profile with components, as Profiled.
func overprinting(components int, operations string) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		intent := c.dict(catalog["OutputIntents"].(types.Array)[0])
		profile, _, _ := c.DereferenceStreamDict(intent["DestOutputProfile"])
		if err := profile.Decode(); err != nil {
			panic(err)
		}
		data := bytes.Clone(profile.Content)
		if components == 4 {
			copy(data[16:], "CMYK")
		}
		space := types.Array{types.Name("ICCBased"), c.add(types.StreamDict{Dict: types.Dict{"N": types.Integer(components)}, Raw: data})}
		c.dict(c.first("Type", "Page")["Resources"])["ColorSpace"] = types.Dict{"Profiled": space}
		using("ExtGState", object(types.Dict{"OPM": types.Integer(1), "OP": types.Boolean(true)}), operations)(c, catalog)
	}
}

// twoSpots makes the first page set a space of a spot colour, and another of the same colour.
func twoSpots(alternate, transform types.Object) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) {
		space := func(alternate, transform types.Object) types.Object {
			return types.Array{types.Name("Separation"), types.Name("Spot"), alternate, c.add(transform)}
		}
		using("ColorSpace", func(*conversion) types.Object { return space(types.Name("DeviceRGB"), tint) }, "")(c, catalog)
		resources := c.dict(c.first("Type", "Page")["Resources"])
		c.dict(resources["ColorSpace"])["Second"] = space(alternate, transform)
		contentEdit("/Broken cs /Second CS ")(c, catalog)
	}
}

func noColorants(n int) (all types.Array) {
	for range n {
		all = append(all, types.Name("None"))
	}
	return all
}

func action(d types.Dict) func(*conversion, types.Dict) { return set("Subtype", "Link", "A", d) }

// differing is an encoding that needs a cmap for Unicode.
var differing = types.Dict{"BaseEncoding": winAnsiName, "Differences": types.Array{types.Integer('B'), types.Name("A")}}

// violation is a change that violates a rule, and no other.
type violation struct {
	rule   string
	change func(*conversion, types.Dict)
}

var breaks = []violation{
	{"6.1.7.2-1", set("Subtype", "Image", "Filter", types.Name("LZWDecode"))},
	{"6.1.7.1-3", set("Subtype", "Image", "F", types.StringLiteral("elsewhere.png"))},
	{"6.1.6-2", set("Subtype", "Link", "NM", types.HexLiteral("zz"))},
	{"6.1.13-1", set("Type", "Page", "PieceInfo", types.Integer(1<<31))},
	{"6.1.13-3", set("Type", "Page", "PieceInfo", types.StringLiteral(strings.Repeat("x", 32768)))},
	{"6.1.13-4", set("Type", "Page", "PieceInfo", types.Name(strings.Repeat("x", 128)))},
	{"6.1.13-1", set("Type", "Page", "PieceInfo", types.Float(1e39))}, // without a point
	{"6.1.13-2", contentEdit("[1" + strings.Repeat("0", 39) + ".5] 0 d ")},
	{"6.1.13-5", contentEdit("[0." + strings.Repeat("0", 38) + "1] 0 d ")},
	{"6.1.13-8", contentEdit(strings.Repeat("q ", 29) + strings.Repeat("Q ", 29))},
	{"6.1.13-11", set("Type", "Page", "MediaBox", types.Array{types.Integer(0), types.Integer(0), types.Integer(2), types.Integer(500)})},
	{"6.1.13-11", set("Type", "Page", "CropBox", types.Array{types.Integer(0), types.Integer(0), types.Integer(20), types.Integer(14401)})},
	{"6.1.8-1", type1Font("A", types.Dict{"BaseFont": types.Name("X\xc3")}, 500)},
	{"6.1.8-1", deviceN(types.Array{types.Name("Spot\xc3")}, types.Dict{"Colorants": types.Dict{"Spot\xc3": spot}})},
	{"6.1.8-1", using("ColorSpace", object(types.Array{spot[0], types.Name("Spot\xc3"), spot[2], spot[3]}), "/Broken cs ")},
	{"6.1.10-1", contentEdit("BI /W 1 /H 1 /BPC 8 /CS /G /F /LZW ID x EI ")},
	{"6.1.12-1", inCatalog("Perms", types.Dict{"Else": types.Dict{}})},
	{"6.2.2-1", contentEdit("BX foo EX ")},
	{"6.2.3-2", func(c *conversion, catalog types.Dict) {
		intents := catalog["OutputIntents"].(types.Array)
		profile, _, _ := c.DereferenceStreamDict(c.dict(intents[0])["DestOutputProfile"])
		other := types.Dict{"Type": types.Name("OutputIntent"), "S": types.Name("GTS_PDFX"), "DestOutputProfile": c.add(*profile)}
		catalog["OutputIntents"] = append(intents, other)
	}},
	{"6.2.4.2-2", overprinting(4, "/Broken gs /Profiled cs 0 0 9 9 re f ")},
	{"6.2.4.2-2", overprinting(4, "/Profiled CS /Broken gs 0 0 9 9 re s ")},
	{"6.2.4.3-3", contentEdit("0 0 0 1 k ")},
	{"6.2.4.3-3", contentEdit("/DeviceCMYK cs ")},
	{"6.2.4.4-1", deviceN(types.Array{types.Name("Spot")}, types.Dict{})},
	{"6.1.13-9", deviceN(noColorants(maxColorants+1), types.Dict{})},
	{"6.2.4.3-3", set("Subtype", "Image", "ColorSpace", types.Array{types.Name("Indexed"), types.Name("DeviceCMYK"), types.Integer(0), types.HexLiteral("00000000")})},
	{"6.2.4.4-2", twoSpots(types.Name("DeviceRGB"), types.Dict{"FunctionType": types.Integer(2), "Domain": types.NewNumberArray(0, 1), "N": types.Integer(2)})},
	{"6.2.4.4-2", twoSpots(types.Name("DeviceGray"), tint)},
	{"6.2.4.4-2", deviceN(types.Array{types.Name("Spot"), types.Name("Other")}, types.Dict{"Colorants": types.Dict{
		"Spot": spot, "Other": types.Array{spot[0], spot[1], types.Name("DeviceGray"), tint},
	}})},
	{"6.2.5-1", state("TR", types.Name("Identity"))},
	{"6.2.5-2", state("TR2", types.Name("Identity"))},
	{"6.2.5-3", state("HTP", types.Array{})},
	{"6.2.5-4", state("HT", types.Dict{"HalftoneType": types.Integer(6)})},
	{"6.2.5-5", state("HT", types.Dict{"HalftoneType": types.Integer(1), "HalftoneName": types.StringLiteral("x")})},
	{"6.2.5-6", state("HT", types.Dict{"HalftoneType": types.Integer(1), "TransferFunction": types.Name("Identity")})},
	{"6.2.5-6", state("HT", types.Dict{"HalftoneType": types.Integer(5), "Spot": types.Dict{"HalftoneType": types.Integer(1)}})},
	{"6.2.6-1", state("RI", types.Name("Nice"))},
	{"6.2.6-1", contentEdit("/Nice ri ")},
	{"6.2.6-1", contentEdit("BI /W 1 /H 1 /BPC 8 /CS /G /Intent /Nice ID x EI ")},
	{"6.2.6-1", set("Subtype", "Image", "Intent", types.Name("Nice"))},
	{"6.2.8-1", set("Subtype", "Image", "Alternates", types.Array{})},
	{"6.2.8-2", set("Subtype", "Image", "OPI", types.Dict{})},
	{"6.2.8-3", set("Subtype", "Image", "Interpolate", types.Boolean(true))},
	{"6.2.8-3", contentEdit("BI /W 1 /H 1 /BPC 8 /CS /G /I true ID x EI ")},
	{"6.2.8-4", set("Subtype", "Image", "BitsPerComponent", types.Integer(7))},
	{"6.2.9-1", set("Subtype", "Form", "OPI", types.Dict{})},
	{"6.2.9-1", set("Subtype", "Form", "Subtype2", types.Name("PS"))},
	{"6.2.9-2", set("Subtype", "Form", "Ref", types.Dict{})},
	{"6.2.9-3", using("XObject", object(types.StreamDict{Dict: types.Dict{"Subtype": types.Name("PS")}, Raw: []byte("x")}), "/Broken Do ")},
	{"6.2.10-1", state("BM", types.Name("Glow"))},
	{"6.2.11.2-2", set("Subtype", "CIDFontType2", "Subtype", types.Name("Type9"))},
	{"6.2.11.2-4", unset("Subtype", "Type3", "FirstChar")},
	{"6.2.11.2-5", unset("Subtype", "Type3", "LastChar")},
	{"6.2.11.2-6", set("Subtype", "Type3", "Widths", types.Array{})},
	{"6.2.11.3.2-1", unset("Subtype", "CIDFontType2", "CIDToGIDMap")},
	{"6.2.11.3.3-1", set("Subtype", "Type0", "Encoding", types.Name("UniJIS-UCS2-H"))},
	{"6.2.11.4.1-1", func(c *conversion, _ types.Dict) {
		delete(c.dict(c.first("Subtype", "CIDFontType2")["FontDescriptor"]), "FontFile2")
	}},
	{"6.2.11.4.1-1", trueTypeFont(func(font, descriptor types.Dict) {
		font["Encoding"] = types.Name("WinAnsiEncoding")
		delete(descriptor, "FontFile2")
	})},
	{"6.2.11.4.2-2", glyphSet(-1)},
	{"6.2.11.4.2-2", glyphSet(1)},
	{"6.2.11.5-1", func(c *conversion, _ types.Dict) {
		font := c.first("Subtype", "CIDFontType2")
		font["DW"] = types.Integer(17)
		delete(font, "W")
	}},
	{"6.2.11.4.1-2", shown("\\377\\377")},
	{"6.2.11.6-2", trueTypeFont(func(types.Dict, types.Dict) {})},
	{"6.2.11.6-2", mappedFont(differing, 1, 0, trimmed(), "A", 0)},
	{"6.2.11.6-3", trueTypeFont(func(font, descriptor types.Dict) {
		font["Encoding"], descriptor["Flags"] = types.Name("WinAnsiEncoding"), types.Integer(4)
	})},
	{"6.2.11.8-1", shown("\\000\\000")},
	{"6.2.11.5-1", type1Font("A", nil, 501.1)},
	{"6.2.11.5-1", type1Font("B", nil, 500, 598.9)},
	{"6.2.11.5-1", type1Font("C", winAnsi, 500, 600, 702)},
	{"6.2.11.5-1", type1Font("B", types.Dict{"Encoding": types.Dict{"Differences": types.Array{types.Integer('B'), types.Name("A")}}}, 500, 600)},
	{"6.2.11.5-1", simpleFont("Type1", "FontFile", "", type1Program("/FontMatrix [0.0005 0 0 0.0005 0 0] readonly def\n"), "A", nil, 500)},
	{"6.2.11.4.1-2", type1Font("C", nil, 500, 600, 700)}, // it is not in the program's own encoding
	{"6.2.11.4.1-2", type1Font("D", winAnsi, 500, 600, 700, 0)},
	{"6.2.11.8-1", type1Font("\t", winAnsi, 500)},
	{"6.2.11.4.2-1", type1Font("A", types.Dict{"CharSet": types.StringLiteral("/A/B")}, 500)},
	{"6.2.11.4.2-1", type1Font("A", types.Dict{"CharSet": types.StringLiteral("/A/B/C/D")}, 500)},
	{"6.2.11.5-1", compactFont(cffProgram(false), "A", 501.1)},
	{"6.2.11.5-1", compactFont(cffProgram(false), "B", 500, 600)},
	{"6.2.11.5-1", compactFont(cffProgram(false), "C", 500, 650, 600)},
	{"6.2.11.5-1", compactFont(cffProgram(false, halved...), "A", 500)},
	{"6.2.11.4.1-2", compactFont(cffProgram(false), "D", 500, 650, 660, 500)},
	{"6.2.11.5-1", mappedFont(winAnsiName, 3, 1, segments(0), "A", 1.1)},
	{"6.2.11.5-1", mappedFont(winAnsiName, 3, 1, listedSegments(), "A", 1.1)},
	{"6.2.11.5-1", mappedFont(winAnsiName, 1, 0, trimmed(), "A", -1.1)},
	{"6.2.11.5-1", mappedFont(nil, 3, 0, segments(0xF000), "A", 1.1)},
	{"6.2.11.5-1", mappedFont(nil, 1, 0, listed(), "A", 1.1)},
	{"6.2.11.4.1-2", mappedFont(winAnsiName, 3, 1, segments(0), "B", 0)},
	{"6.2.11.4.1-2", mappedFont(nil, 3, 0, segments(0xF000), "B", 0)},
	{"6.2.11.5-1", keyedFont("\\000\\042", keyedSet, 501.1, 650, 660)},
	{"6.2.11.5-1", keyedFont("\\000\\043\\000\\044", keyedSet, 500, 650, 600)},
	{"6.2.11.4.1-2", keyedFont("\\000\\045", keyedSet, 500, 650, 660)},
	{"6.2.11.4.2-2", keyedFont("\\000\\042", []byte{0, 0, 0, 0, 0b00110000}, 500, 650, 660)},
	{"6.2.11.4.2-2", keyedFont("\\000\\042", []byte{0, 0, 0, 0, 0b00111100}, 500, 650, 660)},
	{"6.2.11.5-1", drawnFont(501.1)},
	{"6.3.1-1", func(c *conversion, _ types.Dict) {
		link := c.first("Subtype", "Link")
		link["Subtype"], link["Rect"] = types.Name("Movie"), types.NewNumberArray(9, 9, 9, 9)
	}},
	{"6.3.2-1", unset("Subtype", "Link", "F")},
	{"6.3.2-2", set("Subtype", "Link", "F", types.Integer(0))},
	{"6.3.2-2", set("Subtype", "Link", "F", types.Integer(6))},
	{"6.3.3-1", set("Subtype", "Link", "Subtype", types.Name("Square"))},
	{"6.3.3-2", set("Subtype", "Link", "AP", types.Dict{"N": types.Dict{}, "D": types.Dict{}})},
	{"6.3.3-4", set("Subtype", "Link", "AP", types.Dict{"N": types.Dict{}})},
	{"6.4.1-3", inCatalog("AcroForm", types.Dict{"NeedAppearances": types.Boolean(true)})},
	{"6.4.2-1", inCatalog("AcroForm", types.Dict{"XFA": types.Array{}})},
	{"6.4.2-2", inCatalog("NeedsRendering", types.Boolean(true))},
	{"6.5.1-1", action(types.Dict{"S": types.Name("JavaScript"), "JS": types.StringLiteral("x")})},
	{"6.5.1-1", inCatalog("OpenAction", types.Dict{"S": types.Name("Launch")})},
	{"6.5.1-2", action(types.Dict{"S": types.Name("Named"), "N": types.Name("Print")})},
	{"6.5.2-1", inCatalog("AA", types.Dict{})},
	{"6.5.2-2", set("Type", "Page", "AA", types.Dict{})},
	{"6.6.2.1-1", func(_ *conversion, catalog types.Dict) { delete(catalog, "Metadata") }},
	{"6.6.2.1-2", xmpEdit(`9d"?>`, `9d" bytes="1"?>`)},
	{"6.6.2.1-3", xmpEdit(`9d"?>`, `9d" encoding="x"?>`)},
	{"6.6.2.1-4", xmpEdit("</rdf:RDF>", "")},
	{"6.6.2.1-5", xmpEdit("</rdf:RDF>", "\xff</rdf:RDF>")},
	{"6.6.2.3.1-1", xmpEdit("<t:Version>", "<t:Else>x</t:Else><t:Version>")},
	{"6.6.2.3.1-2", xmpEdit("<xmp:MetadataDate>", "<xmp:MetadataDate>x")},
	{"6.6.2.3.1-2", xmpEdit("<xmp:MetadataDate>", "<xmp:Advisory>x</xmp:Advisory><xmp:MetadataDate>")},
	{"XMP", xmpEdit("<xmp:MetadataDate>", "<x:Make xmlns:x='http://ns.adobe.com/tiff/1.0/'>x</x:Make><xmp:MetadataDate>")},
	{"6.6.2.3.2-1", xmpEdit("<pdfaSchema:prefix>", "<pdfaSchema:else>x</pdfaSchema:else><pdfaSchema:prefix>")},
	{"6.6.2.3.3-2", xmpEdit("<pdfaSchema:schema>Schema for tests</pdfaSchema:schema>", "")},
	{"6.6.2.3.3-4", xmpEdit("<pdfaSchema:prefix>t</pdfaSchema:prefix>", "")},
	{"6.6.2.3.3-8", xmpEdit("<pdfaProperty:valueType>Text", "<pdfaProperty:valueType>Thing")},
	{"6.6.2.3.3-9", xmpEdit("<pdfaProperty:category>external", "<pdfaProperty:category>other")},
	{"6.6.2.3.3-10", xmpEdit("<pdfaProperty:description>The version</pdfaProperty:description>", "")},
	{"6.6.2.3.1-2", ownType("<o:else>1</o:else>")},
	{"6.6.2.3.1-2", ownType("<o:count>x</o:count>")},
	{"6.6.4-2", xmpEdit("<pdfaid:part>3", "<pdfaid:part>2")},
	{"6.6.4-3", xmpEdit("<pdfaid:conformance>B", "<pdfaid:conformance>C")},
	{"6.6.4-1", xmpEdit("<pdfaid:part>3</pdfaid:part>\n<pdfaid:conformance>B</pdfaid:conformance>", "")},
	{"6.8-1", func(c *conversion, _ types.Dict) { c.first("Type", "EmbeddedFile")["Subtype"] = types.Name("xml") }},
	{"6.8-2", unset("Type", "Filespec", "UF")},
	{"6.8-3", unset("Type", "Filespec", "AFRelationship")},
	{"6.8-4", func(_ *conversion, catalog types.Dict) { delete(catalog, "AF") }},
	{"6.9-1", layered(types.Dict{})},
	{"6.9-4", layered(types.Dict{"Name": types.StringLiteral("x"), "AS": types.Array{}})},
	{"6.10-1", names("AlternatePresentations")},
	{"6.10-2", set("Type", "Page", "PresSteps", types.Dict{})},
	{"6.11-1", inCatalog("Requirements", types.Array{})},
	{"INFO", xmpEdit("<xmp:CreatorTool>", "<xmp:CreatorTool>X")},
	{"INFO", xmpEdit("<xmp:CreateDate>2026", "<xmp:CreateDate>2025")},
}

// stricter are changes that violate a rule, which veraPDF does not find.
var stricter = []violation{
	// The profile has another number of components.
	{"6.2.3-1", set("Alternate", "DeviceRGB", "N", types.Integer(4))},
	// The content ends within an operand.
	{"6.2.2-1", contentEdit("<< /A ")},
	// Nothing has that name.
	{"6.2.2-2", contentEdit("/Nowhere Do ")},
	{"6.2.2-2", contentEdit("/Nowhere 12 Tf ")},
	// The space is in an inline image.
	{"6.2.4.3-3", contentEdit("BI /W 1 /H 1 /BPC 8 /CS [/I /CMYK 0 <00000000>] ID x EI ")},
	// The descendant font has the name, too.
	{"6.2.11.2-3", unset("Subtype", "Type0", "BaseFont")},
	// A composite font is shown half a code.
	{"6.2.11.8-1", shown("\\001")},
	// The signature itself is missing.
	{"6.1.12-2", func(c *conversion, catalog types.Dict) {
		signature := c.add(types.Dict{"Type": types.Name("Sig"), "Reference": types.Array{types.Dict{"TransformMethod": types.Name("DocMDP"), "DigestMethod": types.Name("MD5")}}})
		field := c.add(types.Dict{"FT": types.Name("Sig"), "T": types.StringLiteral("s"), "V": signature})
		catalog["Perms"], catalog["AcroForm"] = types.Dict{"DocMDP": signature}, types.Dict{"Fields": types.Array{field}}
	}},
}

func layered(config types.Dict) func(*conversion, types.Dict) {
	return inCatalog("OCProperties", types.Dict{"OCGs": types.Array{}, "D": config})
}

func names(key string) func(*conversion, types.Dict) {
	return func(c *conversion, catalog types.Dict) { c.dict(catalog["Names"])[key] = types.Dict{} }
}

// rules returns the rules in an error, each once.
func rules(err error) (all []string) {
	var invalid *InvalidError
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
	for n, b := range slices.Concat(breaks, stricter) {
		t.Run(fmt.Sprintf("%s#%d", b.rule, n), func(t *testing.T) {
			err := Check(broken(t, good, b.change), archive)
			if got := rules(err); !slices.Equal(got, []string{b.rule}) {
				t.Errorf("%v", err)
			}
		})
	}
}

// allowed are changes that violate nothing, each next to one that does.
var allowed = map[string]func(*conversion, types.Dict){
	"a font that nothing shows": using("Font", object(types.Dict{"Type": types.Name("Font"), "Subtype": types.Name("TrueType"), "BaseFont": types.Name("X")}), "BT /Broken 12 Tf ET "),
	"invisible text in a font that is not embedded": using("Font", object(types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("Type1"), "BaseFont": types.Name("Helvetica"), "Encoding": types.Name("WinAnsiEncoding"),
	}), "BT 3 Tr /Broken 12 Tf (A) Tj ET "),
	"a profile without a number of components": unset("Alternate", "DeviceRGB", "N"),
	"a property of an own type":                ownType("<o:count>1</o:count>"),
	"an extension schema as a node": func(c *conversion, catalog types.Dict) {
		xmpEdit(`<rdf:li rdf:parseType="Resource">`+"\n<pdfaSchema:schema>", "<rdf:li><rdf:Description><pdfaSchema:schema>")(c, catalog)
		xmpEdit("</pdfaSchema:property>\n", "</pdfaSchema:property></rdf:Description>")(c, catalog)
	},
	"a name in UTF-8":                        deviceN(types.Array{types.Name("Spot\xc3\xa4")}, types.Dict{"Colorants": types.Dict{"Spot\xc3\xa4": spot}}),
	"the set of the glyphs":                  glyphSet(0),
	"Type 1, as wide as its program says":    type1Font("AB", nil, 501, 599.5),
	"Type 1, by an encoding":                 type1Font("ABC", winAnsi, 499, 600.5, 700),
	"Type 1, a wrong width of unshown glyph": type1Font("A", nil, 500, 9),
	"Type 1, scaled":                         simpleFont("Type1", "FontFile", "", type1Program("/FontMatrix [0.0005 0 0 0.0005 0 0] readonly def\n"), "A", nil, 250),
	"the names of the glyphs":                type1Font("A", types.Dict{"CharSet": types.StringLiteral("/A/B/C")}, 500),
	"CFF, as wide as its program says":       compactFont(cffProgram(false), "ABC", 501, 650, 660),
	"CFF, scaled":                            compactFont(cffProgram(false, halved...), "A", 250),
	"TrueType by Unicode":                    mappedFont(winAnsiName, 3, 1, segments(0), "A", 1),
	"TrueType by a list":                     mappedFont(winAnsiName, 3, 1, listedSegments(), "A", 1),
	"TrueType by Mac codes":                  mappedFont(winAnsiName, 1, 0, trimmed(), "A", -1),
	"TrueType by a page of codes":            mappedFont(nil, 3, 0, segments(0xF000), "A", 0),
	"TrueType with Differences":              mappedFont(differing, 3, 1, segments(0), "A", 0),
	"TrueType by codes":                      mappedFont(nil, 1, 0, listed(), "A", 0),
	"CIDs":                                   keyedFont("\\000\\042\\000\\043\\000\\044", keyedSet, 501, 650, 660),
	"Type 3, as wide as its procedure says":  drawnFont(501),
	"an XObject that nothing shows":          using("XObject", object(types.StreamDict{Dict: types.Dict{"Subtype": types.Name("PS")}, Raw: []byte("x")}), ""),
	"as many colourants as are allowed":      deviceN(noColorants(maxColorants), types.Dict{}),
	"overprint in RGB":                       overprinting(3, "/Broken gs /Profiled cs 0 0 9 9 re f "),
	"overprint of no colour":                 overprinting(4, "/Broken gs /Profiled cs 0 0 9 9 re n 0 0 9 9 re s 0 g 0 0 9 9 re f "),
	"overprint until restored":               overprinting(4, "q /Broken gs Q /Profiled cs 0 0 9 9 re f "),
	"spaces of one spot colour":              twoSpots(types.Name("DeviceRGB"), tint),
	"a described colourant":                  deviceN(types.Array{types.Name("Spot")}, types.Dict{"Colorants": types.Dict{"Spot": spot}}),
	"a process colourant":                    deviceN(types.Array{types.Name("Red")}, types.Dict{"Process": types.Dict{"Components": types.Array{types.Name("Red")}}}),
	"a halftone for a spot colour": state("HT", types.Dict{
		"HalftoneType": types.Integer(5),
		"Spot":         types.Dict{"HalftoneType": types.Integer(1), "TransferFunction": types.Name("Identity")}, "Cyan": types.Dict{"HalftoneType": types.Integer(1)},
	}),
	"a colour space in place of DeviceCMYK": func(c *conversion, catalog types.Dict) {
		c.dict(c.first("Type", "Page")["Resources"])["ColorSpace"] = types.Dict{"DefaultCMYK": types.Array{types.Name("Lab"), types.Dict{}}}
		contentEdit("q 0 0 0 1 k Q ")(c, catalog)
	},
	"a byte order mark before the packet": xmpEdit("<?xpacket", "\ufeff<?xpacket"),
	"a date without a time":               xmpEdit("<xmp:MetadataDate>", "<d:date xmlns:d='http://purl.org/dc/elements/1.1/'><rdf:Seq><rdf:li>2026-02</rdf:li></rdf:Seq></d:date><xmp:MetadataDate>"),
	"an array of the right kind":          xmpEdit("<xmp:MetadataDate>", "<xmp:Advisory><rdf:Bag><rdf:li>x</rdf:li></rdf:Bag></xmp:Advisory><xmp:MetadataDate>"),
	"a qualified value":                   xmpEdit("<xmp:MetadataDate>", "<xmp:Label><rdf:Description><rdf:value>x</rdf:value></rdf:Description></xmp:Label><xmp:MetadataDate>"),
	"a file that a page associates": func(c *conversion, catalog types.Dict) {
		c.first("Type", "Page")["AF"] = catalog["AF"]
		delete(catalog, "AF")
	},
	"the digest of a signature that does not certify": func(c *conversion, catalog types.Dict) {
		catalog["X"] = types.Array{types.Dict{"TransformMethod": types.Name("DocMDP"), "DigestMethod": types.Name("MD5")}}
	},
}

func TestCheckAllows(t *testing.T) {
	good := goodPDF(t)
	for name, change := range allowed {
		if err := Check(broken(t, good, change), archive); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// grouped makes each page a transparency group with a colour space.
func grouped(c *conversion, _ types.Dict) {
	for number := 1; number <= c.MaxObjNr; number++ {
		if page := c.dict(*types.NewIndirectRef(number, 0)); page != nil && c.nameOf(page["Type"]) == "Page" {
			page["Group"] = types.Dict{"S": types.Name("Transparency"), "CS": types.Name("DeviceRGB")}
		}
	}
}

// Without an output intent, device colours need spaces in their place, also the first colour of a page, and transparency a group with a space.
func TestCheckWithoutIntent(t *testing.T) {
	good := goodPDF(t)
	for rule, changes := range map[string]struct{ wrong, right func(*conversion, types.Dict) }{
		"6.2.4.3-4": {contentEdit("q 0 0 9 9 re f Q "), contentEdit("q 1 0 0 rg 0 0 9 9 re f Q ")},
		"6.2.10-2":  {contentEdit(""), grouped},
	} {
		for change, found := range map[*func(*conversion, types.Dict)]bool{&changes.wrong: true, &changes.right: false} {
			err := Check(broken(t, good, func(c *conversion, catalog types.Dict) {
				delete(catalog, "OutputIntents")
				(*change)(c, catalog)
			}), archive)
			var invalid *InvalidError
			ofPage := func(v *Violation) bool { return v.Rule == rule && strings.HasPrefix(v.Detail, "page ") }
			if !errors.As(err, &invalid) || slices.ContainsFunc(invalid.Violations, ofPage) != found {
				t.Errorf("%s, found must be %v: %v", rule, found, err)
			}
		}
	}
}

// TestCheckUnbroken writes the valid file again without a change.
func TestCheckUnbroken(t *testing.T) {
	if err := Check(broken(t, goodPDF(t), func(*conversion, types.Dict) {}), archive); err != nil {
		t.Error(err)
	}
}

// TestCheckBytes violates the rules about the bytes of a file.
func TestCheckBytes(t *testing.T) {
	good := goodPDF(t)
	replace := func(former, present string) []byte {
		if !bytes.Contains(good, []byte(former)) {
			t.Fatalf("no %q", former)
		}
		return bytes.Replace(good, []byte(former), []byte(present), 1)
	}
	update := func(id string) []byte { // appends a cross-reference section
		former := good[bytes.LastIndex(good, []byte("startxref\n"))+len("startxref\n") : len(good)-len("\n%%EOF\n")]
		return fmt.Appendf(slices.Clone(good), "xref\n0 0\ntrailer\n<</Size 1/Root 1 0 R/Prev %s%s>>\nstartxref\n%d\n%%%%EOF\n", former, id, len(good))
	}
	for name, c := range map[string]struct {
		pdf  []byte
		rule string
	}{
		"version 2":         {replace("%PDF-1.7", "%PDF-2.0"), "6.1.2-1"},
		"no high bytes":     {replace("\xE2\xE3\xCF\xD3", "abcd"), "6.1.2-2"},
		"no identifiers":    {replace("/ID[<", "/XX[<"), "6.1.3-1"},
		"after the end":     {append(slices.Clone(good), "\nmore"...), "6.1.3-3"},
		"encrypted":         {replace("/ID[<", "/Encrypt<<>>/ID[<"), "6.1.3-2"},
		"wrong stream end":  {replace("\nendstream", " endstream"), "6.1.7.1-1"},
		"wrong startxref":   {replace("startxref\n", "startxref\n9"), "6.1.4-2"},
		"object not spaced": {replace("\n2 0 obj\n", "\n2 0 obj "), "6.1.9-1"},
		"end not spaced":    {replace("\nendobj\n", " endobj\n"), "6.1.9-1"},
		"end not followed":  {replace("\nendobj\n", "\nendobj "), "6.1.9-1"},
		"end after CR":      {replace("\nendobj\n", "\rendobj\r"), ""},
		"xref with a space": {replace("\nxref\n", "\nxref "), "6.1.4-2"},
		"xref before CR":    {replace("\nxref\n", "\nxref\r"), ""},
		"update without ID": {update(""), "6.1.3-1"},
		"update with ID":    {update("/ID[<01><02>]"), ""},
	} {
		if got := rules(Check(c.pdf, archive)); !slices.Equal(got, strings.Fields(c.rule)) {
			t.Errorf("%s: %v", name, Check(c.pdf, archive))
		}
	}
}

// TestCheckPrinted checks a PDF as the browser prints it; the error must be bounded.
func TestCheckPrinted(t *testing.T) {
	err := Check(read(t, "testdata/rich.pdf"), archive)
	for _, rule := range []string{"6.1.3-1", "6.2.4.3-2", "6.6.2.1-1"} {
		if !slices.Contains(rules(err), rule) {
			t.Errorf("%s is not among %v", rule, rules(err))
		}
	}
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) > maxViolations {
		t.Errorf("%v", err)
	}
}

// Colour spaces may have values that have each other: comparing them ends.
func TestComparisonsAreBounded(t *testing.T) {
	c := newChecker(goodPDF(t), archive)
	c.file, _ = cos.Open(c.pdf, cos.DefaultLimits)
	spots := newSpotColors(c.lookup)
	if spots.compared = maxCompared - 1; spots.alike(int64(1), int64(2), 0) {
		t.Error("two numbers are alike")
	}
	if !spots.alike(int64(1), int64(2), 0) {
		t.Error("a value more was compared")
	}
	spots.compared = 0
	if spots.alike(int64(1), int64(2), maxDepth) || !spots.alike(int64(1), int64(2), maxDepth+1) {
		t.Error("the depth is not bounded")
	}
}

// Fonts without number may name one long array of widths: reading it for each would take minutes, and gigabytes.
func TestWidthsAreBounded(t *testing.T) {
	c := newChecker(goodPDF(t), archive)
	c.file, _ = cos.Open(c.pdf, cos.DefaultLimits)
	fonts := newFontReader(c.lookup)
	const lastCID = 1<<16 - 1
	widths := func(spans int) map[int]float64 {
		var w cos.Array
		for range spans {
			w = append(w, int64(0), int64(lastCID), int64(500))
		}
		all, _ := fonts.cidWidths(cos.Dict{"W": w})
		return all
	}
	const within = maxWidths / (lastCID + 1)
	if all := widths(within); len(all) != lastCID+1 || all[lastCID] != 500 {
		t.Errorf("%d spans: %d widths", within, len(all))
	}
	if all := widths(1); all != nil {
		t.Errorf("a span more: %d widths", len(all))
	}
}

// Two checks of a file report the same, although some rules are about the entries of a dictionary.
func TestSameReport(t *testing.T) {
	entries := func(n int) types.Dict {
		d := types.Dict{}
		for i := range n {
			d[fmt.Sprintf("Entry%d", i)] = types.Dict{"S": types.Name("Launch"), "Type": types.Name("Filespec")}
		}
		return d
	}
	for name, change := range map[string]func(c *conversion, catalog types.Dict){
		"Info": func(c *conversion, _ types.Dict) {
			for _, key := range []string{"Title", "Author", "Subject", "Keywords", "Creator", "Producer"} {
				c.info()[key] = types.StringLiteral("other " + key)
			}
		},
		"Perms": inCatalog("Perms", entries(9)),
		"actions": inCatalog("AA", types.Dict{
			"A": types.Dict{"S": types.Name("Launch")}, "B": types.Dict{"S": types.Name("Sound")},
			"C": types.Dict{"S": types.Name("Movie")}, "D": types.Dict{"S": types.Name("Hide")},
		}),
		"values": inCatalog("Own", types.Dict{
			"A": types.Dict{"A": types.Dict{"S": types.Name("Launch")}}, "B": types.Dict{"A": types.Dict{"S": types.Name("Sound")}},
			"C": types.Dict{"A": types.Dict{"S": types.Name("Movie")}}, "D": types.Dict{"A": types.Dict{"S": types.Name("Hide")}},
		}),
		"files": inCatalog("Own", types.Dict{"Type": types.Name("Filespec"), "EF": types.Dict{
			"A": types.Dict{"Subtype": types.Name("a")}, "B": types.Dict{"Subtype": types.Name("b")},
			"C": types.Dict{"Subtype": types.Name("c")}, "D": types.Dict{"Subtype": types.Name("d")},
		}}),
	} {
		pdf := broken(t, goodPDF(t), change)
		first := CheckForeign(cos.NewSource(pdf))
		if first == nil {
			t.Fatalf("%s: nothing is reported", name)
		}
		for range 20 {
			if again := CheckForeign(cos.NewSource(pdf)); again.Error() != first.Error() {
				t.Errorf("%s: first %s\nthen %s", name, first, again)
				break
			}
		}
	}
}

// A page may name one stream any number of times: it is decoded once, and counted each time.
func TestContentNamedAgain(t *testing.T) {
	const times, size = 100, 10
	objects := "%%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n" +
		"3 0 obj\n<</Type/Page/MediaBox[0 0 9 9]/Contents[%s]>>\nendobj\n4 0 obj\n<</Filter/RL/Length %d>>\nstream\n%s\nendstream\nendobj\ntrailer\n<</Root 1 0 R>>\n"
	read := func(decoded int) (content []byte, exhausted bool) {
		data := strings.Repeat("\x00 ", size)
		c := newChecker(fmt.Appendf(nil, objects, strings.Repeat("4 0 R ", times), len(data), data), archive)
		var err error
		if c.file, err = cos.Open(c.pdf, cos.Limits{Objects: times, Decoded: decoded}); err != nil {
			t.Fatal(err)
		}
		return c.pageContent(c.file.Dict(cos.Ref{Number: 3})), c.file.Exhausted()
	}
	const most = 2*size + (times-1)*(size+1)
	if content, exhausted := read(most); len(content) != times*(size+1) || exhausted {
		t.Errorf("%d bytes of content, exhausted: %t", len(content), exhausted)
	}
	if content, exhausted := read(most - 1); len(content) >= times*(size+1) || !exhausted {
		t.Errorf("with a limit of a byte less: %d bytes of content, exhausted: %t", len(content), exhausted)
	}
}

// The text of an element may be in any number of parts: it is not copied for each.
func TestTextInParts(t *testing.T) {
	packet := []byte("<x>" + strings.Repeat("a", 100_000) + strings.Repeat("<!---->a", 1000) + "</x>")
	var top *element
	used := testing.AllocsPerRun(1, func() {
		var err error
		if top, err = parseXMP(packet); err != nil {
			t.Fatal(err)
		}
	})
	if text := top.children[0].text; len(text) != 101_000 {
		t.Errorf("%d characters", len(text))
	}
	if used > 200 {
		t.Errorf("%.0f allocations for 1000 parts", used)
	}
}
