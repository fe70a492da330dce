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
func broken(t *testing.T, pdf []byte, change func(c *conversion, catalog types.Dict)) []byte {
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

// state adds a graphics state with an entry to the first page.
func state(entry string, to types.Object) func(*conversion, types.Dict) {
	return func(c *conversion, _ types.Dict) {
		c.dict(c.first("Type", "Page")["Resources"])["ExtGState"].(types.Dict)["Broken"] = types.Dict{entry: to}
	}
}

func action(d types.Dict) func(*conversion, types.Dict) { return set("Subtype", "Link", "A", d) }

var stream = types.StreamDict{Dict: types.Dict{}, Raw: []byte("x")}

// breaks are changes that violate one rule each.
var breaks = []struct {
	rule   string
	change func(*conversion, types.Dict)
}{
	{"6.1.7.2-1", set("Subtype", "Image", "Filter", types.Name("LZWDecode"))},
	{"6.1.7.1-3", set("Subtype", "Image", "F", types.StringLiteral("elsewhere.png"))},
	{"6.1.6-2", set("Subtype", "Link", "NM", types.HexLiteral("zz"))},
	{"6.1.13-1", set("Type", "Page", "PieceInfo", types.Integer(1<<31))},
	{"6.1.13-3", set("Type", "Page", "PieceInfo", types.StringLiteral(strings.Repeat("x", 32768)))},
	{"6.1.13-4", set("Type", "Page", "PieceInfo", types.Name(strings.Repeat("x", 128)))},
	{"6.1.13-5", set("Type", "Page", "PieceInfo", types.Float(1e39))},
	{"6.1.13-8", contentEdit(strings.Repeat("q ", 29) + strings.Repeat("Q ", 29))},
	{"6.1.13-11", set("Type", "Page", "MediaBox", types.Array{types.Integer(0), types.Integer(0), types.Integer(2), types.Integer(500)})},
	{"6.1.13-11", set("Type", "Page", "CropBox", types.Array{types.Integer(0), types.Integer(0), types.Integer(20), types.Integer(14401)})},
	{"6.1.10-1", contentEdit("BI /W 1 /H 1 /BPC 8 /CS /G /F /LZW ID x EI ")},
	{"6.1.12-1", inCatalog("Perms", types.Dict{"Else": types.Dict{}})},
	{"6.2.2-1", contentEdit("BX foo EX ")},
	{"6.2.2-1", contentEdit("<< /A ")},
	{"6.2.2-2", contentEdit("/Nowhere Do ")},
	{"6.2.2-2", contentEdit("/Nowhere 12 Tf ")},
	{"6.2.3-1", set("Alternate", "DeviceRGB", "N", types.Integer(4))},
	{"6.2.3-2", func(c *conversion, catalog types.Dict) {
		other := types.Dict{"S": types.Name("GTS_PDFX"), "DestOutputProfile": c.add(stream)}
		catalog["OutputIntents"] = append(catalog["OutputIntents"].(types.Array), other)
	}},
	{"6.2.4.3-3", contentEdit("0 0 0 1 k ")},
	{"6.2.4.3-3", contentEdit("/DeviceCMYK cs ")},
	{"6.2.4.3-3", set("Subtype", "Image", "ColorSpace", types.Array{types.Name("Indexed"), types.Name("DeviceCMYK"), types.Integer(0), types.HexLiteral("00000000")})},
	{"6.2.5-1", state("TR", types.Name("Identity"))},
	{"6.2.5-2", state("TR2", types.Name("Identity"))},
	{"6.2.5-3", state("HTP", types.Array{})},
	{"6.2.5-4", set("Subtype", "Link", "X", types.Dict{"Type": types.Name("Halftone"), "HalftoneType": types.Integer(6)})},
	{"6.2.6-1", state("RI", types.Name("Nice"))},
	{"6.2.6-1", contentEdit("/Nice ri ")},
	{"6.2.6-1", set("Subtype", "Image", "Intent", types.Name("Nice"))},
	{"6.2.8-1", set("Subtype", "Image", "Alternates", types.Array{})},
	{"6.2.8-2", set("Subtype", "Image", "OPI", types.Dict{})},
	{"6.2.8-3", set("Subtype", "Image", "Interpolate", types.Boolean(true))},
	{"6.2.8-3", contentEdit("BI /W 1 /H 1 /BPC 8 /CS /G /I true ID x EI ")},
	{"6.2.8-4", set("Subtype", "Image", "BitsPerComponent", types.Integer(7))},
	{"6.2.9-1", set("Subtype", "Form", "OPI", types.Dict{})},
	{"6.2.9-1", set("Subtype", "Form", "Subtype2", types.Name("PS"))},
	{"6.2.9-2", set("Subtype", "Form", "Ref", types.Dict{})},
	{"6.2.9-3", func(c *conversion, catalog types.Dict) {
		catalog["X"] = c.add(types.StreamDict{Dict: types.Dict{"Subtype": types.Name("PS")}, Raw: []byte("x")})
	}},
	{"6.2.10-1", state("BM", types.Name("Glow"))},
	{"6.2.11.2-2", set("Subtype", "CIDFontType2", "Subtype", types.Name("Type9"))},
	{"6.2.11.2-3", unset("Subtype", "Type0", "BaseFont")},
	{"6.2.11.2-4", unset("Subtype", "Type3", "FirstChar")},
	{"6.2.11.2-5", unset("Subtype", "Type3", "LastChar")},
	{"6.2.11.2-6", set("Subtype", "Type3", "Widths", types.Array{})},
	{"6.2.11.3.2-1", unset("Subtype", "CIDFontType2", "CIDToGIDMap")},
	{"6.2.11.3.3-1", set("Subtype", "Type0", "Encoding", types.Name("UniJIS-UCS2-H"))},
	{"6.2.11.4.1-1", func(c *conversion, _ types.Dict) {
		delete(c.dict(c.first("Subtype", "CIDFontType2")["FontDescriptor"]), "FontFile2")
	}},
	{"6.2.11.4.2-2", func(c *conversion, _ types.Dict) {
		c.dict(c.first("Subtype", "CIDFontType2")["FontDescriptor"])["CIDSet"] = types.Dict{}
	}},
	{"6.2.11.6-2", func(c *conversion, catalog types.Dict) {
		catalog["X"] = types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name("TrueType"), "BaseFont": types.Name("X"), "FirstChar": types.Integer(1), "LastChar": types.Integer(1),
			"Widths": types.Array{types.Integer(1)}, "FontDescriptor": types.Dict{"FontFile2": c.add(stream)},
		}
	}},
	{"6.2.11.8-1", func(c *conversion, catalog types.Dict) {
		font := types.IndirectRef{ObjectNumber: types.Integer(c.number("Subtype", "Type0"))}
		c.dict(c.first("Type", "Page")["Resources"])["Font"] = types.Dict{"Zero": font}
		contentEdit("BT /Zero 12 Tf [(\\000\\000)] TJ ET ")(c, catalog)
	}},
	{"6.3.1-1", set("Subtype", "Link", "Subtype", types.Name("Movie"))},
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
	{"6.6.2.3.2-1", xmpEdit("<pdfaSchema:prefix>", "<pdfaSchema:else>x</pdfaSchema:else><pdfaSchema:prefix>")},
	{"6.6.2.3.3-2", xmpEdit("<pdfaSchema:schema>Schema for tests</pdfaSchema:schema>", "")},
	{"6.6.2.3.3-4", xmpEdit("<pdfaSchema:prefix>t</pdfaSchema:prefix>", "")},
	{"6.6.2.3.3-8", xmpEdit("<pdfaProperty:valueType>Text", "<pdfaProperty:valueType>Thing")},
	{"6.6.2.3.3-9", xmpEdit("<pdfaProperty:category>external", "<pdfaProperty:category>other")},
	{"6.6.2.3.3-10", xmpEdit("<pdfaProperty:description>The version</pdfaProperty:description>", "")},
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
	for n, b := range breaks {
		t.Run(fmt.Sprintf("%s#%d", b.rule, n), func(t *testing.T) {
			err := Check(broken(t, good, b.change), archive)
			if got := rules(err); !slices.Equal(got, []string{b.rule}) {
				t.Errorf("%v", err)
			}
		})
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
	} {
		if got := rules(Check(c.pdf, archive)); !slices.Equal(got, []string{c.rule}) {
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
