package pdfa

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/document/pdfa/cos"
	"platen.dev/document/xmp"
)

// accessible checks the rules of PDF/UA-1 that are about the document and its structure (ISO 14289-1, 5 to 7).
func (c *checker) accessible() {
	root := c.file.Dict(c.catalog["StructTreeRoot"])
	a := &access{checker: c, root: root, kinds: map[cos.Ref]string{}, seen: map[cos.Ref]bool{}}
	a.catalogEntries()
	a.claimed()
	if root == nil {
		c.add("7.1-11", "the document has no structure")
		return
	}
	a.owners = map[int64]any{}
	a.readOwners(root["ParentTree"], 0)
	for _, k := range a.kidsOf(root) {
		a.element(k, "StructTreeRoot", 0)
	}
	a.pageMarks()
	a.annotations()
}

// access is the state of checking the structure.
type access struct {
	*checker
	root     cos.Dict
	owners   map[int64]any      // by the keys of pages and annotations
	kinds    map[cos.Ref]string // of elements
	seen     map[cos.Ref]bool
	pictures int // pictures found so far
	heading  int // the level of the last one
}

func (a *access) addIf(violated bool, rule, format string, args ...any) {
	if violated {
		a.add(rule, format, args...)
	}
}

var languageTag = regexp.MustCompile(`^[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*$`)

// catalogEntries checks the entries of the catalog (6.2, 7.1, 7.2).
func (a *access) catalogEntries() {
	mark := a.file.Dict(a.catalog["MarkInfo"])
	a.addIf(a.file.Resolve(mark["Marked"]) != true, "6.2-1", "the document is not marked as tagged")
	a.addIf(a.file.Resolve(mark["Suspects"]) == true, "7.1-4", "the structure is suspect")
	shown := a.file.Resolve(a.file.Dict(a.catalog["ViewerPreferences"])["DisplayDocTitle"]) == true
	a.addIf(!shown, "7.1-10", "the title is not to be shown")
	switch tag := cos.Text(a.file.Resolve(a.catalog["Lang"])); {
	case tag == "":
		a.add("7.2-34", "the document has no language: set the attribute lang of its html element, or metadata.language")
	case !languageTag.MatchString(tag):
		a.add("7.2-29", "the language %.60q is not a language tag", tag)
	}
}

// claimed checks the XMP packet (5, 7.1).
func (a *access) claimed() {
	if a.xmp.values == nil {
		return // metadata has reported that
	}
	part, prefix := a.xmp.get(xmp.UANamespace, "part"), a.xmp.prefixes[[2]string{xmp.UANamespace, "part"}]
	a.addIf(part == "", "5-1", "the packet has no PDF/UA identification")
	a.addIf(part != "" && part != "1", "5-2", "part is %q", part)
	a.addIf(part != "" && prefix != "pdfuaid", "5-3", "part has the prefix %q", prefix)
	a.addIf(a.xmp.get(dcNamespace, "title") == "", "7.1-9", "the document has no title: give it a title element, a first heading in Markdown, or metadata.title")
}

// readOwners reads the parent tree, which maps content to its owners (ISO 32000-1, 14.7.4.4).
func (a *access) readOwners(value any, depth int) {
	d := a.file.Dict(value)
	if depth > 32 {
		return
	}
	pairs := a.file.Array(d["Nums"])
	for n := 1; n < len(pairs); n += 2 {
		if key, ok := a.file.Resolve(pairs[n-1]).(int64); ok {
			a.owners[key] = pairs[n]
		}
	}
	for _, kid := range a.file.Array(d["Kids"]) {
		a.readOwners(kid, depth+1)
	}
}

// kidsOf are the kids of an element, content items included.
func (a *access) kidsOf(d cos.Dict) []any {
	switch k := a.file.Resolve(d["K"]).(type) {
	case cos.Array:
		return k
	case nil:
		return nil
	}
	return []any{d["K"]}
}

// standardTypes are those of ISO 32000-1, 14.8.4.
var standardTypes = strings.Fields(`Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6
	L LI Lbl LBody Table TR TH TD THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Ruby RB RT RP Warichu WT WP Figure Formula Form`)

// kind is the standard type of an element, by the role map if it has another (7.1).
func (a *access) kind(d cos.Dict) string {
	name := a.name(d["S"])
	for range 8 {
		if slices.Contains(standardTypes, name) {
			break
		}
		mapped := a.name(a.file.Dict(a.root["RoleMap"])[cos.Name(name)])
		if mapped == "" {
			a.add("7.1-5", "elements have the type %.60q", name)
			break
		}
		name = mapped
	}
	return name
}

// element checks an element and everything below. It returns the element's type, "" for a content item.
func (a *access) element(value any, parent string, depth int) string {
	d := a.file.Dict(value)
	ref, isRef := value.(cos.Ref)
	if d["S"] == nil || depth > 500 {
		return ""
	}
	if isRef && a.seen[ref] {
		a.add("7.1-12", "an element of the structure has two parents")
		return ""
	}
	a.seen[ref] = isRef
	kind := a.kind(d)
	a.kinds[ref] = kind
	a.addIf(d["P"] == nil, "7.1-12", "an element of type %s has no parent", kind)
	a.content(kind, d)
	var kids []string
	for _, k := range a.kidsOf(d) {
		if below := a.element(k, kind, depth+1); below != "" {
			kids = append(kids, below)
		}
	}
	a.nesting(kind, parent, kids)
	if kind == "Table" {
		a.table(d)
	}
	return kind
}

// content checks what elements of some types must have (7.3, 7.4.2, 7.7, 7.9).
func (a *access) content(kind string, d cos.Dict) {
	text := cos.Text(a.file.Resolve(d["Alt"])) + cos.Text(a.file.Resolve(d["ActualText"]))
	switch kind {
	case "Figure":
		a.pictures++
		a.addIf(text == "", "7.3-1", "picture %d%s has no alternative text: give it the attribute alt, empty if it is only decoration", a.pictures, a.onPage(d))
	case "Formula":
		a.addIf(text == "", "7.7-1", "a formula%s has no alternative text", a.onPage(d))
	case "Note":
		a.addIf(d["ID"] == nil, "7.9-1", "a note%s has no name", a.onPage(d))
	case "H1", "H2", "H3", "H4", "H5", "H6":
		level := int(kind[1] - '0')
		a.addIf(level > a.heading+1, "7.4.2-1", "a heading of level %d comes after one of level %d", level, a.heading)
		a.heading = level
	}
}
