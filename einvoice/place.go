package einvoice

import (
	"fmt"
	"strings"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/markup"
)

// place finds where a child element belongs, and reports what is wrong with its being
// here. An element that is known but in the wrong place keeps its meaning, so that one
// fault is reported once; nil is an element that has no meaning here at all.
func (v *validator) place(parent *frame, token *markup.Token) *cii.Child {
	typ := parent.node.child.Type
	if typ.Kind != cii.Elements {
		v.report(token.Offset, "element "+nameOf(token.Name), "text only")
		return nil
	}
	i := typ.Find(token.Name.Local, parent.at)
	if i < 0 {
		v.report(token.Offset, nameOf(token.Name), allowed(parent, typ))
		return nil
	}
	child := typ.Children[i]
	switch {
	case token.Name.Space != typ.Space:
		v.report(token.Offset, nameOf(token.Name), fmt.Sprintf("%s of namespace %s", child.QName, typ.Space))
	case i < parent.at && child.Max == 1 && parent.counts[i] > 0:
		v.report(token.Offset, "a second "+child.QName, allowed(parent, typ))
	case i < parent.at:
		v.report(token.Offset, child.QName+" after "+typ.Children[parent.at].QName, "it before that")
	case i == parent.at && child.Max > 0 && int(parent.counts[i]) >= child.Max:
		v.report(token.Offset, fmt.Sprintf("%s %d times", child.QName, parent.counts[i]+1), fmt.Sprintf("it %s at most, and then %s", times(child.Max), allowed(parent, typ)))
	}
	parent.take(i)
	return child
}

// take counts a child and moves on to it, never back.
func (f *frame) take(i int) {
	f.counts[i]++
	f.at = max(f.at, i)
}

// checkMissing reports the required children that never came, where the next one stands.
func (v *validator) checkMissing(f *frame, typ *cii.Type, end int) {
	for _, c := range typ.Children {
		if c.Min == 0 || f.counts[c.Index] > 0 {
			continue
		}
		before, at := "the end of "+f.node.child.QName, end
		for n := f.node.first; n != nil; n = n.next {
			if n.child.Index > c.Index {
				before, at = n.child.QName, int(n.offset)
				break
			}
		}
		v.report(at, before, c.QName+" before it, which is required")
	}
}

// allowed lists the elements that may come next, bounded.
func allowed(f *frame, typ *cii.Type) string {
	const limit = 8
	var names []string
	for _, c := range typ.Children[min(f.at, len(typ.Children)):] {
		if c.Index == f.at && c.Max > 0 && int(f.counts[c.Index]) >= c.Max {
			continue
		}
		if names = append(names, c.QName); c.Min > 0 && f.counts[c.Index] == 0 {
			break
		}
	}
	switch {
	case len(names) == 0:
		return "no further element"
	case len(names) > limit:
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" or %d others", len(names)-limit)
	case len(names) == 1:
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// nameOf writes a name with the conventional prefix of its namespace, or the whole
// namespace if it has none.
func nameOf(name markup.Name) string {
	short := stepOf(name)
	switch {
	case name.Space == "":
		return short + " without a namespace"
	case conventional(name.Space) == "":
		return fmt.Sprintf("%s of namespace %q", short, markup.Short(name.Space))
	}
	return short
}

// stepOf is a name as it stands in a path.
func stepOf(name markup.Name) string {
	if prefix := conventional(name.Space); prefix != "" {
		return prefix + ":" + markup.Short(name.Local)
	}
	return markup.Short(name.Local)
}

// conventional is the prefix that invoices use for a namespace, empty if it is none of theirs.
func conventional(space string) string {
	for prefix, known := range cii.Namespaces {
		if known == space {
			return prefix
		}
	}
	return ""
}
