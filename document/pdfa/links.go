package pdfa

import (
	"cmp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// repairAccess adds the declarations that PDF/UA requires of a document and its pages: that it is tagged and shows its
// title (7.1), the tab order of links (7.18.3), and a description of each link (7.18.5).
func (c *conversion) repairAccess(catalog types.Dict) {
	catalog["MarkInfo"] = types.Dict{"Marked": types.Boolean(true)}
	preferences := c.dict(catalog["ViewerPreferences"])
	if preferences == nil {
		preferences = types.Dict{}
		catalog["ViewerPreferences"] = preferences
	}
	preferences["DisplayDocTitle"] = types.Boolean(true)
	c.eachPage(catalog["Pages"], 0, func(page types.Dict) {
		annotations := c.array(page["Annots"])
		if len(annotations) == 0 {
			return
		}
		page["Tabs"] = types.Name("S")
		for _, annotation := range annotations {
			if d := c.dict(annotation); d != nil && c.nameOf(d["Subtype"]) == "Link" && d["Contents"] == nil {
				d["Contents"] = textString(cmp.Or(c.target(d), "Link"))
			}
		}
	})
}

// eachPage does something with the pages of a page tree, in their order.
func (c *conversion) eachPage(value types.Object, depth int, do func(types.Dict)) {
	d := c.dict(value)
	if d == nil || depth > 64 {
		return
	}
	if d["Kids"] == nil {
		do(d)
		return
	}
	for _, kid := range c.array(d["Kids"]) {
		c.eachPage(kid, depth+1, do)
	}
}

// target is where a link leads, for people: an address, or the name of a place in the document; "" if it has none.
func (c *conversion) target(link types.Dict) string {
	action := c.dict(link["A"])
	for _, value := range []types.Object{action["URI"], link["Dest"], action["D"]} {
		switch v := c.value(value).(type) {
		case types.StringLiteral, types.HexLiteral:
			text, _ := types.StringOrHexLiteral(v)
			if text != nil {
				return cleanText(*text)
			}
		case types.Name:
			return cleanText("#" + v.Value())
		}
	}
	return ""
}

// adoptLinks adds links that are missing in the structure at its end.
func (s *structure) adoptLinks(catalog types.Dict) {
	known := map[int]bool{}
	s.each(s.top, func(t *tag) {
		for _, k := range t.kids {
			if d, ok := k.item.(types.Dict); ok && d["Obj"] != nil {
				known[refOf(d["Obj"]).ObjectNumber.Value()] = true
			}
		}
	})
	root := s.top
	if len(root.kids) == 1 && root.kids[0].tag != nil {
		root = root.kids[0].tag
	}
	key := s.nextKey(catalog)
	s.c.eachPage(catalog["Pages"], 0, func(page types.Dict) {
		for _, annotation := range s.c.array(page["Annots"]) {
			ref, ok := annotation.(types.IndirectRef)
			d := s.c.dict(annotation)
			if !ok || known[ref.ObjectNumber.Value()] || s.c.nameOf(d["Subtype"]) != "Link" {
				continue
			}
			d["StructParent"] = types.Integer(key)
			key++
			item := types.Dict{"Type": types.Name("OBJR"), "Obj": ref}
			root.kids = append(root.kids, s.wrap(root, "Link", []kid{{item: item}}))
		}
	})
}

// nextKey returns an unused key of the parent tree.
func (s *structure) nextKey(catalog types.Dict) int {
	next := 0
	note := func(value types.Object) {
		if key, ok := s.c.value(value).(types.Integer); ok {
			next = max(next, key.Value()+1)
		}
	}
	s.c.eachPage(catalog["Pages"], 0, func(page types.Dict) {
		note(page["StructParents"])
		for _, annotation := range s.c.array(page["Annots"]) {
			note(s.c.dict(annotation)["StructParent"])
		}
	})
	note(types.Integer(s.c.intOf(s.root["ParentTreeNextKey"]) - 1))
	return next
}

func (c *conversion) intOf(object types.Object) int {
	n, _ := c.value(object).(types.Integer)
	return n.Value()
}
