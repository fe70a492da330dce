package pagetext

import (
	"maps"

	"platen.dev/document/pdfa/cos"
)

// layers are the optional content groups that are off.
type layers map[cos.Ref]bool

func layersOf(file *cos.File, catalog cos.Dict) layers {
	properties := file.Dict(catalog["OCProperties"])
	standard := file.Dict(properties["D"])
	off := layers{}
	set := func(list any, to bool) {
		for _, value := range file.Array(list) {
			if ref, ok := value.(cos.Ref); ok {
				off[ref] = to
			}
		}
	}
	if name, _ := file.Resolve(standard["BaseState"]).(cos.Name); name == "OFF" {
		set(properties["OCGs"], true)
	}
	set(standard["ON"], false)
	set(standard["OFF"], true)
	maps.DeleteFunc(off, func(_ cos.Ref, is bool) bool { return !is })
	return off
}

// off reports whether a group, or a membership dictionary by its policy, is off.
func (l layers) off(file *cos.File, value any) bool {
	if len(l) == 0 || value == nil {
		return false
	}
	if ref, ok := value.(cos.Ref); ok && l[ref] {
		return true
	}
	d := file.Dict(value)
	if d["OCGs"] == nil {
		return false
	}
	groups := file.Array(d["OCGs"])
	if groups == nil {
		groups = cos.Array{d["OCGs"]}
	}
	off := 0
	for _, g := range groups {
		if ref, ok := g.(cos.Ref); ok && l[ref] {
			off++
		}
	}
	switch policy, _ := file.Resolve(d["P"]).(cos.Name); policy {
	case "AllOn":
		return off > 0
	case "AnyOff":
		return off == 0
	case "AllOff":
		return off < len(groups)
	}
	return off == len(groups) && off > 0
}
