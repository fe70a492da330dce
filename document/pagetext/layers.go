package pagetext

import (
	"maps"
	"slices"

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

// off reports whether a group, or a membership dictionary by its expression or its policy, is off.
func (l layers) off(file *cos.File, value any) bool {
	if value == nil {
		return false
	}
	if ref, ok := value.(cos.Ref); ok && l[ref] {
		return true
	}
	d := file.Dict(value)
	if expression := file.Array(d["VE"]); len(expression) > 0 {
		return !l.visible(file, expression, 0)
	}
	if d["OCGs"] == nil {
		return false
	}
	groups := file.Array(d["OCGs"])
	if groups == nil {
		groups = cos.Array{d["OCGs"]}
	}
	off, all := 0, 0
	for _, g := range groups {
		if ref, ok := g.(cos.Ref); ok && file.Dict(ref) != nil {
			all++
			if l[ref] {
				off++
			}
		}
	}
	switch policy, _ := file.Resolve(d["P"]).(cos.Name); {
	case all == 0: // no group, no effect
		return false
	case policy == "AllOn":
		return off > 0
	case policy == "AnyOff":
		return off == 0
	case policy == "AllOff":
		return off < all
	}
	return off == all
}

// maxExpression is how deeply visibility expressions may be nested. What is deeper counts as visible.
const maxExpression = 16

// visible evaluates a visibility expression (8.11.2.2): a group, or an operator with further expressions.
func (l layers) visible(file *cos.File, value any, depth int) bool {
	expression := file.Array(value)
	if expression == nil || depth > maxExpression {
		ref, _ := value.(cos.Ref)
		return !l[ref]
	}
	if len(expression) == 0 {
		return true
	}
	operator, _ := file.Resolve(expression[0]).(cos.Name)
	isVisible := func(value any) bool { return l.visible(file, value, depth+1) }
	isHidden := func(value any) bool { return !isVisible(value) }
	switch operands := expression[1:]; operator {
	case "And":
		return !slices.ContainsFunc(operands, isHidden)
	case "Or":
		return slices.ContainsFunc(operands, isVisible)
	case "Not":
		return !slices.ContainsFunc(operands, isVisible)
	}
	return true
}
