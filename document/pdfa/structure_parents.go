package pdfa

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// parents is the parent tree, which maps content items to their owners (14.7.4.4), by the keys of pages and annotations.
type parents map[int]types.Object

// writeParents rebuilds the parent tree.
func (s *structure) writeParents() parents {
	all := parents{}
	s.each(s.top, func(t *tag) {
		for _, k := range t.kids {
			if k.tag == nil {
				s.enter(all, k, t.ref)
			}
		}
	})
	var pairs types.Array
	next := 0
	for _, key := range slices.Sorted(maps.Keys(all)) {
		value := all[key]
		if items, ok := value.(types.Array); ok {
			value = s.c.add(items)
		}
		pairs, next = append(pairs, types.Integer(key), value), key+1
	}
	s.root["ParentTree"] = s.c.add(types.Dict{"Nums": pairs})
	s.root["ParentTreeNextKey"] = types.Integer(next)
	return all
}

// owns reports whether an element has the marked content with a number on a page.
func (p parents) owns(page, content int) bool {
	items, _ := p[page].(types.Array)
	return content >= 0 && content < len(items) && items[content] != nil
}

// enter enters the owner of a content item.
func (s *structure) enter(all parents, k kid, owner types.IndirectRef) {
	var container types.Dict
	if k.page != nil {
		container = s.c.dict(*k.page)
	}
	id, _ := k.item.(types.Integer)
	if d, ok := k.item.(types.Dict); ok {
		if d["Obj"] != nil { // an annotation
			if key, ok := s.c.value(s.c.dict(d["Obj"])["StructParent"]).(types.Integer); ok {
				all[key.Value()] = owner
			}
			return
		}
		if d["Stm"] != nil {
			container = s.c.dict(d["Stm"])
		}
		id, _ = s.c.value(d["MCID"]).(types.Integer)
	}
	key, ok := s.c.value(container["StructParents"]).(types.Integer)
	if !ok || id < 0 || id > maxElements {
		return
	}
	items, _ := all[key.Value()].(types.Array)
	for len(items) <= id.Value() {
		items = append(items, nil)
	}
	items[id.Value()] = owner
	all[key.Value()] = items
}
