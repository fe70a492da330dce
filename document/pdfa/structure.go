package pdfa

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// maxElements bounds the elements of a structure: more take too long to check.
const maxElements = 2_000_000

// tag is an element of the structure tree (14.7.2). Its kids are elements and content items: what refers to marked
// content or to an annotation.
type tag struct {
	ref    types.IndirectRef
	dict   types.Dict
	parent *tag
	kids   []kid
}

// kid is an element, or else a content item of a page.
type kid struct {
	tag  *tag
	item types.Object
	page *types.IndirectRef // of an item
}

func (t *tag) kind() string {
	name, _ := t.dict["S"].(types.Name)
	return string(name)
}

func (t *tag) rename(kind string) { t.dict["S"] = types.Name(kind) }

// structure is the structure tree of a document.
type structure struct {
	c     *conversion
	root  types.Dict // StructTreeRoot
	top   *tag       // represents the root
	count int
}

// structure tidies the structure that the browser wrote, which has several elements for each word, and repairs
// what PDF/UA wants of it.
func (c *conversion) structure(catalog types.Dict) {
	root := c.dict(catalog["StructTreeRoot"])
	if root == nil {
		return
	}
	s := &structure{c: c, root: root, top: &tag{dict: root, ref: refOf(catalog["StructTreeRoot"])}}
	s.read(s.top, 0)
	if c.err != nil {
		return
	}
	s.each(s.top, s.repairFigure)
	s.each(s.top, s.collapse)
	s.each(s.top, s.repairList)
	s.each(s.top, s.repairTable)
	if c.doc.Accessible {
		s.repairHeadings()
		s.adoptLinks(catalog)
		s.mapRoles()
	}
	s.forgetIDs()
	s.write(s.top)
	c.owners = s.writeParents()
}

func refOf(object types.Object) types.IndirectRef {
	ref, _ := object.(types.IndirectRef)
	return ref
}

// read reads the kids of an element and everything below.
func (s *structure) read(t *tag, depth int) {
	if s.count++; depth > 500 || s.count > maxElements {
		s.c.fail("the structure is too large")
		return
	}
	var all types.Array
	switch k := s.c.value(t.dict["K"]).(type) {
	case types.Array:
		all = k
	case nil:
	default:
		all = types.Array{t.dict["K"]}
	}
	for _, object := range all {
		s.readKid(t, object, depth)
	}
}

func (s *structure) readKid(t *tag, object types.Object, depth int) {
	d, isDict := s.c.value(object).(types.Dict)
	ref, isRef := object.(types.IndirectRef)
	switch {
	case isDict && isRef && d["S"] != nil:
		child := &tag{ref: ref, dict: d, parent: t}
		t.kids = append(t.kids, kid{tag: child})
		s.read(child, depth+1)
	case isDict:
		item := kid{item: d}
		if page, ok := d["Pg"].(types.IndirectRef); ok {
			item.page = &page
		} else if page, ok := t.dict["Pg"].(types.IndirectRef); ok {
			item.page = &page
		}
		t.kids = append(t.kids, item)
	default:
		if id, ok := s.c.value(object).(types.Integer); ok {
			item := kid{item: id}
			if page, ok := t.dict["Pg"].(types.IndirectRef); ok {
				item.page = &page
			}
			t.kids = append(t.kids, item)
		}
	}
}

// each does something with every element below one, the innermost first.
func (s *structure) each(t *tag, do func(*tag)) {
	for _, k := range slices.Clone(t.kids) {
		if k.tag != nil {
			s.each(k.tag, do)
			do(k.tag)
		}
	}
}

// hollow are the entries of an element without any meaning of its own.
var hollow = map[string]bool{"Type": true, "S": true, "P": true, "K": true, "Pg": true}

// collapsible reports whether an element is meaningless and may be replaced by its kids.
func (t *tag) collapsible() bool {
	if t.kind() != "NonStruct" || t.parent == nil {
		return false
	}
	for key := range t.dict {
		if !hollow[key] {
			return false
		}
	}
	switch t.parent.kind() {
	case "P", "H1", "H2", "H3", "H4", "H5", "H6", "Lbl", "LBody", "LI", "TH", "TD", "Caption", "Link", "Code", "Span", "Quote", "Em", "Strong", "NonStruct":
		return true
	}
	return false
}

// collapse replaces meaningless kids of an element by their own kids.
func (s *structure) collapse(t *tag) {
	var kids []kid
	for _, k := range t.kids {
		if k.tag == nil || !k.tag.collapsible() {
			kids = append(kids, k)
			continue
		}
		for _, below := range k.tag.kids {
			if below.tag != nil {
				below.tag.parent = t
			}
		}
		kids = append(kids, k.tag.kids...)
	}
	t.kids = kids
}

// wrap puts kids of an element into a new element of a kind.
func (s *structure) wrap(t *tag, kind string, kids []kid) kid {
	d := types.Dict{"S": types.Name(kind)}
	w := &tag{ref: s.c.add(d), dict: d, parent: t, kids: kids}
	for _, k := range kids {
		if k.tag != nil {
			k.tag.parent = w
		}
	}
	return kid{tag: w}
}

// write writes the kids of every element back into its dictionary.
func (s *structure) write(t *tag) {
	for _, k := range t.kids {
		if k.tag != nil {
			k.tag.dict["P"] = t.ref
			s.write(k.tag)
		}
	}
	delete(t.dict, "K")
	delete(t.dict, "Pg")
	if t != s.top {
		delete(t.dict, "Type") // optional
	}
	var all types.Array
	for _, k := range t.kids {
		all = append(all, t.write(k))
	}
	switch len(all) {
	case 0:
	case 1:
		t.dict["K"] = all[0]
	default:
		t.dict["K"] = all
	}
}

// write returns an element's reference to a kid. The page of the first content item becomes the page of the element.
func (t *tag) write(k kid) types.Object {
	if k.tag != nil {
		return k.tag.ref
	}
	if t.dict["Pg"] == nil && k.page != nil {
		t.dict["Pg"] = *k.page
	}
	same := k.page == nil || refOf(t.dict["Pg"]) == *k.page
	switch item := k.item.(type) {
	case types.Dict:
		if !same {
			item["Pg"] = *k.page
		}
	case types.Integer:
		if !same {
			return types.Dict{"Type": types.Name("MCR"), "Pg": *k.page, "MCID": item}
		}
	}
	return k.item
}
