package pdfa

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/pdfa/pack"
)

// repair removes from every object what PDF/A forbids and a printed document does not
// need.
func (c *conversion) repair(catalog types.Dict) {
	for _, key := range []string{
		"AA", "OpenAction", "Requirements", "NeedsRendering", "Perms", "Collection", "Version", "AcroForm", // 6.5, 6.11, 6.4
		"Metadata", "OutputIntents", "AF", // replaced
	} {
		delete(catalog, key)
	}
	if names := c.dict(catalog["Names"]); names != nil {
		for _, key := range []string{"JavaScript", "AlternatePresentations", "Renditions", "EmbeddedFiles"} { // 6.10
			delete(names, key)
		}
	}
	c.repairLayers(catalog)
	for _, number := range slices.Sorted(maps.Keys(c.Table)) {
		if object := c.object(number); object != nil && c.err == nil {
			c.repairObject(number, object)
		}
	}
}

func (c *conversion) repairObject(number int, object types.Object) {
	if stream, ok := pack.Stream(object); ok {
		if !hasName(stream.Dict, "Type", "XRef", "ObjStm") {
			c.repairStream(number, stream)
		}
		return
	}
	c.repairValue(object, 0)
}

// repairValue repairs a direct object and everything in it, as a dictionary of any kind
// may be direct or indirect.
func (c *conversion) repairValue(object types.Object, depth int) {
	if depth > pack.MaxNesting {
		c.fail("objects nested deeper than %d", pack.MaxNesting)
		return
	}
	switch v := object.(type) {
	case types.Dict:
		c.repairDict(v)
		for _, entry := range v {
			c.repairValue(entry, depth+1)
		}
	case types.Array:
		for _, entry := range v {
			c.repairValue(entry, depth+1)
		}
	}
}

func (c *conversion) repairDict(d types.Dict) {
	if c.isUntypedDict(d["AA"]) { // 6.5.2, 6.4.1
		delete(d, "AA")
	}
	for _, key := range []string{"A", "Next", "Action"} { // 6.5.1
		if c.forbiddenAction(d[key]) {
			delete(d, key)
		}
	}
	if c.isStream(d["CIDSet"]) { // 6.2.11.4.2-2: optional, and usually wrong
		delete(d, "CIDSet")
	}
	if c.isStream(d["Metadata"]) { // of images and fonts: 6.6.2 applies to it as well
		delete(d, "Metadata")
	}
	for _, key := range []string{"Alt", "ActualText", "E"} {
		if text, ok := d[key].(interface{ Value() string }); ok && len(text.Value()) > 32767 { // 6.1.13-3
			delete(d, key)
		}
	}
	if states := c.dict(d["ExtGState"]); states != nil {
		for _, state := range states {
			c.repairGraphicsState(c.dict(state))
		}
	}
	if c.nameOf(d["Type"]) == "Page" {
		delete(d, "PresSteps") // 6.10-2
		c.repairAnnotations(d)
	}
}

// forbiddenAction reports whether a value is an action that Convert removes: those that
// PDF/A forbids (6.5.1), and those for forms, rich media and attachments.
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

// repairGraphicsState repairs a graphics state (6.2.5).
func (c *conversion) repairGraphicsState(d types.Dict) {
	for _, key := range []string{"TR", "HTP", "HT"} {
		delete(d, key)
	}
	if c.nameOf(d["TR2"]) != "Default" {
		delete(d, "TR2")
	}
	if !allowedIntent(c.nameOf(d["RI"])) {
		delete(d, "RI")
	}
}

// allowedIntent reports whether a rendering intent is allowed (6.2.6). "" means none.
func allowedIntent(name string) bool {
	return slices.Contains([]string{"", "RelativeColorimetric", "AbsoluteColorimetric", "Perceptual", "Saturation"}, name)
}

// repairAnnotations removes the annotations of a page that allowedAnnotation does not
// allow, and makes the others visible and printed.
func (c *conversion) repairAnnotations(page types.Dict) {
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

// allowedAnnotation reports whether Convert keeps annotations of a type. It removes those that 6.3.1 forbids, as well
// as attachments and form fields, which printed pages do not need.
func allowedAnnotation(subtype string) bool {
	switch subtype {
	case "Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine", "Highlight", "Underline", "Squiggly",
		"StrikeOut", "Stamp", "Caret", "Ink", "Popup", "Watermark":
		return true
	}
	return false
}

// repairLayers repairs optional content, which watermarks are: the configuration gets a
// name, Order lists every group, and nothing switches groups automatically (6.9).
func (c *conversion) repairLayers(catalog types.Dict) {
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
