package pdfa

import (
	"math"
	"slices"

	"platen.dev/document/pdfa/cos"
)

// maxFieldDepth is how many ancestors of a form field are asked for its type.
const maxFieldDepth = 32

// maxPages is how many nodes of the page tree are read.
const maxPages = 100_000

// pages checks the pages, with the attributes that they inherit in the page tree.
func (c *checker) pages() {
	c.pageTree(c.catalog["Pages"], cos.Dict{}, map[any]bool{}, 0)
	c.reportIf(len(c.pageDicts) == 0, "6.1.2-1", "the document has no pages")
}

func (c *checker) pageTree(value any, inherited cos.Dict, seen map[any]bool, depth int) {
	d := c.file.Dict(value)
	if ref, ok := value.(cos.Ref); d == nil || !ok || seen[ref] || depth > 64 || len(seen) > maxPages {
		return
	}
	seen[value] = true
	own := cos.Dict{}
	for _, key := range []cos.Name{"MediaBox", "CropBox", "Resources"} {
		if own[key] = d[key]; own[key] == nil {
			own[key] = inherited[key]
		}
	}
	if d["Kids"] != nil {
		for _, kid := range c.file.Array(d["Kids"]) {
			c.pageTree(kid, own, seen, depth+1)
		}
		return
	}
	c.pageDicts, c.resources = append(c.pageDicts, d), append(c.resources, c.file.Dict(own["Resources"]))
	c.page(len(c.pageDicts), d, own)
}

func (c *checker) page(number int, d, inherited cos.Dict) {
	c.reportIf(d["AA"] != nil, "6.5.2-2", "page %d has additional actions", number)
	c.reportIf(d["PresSteps"] != nil, "6.10-2", "page %d has PresSteps", number)
	for _, key := range []cos.Name{"MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"} {
		box := d[key]
		if box == nil {
			box = inherited[key]
		}
		c.reportIf(box != nil && !c.boxSizeAllowed(box), "6.1.13-11", "page %d: the sides of %s are not between 3 and 14400 units", number, key)
	}
	c.reportIf(inherited["MediaBox"] == nil, "6.1.13-11", "page %d has no MediaBox", number)
	for _, annotation := range c.file.Array(d["Annots"]) {
		if a := c.file.Dict(annotation); a != nil {
			c.annotation(number, a)
		}
	}
}

// boxSizeAllowed reports whether the size of a page boundary is allowed.
func (c *checker) boxSizeAllowed(value any) bool {
	box := c.file.Array(value)
	if len(box) != 4 {
		return false
	}
	width := math.Abs(c.number(box[2]) - c.number(box[0]))
	height := math.Abs(c.number(box[3]) - c.number(box[1]))
	return width >= 3 && width <= 14400 && height >= 3 && height <= 14400
}

// annotation checks an annotation (6.3, 6.4.1).
func (c *checker) annotation(number int, d cos.Dict) {
	subtype := c.name(d["Subtype"])
	known := allowedAnnotation(subtype) || slices.Contains([]string{"Widget", "PrinterMark", "TrapNet", "Redact", "FileAttachment"}, subtype)
	c.reportIf(!known, "6.3.1-1", "an annotation of page %d has type %q", number, subtype)
	c.reportIf(subtype == "Widget" && (d["A"] != nil || d["AA"] != nil), "6.4.1-1", "a form field of page %d has actions", number)
	if subtype == "Popup" {
		return
	}
	c.reportIf(d["F"] == nil, "6.3.2-1", "an annotation of page %d has no flags", number)
	const forbidden, printed = 1 | 2 | 32 | 256, 4
	flags := c.file.Int(d["F"], printed)
	c.reportIf(flags&forbidden != 0 || flags&printed == 0, "6.3.2-2", "an annotation of page %d has the flags %d", number, flags)
	c.appearance(number, d, subtype)
}

func (c *checker) appearance(number int, d cos.Dict, subtype string) {
	appearance := c.file.Dict(d["AP"])
	switch _, drawn := c.file.Resolve(appearance["N"]).(*cos.Stream); {
	case appearance == nil:
		c.reportIf(subtype != "Link" && !c.isEmptyRect(d["Rect"]), "6.3.3-1", "an annotation of page %d has no appearance", number)
	case len(appearance) != 1 || appearance["N"] == nil:
		c.report("6.3.3-2", "an annotation of page %d has an appearance other than N", number)
	case subtype == "Widget" && c.fieldType(d) == "Btn":
		c.reportIf(drawn, "6.3.3-3", "a button of page %d has one appearance instead of one for each of its states", number)
	case !drawn:
		c.report("6.3.3-4", "an annotation of page %d has a normal appearance that is not a stream", number)
	}
}

// fieldType returns the type of a form field, which it may inherit.
func (c *checker) fieldType(d cos.Dict) string {
	for range maxFieldDepth {
		if d == nil || d["FT"] != nil {
			break
		}
		d = c.file.Dict(d["Parent"])
	}
	return c.name(d["FT"])
}

func (c *checker) isEmptyRect(rect any) bool {
	r := c.file.Array(rect)
	return len(r) == 4 && c.number(r[0]) == c.number(r[2]) && c.number(r[1]) == c.number(r[3])
}
