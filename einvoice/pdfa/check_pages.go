package pdfa

import (
	"math"
	"slices"

	"platen.dev/einvoice/pdfa/cos"
)

// maxPages bounds the walk through the tree.
const maxPages = 100_000

// pages walks the tree of pages, giving them what they inherit.
func (i *inspection) pages() {
	i.tree(i.catalog["Pages"], cos.Dict{}, map[any]bool{}, 0)
	i.when(len(i.pageDicts) == 0, "6.1.2-1", "the document has no pages")
}

func (i *inspection) tree(value any, inherited cos.Dict, seen map[any]bool, depth int) {
	d := i.file.Dict(value)
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
		for _, kid := range i.file.Array(d["Kids"]) {
			i.tree(kid, own, seen, depth+1)
		}
		return
	}
	i.pageDicts = append(i.pageDicts, d)
	i.page(len(i.pageDicts), d, own)
}

func (i *inspection) page(number int, d, inherited cos.Dict) {
	i.when(d["AA"] != nil, "6.5.2-2", "page %d has additional actions", number)
	i.when(d["PresSteps"] != nil, "6.10-2", "page %d has PresSteps", number)
	i.when(d["Resources"] == nil && inherited["Resources"] != nil, "6.2.2-2", "page %d has no resources of its own", number)
	for _, key := range []cos.Name{"MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"} {
		box := d[key]
		if box == nil {
			box = inherited[key]
		}
		i.when(box != nil && !i.fits(box), "6.1.13-11", "page %d: %s is not between 3 and 14400 units", number, key)
	}
	i.when(inherited["MediaBox"] == nil, "6.1.13-11", "page %d has no MediaBox", number)
	for _, annotation := range i.file.Array(d["Annots"]) {
		if a := i.file.Dict(annotation); a["Type"] == nil { // others are met as objects
			i.annotation(number, a)
		}
	}
}

// fits tells whether a box has a size that is allowed.
func (i *inspection) fits(value any) bool {
	box := i.file.Array(value)
	if len(box) != 4 {
		return false
	}
	width := math.Abs(i.number(box[2]) - i.number(box[0]))
	height := math.Abs(i.number(box[3]) - i.number(box[1]))
	return width >= 3 && width <= 14400 && height >= 3 && height <= 14400
}

func (i *inspection) number(value any) float64 {
	switch v := i.file.Resolve(value).(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return math.NaN()
}

// annotation looks at 6.3 and 6.4.1.
func (i *inspection) annotation(number int, d cos.Dict) {
	subtype := i.name(d["Subtype"])
	if !allowedAnnotation(subtype) && !slices.Contains([]string{"Widget", "PrinterMark", "TrapNet", "Redact", "FileAttachment"}, subtype) {
		i.report("6.3.1-1", "annotation in %d is of type %q", number, subtype)
		return
	}
	i.when(subtype == "Widget" && (d["A"] != nil || d["AA"] != nil), "6.4.1-1", "form field in %d has actions", number)
	if subtype == "Popup" {
		return
	}
	i.when(d["F"] == nil, "6.3.2-1", "annotation in %d has no flags", number)
	const forbidden, printed = 1 | 2 | 32 | 256, 4
	flags := i.file.Int(d["F"], printed)
	i.when(flags&forbidden != 0 || flags&printed == 0, "6.3.2-2", "annotation in %d has the flags %d", number, flags)
	i.appearance(number, d, subtype)
}

func (i *inspection) appearance(number int, d cos.Dict, subtype string) {
	look := i.file.Dict(d["AP"])
	switch _, drawn := i.file.Resolve(look["N"]).(*cos.Stream); {
	case look == nil:
		i.when(subtype != "Link" && !i.empty(d["Rect"]), "6.3.3-1", "annotation in %d has no appearance", number)
	case len(look) != 1 || look["N"] == nil:
		i.report("6.3.3-2", "annotation in %d has an appearance other than N", number)
	case subtype != "Widget" && !drawn:
		i.report("6.3.3-4", "annotation in %d has an appearance that is no stream", number)
	}
}

func (i *inspection) empty(rect any) bool {
	r := i.file.Array(rect)
	return len(r) == 4 && i.number(r[0]) == i.number(r[2]) && i.number(r[1]) == i.number(r[3])
}
