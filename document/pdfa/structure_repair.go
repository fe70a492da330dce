package pdfa

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// repairFigure turns a figure that contains other elements, such as a picture and its caption, into a group, unless it has its own alternative text.
func (s *structure) repairFigure(t *tag) {
	if t.kind() == "Figure" && t.dict["Alt"] == nil && slices.ContainsFunc(t.kids, func(k kid) bool { return k.tag != nil }) {
		t.rename("Div")
	}
}

// repairList gives list items a body, and wraps other elements of a list in items (7.2).
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

// grouped returns the kids of an element, with runs of kids of types that are not allowed wrapped in new elements of a
// kind. items says whether content items are wrapped too.
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

// repairHeadings renumbers headings by their nesting, so that no level is skipped (7.4.2): a page may begin with h2, or
// continue with h4. Headings that skip nothing stay unchanged.
func (s *structure) repairHeadings() {
	var above []int // the levels of the enclosing headings
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

// inOrder calls do with every element below one, in reading order.
func (s *structure) inOrder(t *tag, do func(*tag)) {
	for _, k := range t.kids {
		if k.tag != nil {
			do(k.tag)
			s.inOrder(k.tag, do)
		}
	}
}

// mapRoles maps element types of later standards to types of this one (14.7.3): the browser writes Em and Strong.
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
