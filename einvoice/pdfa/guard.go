package pdfa

import (
	"bytes"
	"compress/zlib"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// guard takes out of every object what PDF/A forbids and a printed page can do without.
func (c *conversion) guard(catalog types.Dict) {
	for _, key := range []string{
		"AA", "OpenAction", "Requirements", "NeedsRendering", "Perms", "Collection", "Version", "AcroForm", // 6.5, 6.11, 6.4
		"Metadata", "OutputIntents", "AF", // made anew
	} {
		delete(catalog, key)
	}
	if names := c.dict(catalog["Names"]); names != nil {
		for _, key := range []string{"JavaScript", "AlternatePresentations", "Renditions", "EmbeddedFiles"} { // 6.10
			delete(names, key)
		}
	}
	c.layers(catalog)
	for _, number := range slices.Sorted(maps.Keys(c.Table)) {
		if object := c.object(number); object != nil && c.fault == nil {
			c.guardObject(number, object)
		}
	}
}

// object is an object by its number, read from its object stream if it is in one.
func (c *conversion) object(number int) types.Object {
	entry := c.Table[number]
	if entry == nil || entry.Free || number == 0 {
		return nil
	}
	object, err := c.Dereference(*types.NewIndirectRef(number, 0))
	if err != nil {
		return nil // the writer will say so if anybody needs it
	}
	return object
}

func (c *conversion) guardObject(number int, object types.Object) {
	if stream, ok := streamOf(object); ok {
		if isNot(stream.Dict, "Type", "XRef", "ObjStm") {
			c.guardStream(number, stream)
		}
		return
	}
	c.guardValue(object, 0)
}

// guardValue looks into direct objects, too: dictionaries of any kind may be either.
func (c *conversion) guardValue(object types.Object, depth int) {
	if depth > maxNesting {
		c.fail("objects nested deeper than %d", maxNesting)
		return
	}
	switch v := object.(type) {
	case types.Dict:
		c.guardDict(v)
		for _, entry := range v {
			c.guardValue(entry, depth+1)
		}
	case types.Array:
		for _, entry := range v {
			c.guardValue(entry, depth+1)
		}
	}
}

func (c *conversion) guardDict(d types.Dict) {
	if c.plainDict(d["AA"]) { // 6.5.2, 6.4.1
		delete(d, "AA")
	}
	for _, key := range []string{"A", "Next", "Action"} { // 6.5.1
		if c.forbiddenAction(d[key]) {
			delete(d, key)
		}
	}
	if c.isStream(d["CIDSet"]) { // 6.2.11.4.2-2: optional, and wrong more often than not
		delete(d, "CIDSet")
	}
	if c.isStream(d["Metadata"]) { // of images and fonts: as bound by 6.6.2 as the document's own
		delete(d, "Metadata")
	}
	for _, key := range []string{"Alt", "ActualText", "E"} {
		if text, ok := d[key].(interface{ Value() string }); ok && len(text.Value()) > 32767 { // 6.1.13-3
			delete(d, key)
		}
	}
	if states := c.dict(d["ExtGState"]); states != nil {
		for _, state := range states {
			c.guardState(c.dict(state))
		}
	}
	if c.nameOf(d["Type"]) == "Page" {
		delete(d, "PresSteps") // 6.10-2
		c.guardAnnotations(d)
	}
}

// plainDict and isStream tell keys of PDF's own from those that a document's author
// chose: links' targets and resources stand in dictionaries under any name.
func (c *conversion) plainDict(value types.Object) bool {
	d, ok := c.value(value).(types.Dict)
	return ok && d["Type"] == nil
}

func (c *conversion) isStream(value types.Object) bool {
	_, ok := c.value(value).(types.StreamDict)
	return ok
}

// forbiddenAction tells whether a value is an action other than those that go somewhere.
func (c *conversion) forbiddenAction(value types.Object) bool {
	d := c.dict(value)
	switch c.nameOf(d["S"]) {
	case "Launch", "Sound", "Movie", "ResetForm", "ImportData", "Hide", "SetOCGState", "Rendition", "Trans", "GoTo3DView",
		"JavaScript", "SubmitForm", "set-state", "no-op", "SetState", "NOP", "RichMediaExecute", "GoToE":
		return true
	case "Named":
		return !slices.Contains([]string{"NextPage", "PrevPage", "FirstPage", "LastPage"}, c.nameOf(d["N"]))
	}
	return false
}

// guardState is for graphics states (6.2.5).
func (c *conversion) guardState(d types.Dict) {
	for _, key := range []string{"TR", "HTP", "HT"} {
		delete(d, key)
	}
	if c.nameOf(d["TR2"]) != "Default" {
		delete(d, "TR2")
	}
	if !isIntent(c.nameOf(d["RI"])) {
		delete(d, "RI")
	}
}

// isIntent knows the rendering intents (6.2.6), or that there is none.
func isIntent(name string) bool {
	return slices.Contains([]string{"", "RelativeColorimetric", "AbsoluteColorimetric", "Perceptual", "Saturation"}, name)
}

// guardAnnotations keeps links, and of others those that PDF/A allows, visible in print.
func (c *conversion) guardAnnotations(page types.Dict) {
	all := c.array(page["Annots"])
	var kept types.Array
	for _, value := range all {
		d := c.dict(value)
		if d == nil || !allowedAnnotation(c.nameOf(d["Subtype"])) {
			continue
		}
		kept = append(kept, value)
		if c.nameOf(d["Subtype"]) == "Popup" {
			continue
		}
		const invisible, hidden, printed, noView, toggle = 1, 2, 4, 32, 256 // 6.3.2
		flags := 0
		if n, ok := c.value(d["F"]).(types.Integer); ok {
			flags = n.Value()
		}
		d["F"] = types.Integer(flags&^(invisible|hidden|noView|toggle) | printed)
		if ap := c.dict(d["AP"]); ap != nil { // 6.3.3-2
			delete(ap, "D")
			delete(ap, "R")
		}
	}
	if len(kept) < len(all) {
		page["Annots"] = kept
	}
}

// allowedAnnotation leaves out what 6.3.1 forbids, and attachments and form fields,
// which no printed page needs.
func allowedAnnotation(subtype string) bool {
	switch subtype {
	case "Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly",
		"StrikeOut", "Stamp", "Caret", "Ink", "Popup", "Watermark":
		return true
	}
	return false
}

func (c *conversion) guardStream(number int, s types.StreamDict) {
	c.guardDict(s.Dict)
	for key, entry := range s.Dict {
		if key != "DecodeParms" {
			c.guardValue(entry, 1)
		}
	}
	for _, key := range []string{"F", "FFilter", "FDecodeParms"} { // 6.1.7.1-3
		if s.Dict[key] != nil {
			c.fail("stream %d is in another file", number)
		}
	}
	switch c.nameOf(s.Dict["Subtype"]) {
	case "Image":
		for _, key := range []string{"Interpolate", "Alternates", "OPI"} { // 6.2.8
			delete(s.Dict, key)
		}
		if !isIntent(c.nameOf(s.Dict["Intent"])) {
			delete(s.Dict, "Intent")
		}
	case "Form":
		for _, key := range []string{"OPI", "PS", "Ref", "Subtype2"} { // 6.2.9
			delete(s.Dict, key)
		}
	case "PS":
		c.fail("stream %d is PostScript", number) // 6.2.9-3
	}
	c.unLZW(number, s)
}

// unLZW replaces the one filter that is forbidden (6.1.7.2-1).
func (c *conversion) unLZW(number int, s types.StreamDict) {
	if !slices.ContainsFunc(s.FilterPipeline, func(f types.PDFFilter) bool { return f.Name == filter.LZW }) {
		return
	}
	if err := s.Decode(); err != nil {
		c.fail("stream %d: %v", number, err)
		return
	}
	delete(s.Dict, "DecodeParms")
	s.Dict["Filter"] = types.Name(filter.Flate)
	s.Raw = c.deflate(s.Content)
	s.FilterPipeline = []types.PDFFilter{{Name: filter.Flate}}
	c.Table[number].Object = s
}

// layers are what a watermark is in: named, all in order, switched by nothing (6.9).
func (c *conversion) layers(catalog types.Dict) {
	d := c.dict(catalog["OCProperties"])
	if d == nil {
		return
	}
	delete(d, "Configs")
	config := c.dict(d["D"])
	if config == nil {
		config = types.Dict{}
		d["D"] = config
	}
	config["Name"] = types.StringLiteral("Default")
	delete(config, "AS")
	if config["Order"] != nil {
		config["Order"] = slices.Clone(c.array(d["OCGs"]))
	}
}

func (c *conversion) deflate(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	w.Write(data) // a buffer takes everything
	w.Close()
	return out.Bytes()
}

// isNot tells that a name is none of some.
func isNot(d types.Dict, key string, names ...string) bool {
	name, ok := d[key].(types.Name)
	return !ok || !slices.Contains(names, string(name))
}

// value is what a value is or points to; nil if that cannot be read.
func (c *conversion) value(object types.Object) types.Object {
	v, err := c.Dereference(object)
	if err != nil {
		return nil
	}
	return v
}

func (c *conversion) dict(object types.Object) types.Dict {
	switch v := c.value(object).(type) {
	case types.Dict:
		return v
	case types.StreamDict:
		return v.Dict
	}
	return nil
}

func (c *conversion) array(object types.Object) types.Array {
	a, _ := c.value(object).(types.Array)
	return a
}

func (c *conversion) nameOf(object types.Object) string {
	n, _ := c.value(object).(types.Name)
	return string(n)
}
