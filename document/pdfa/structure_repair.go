package pdfa

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// repairFigure makes a group of a figure with other elements in it, such as a picture and its caption, unless
// it has an alternative text of its own.
func (s *structure) repairFigure(t *tag) {
	if t.kind() == "Figure" && t.dict["Alt"] == nil && slices.ContainsFunc(t.kids, func(k kid) bool { return k.tag != nil }) {
		t.rename("Div")
	}
}

// repairList gives the items of lists a body, and what else is in lists an item (7.2).
func (s *structure) repairList(t *tag) {
	switch t.kind() {
	case "LI":
		if t.parent.kind() != "L" {
			t.rename("Div")
			return
		}
		t.kids = s.grouped(t, "LBody", true, "Lbl", "LBody")
	case "L":
		t.kids = s.grouped(t, "LI", false, "L", "LI", "Caption")
		for _, k := range t.kids {
			if k.tag != nil && k.tag.kind() == "LI" {
				k.tag.kids = s.grouped(k.tag, "LBody", true, "Lbl", "LBody")
			}
		}
	case "Lbl", "LBody":
		if t.parent.kind() != "LI" {
			t.rename("Span")
		}
	}
}

// grouped are the kids of an element, with elements of other kinds than allowed in new elements of a kind, and so
// content items if they are to be, too.
func (s *structure) grouped(t *tag, kind string, items bool, allowed ...string) (out []kid) {
	var loose []kid
	flush := func() {
		if len(loose) > 0 {
			out = append(out, s.wrap(t, kind, loose))
			loose = nil
		}
	}
	for _, k := range t.kids {
		if k.tag == nil && !items || k.tag != nil && slices.Contains(allowed, k.tag.kind()) {
			flush()
			out = append(out, k)
			continue
		}
		loose = append(loose, k)
	}
	flush()
	return out
}

// repairHeadings numbers headings by how deeply they are nested, so that none is skipped (7.4.2): a page may
// begin with h2, or continue with h4. Those that skip nothing stay as they are.
func (s *structure) repairHeadings() {
	var above []int // the levels of the headings that the present one is under
	s.inOrder(s.top, func(t *tag) {
		kind := t.kind()
		if len(kind) != 2 || kind[0] != 'H' || kind[1] < '1' || kind[1] > '6' {
			return
		}
		level := int(kind[1] - '0')
		for len(above) > 0 && above[len(above)-1] >= level {
			above = above[:len(above)-1]
		}
		above = append(above, level)
		t.rename("H" + string(rune('0'+len(above))))
	})
}

// inOrder does something with every element below one, in the order in which they are read.
func (s *structure) inOrder(t *tag, do func(*tag)) {
	for _, k := range t.kids {
		if k.tag != nil {
			do(k.tag)
			s.inOrder(k.tag, do)
		}
	}
}

// mapRoles says what elements of later standards are in this one (14.7.3): the browser writes Em and Strong.
func (s *structure) mapRoles() {
	roles := s.c.dict(s.root["RoleMap"])
	if roles == nil {
		roles = types.Dict{}
	}
	s.each(s.top, func(t *tag) {
		if kind := t.kind(); roles[kind] == nil && !slices.Contains(standardTypes, kind) {
			roles[kind] = types.Name("Span")
		}
	})
	if len(roles) > 0 {
		s.root["RoleMap"] = roles
	}
}
