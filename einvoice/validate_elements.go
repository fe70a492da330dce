package einvoice

import (
	"fmt"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
	"platen.dev/einvoice/ubl"
)

// matchChild finds the child of the schema that an element is, and reports a violation
// if it may not stand here. An element that is known but out of order, repeated or in the
// wrong namespace still matches, so that one mistake is reported once; nil is an element
// that the schema does not know here.
func (v *validator) matchChild(parent *frame, token *markup.Token) *schema.Child {
	typ := parent.node.child.Type
	if typ.Kind == schema.Any {
		v.matchForeign(parent, token)
		return nil
	}
	if typ.Kind != schema.Elements {
		v.report(token.Offset, "element "+qualifiedName(token.Name), "text only")
		return nil
	}
	i := typ.Find(token.Name.Local, parent.position)
	if i < 0 {
		v.report(token.Offset, qualifiedName(token.Name), expectedNext(parent, typ))
		return nil
	}
	child := typ.Children[i]
	switch {
	case token.Name.Space != child.Space:
		v.report(token.Offset, qualifiedName(token.Name), fmt.Sprintf("%s in namespace %s", child.QName, child.Space))
	case i < parent.position && child.Max == 1 && parent.counts[i] > 0:
		v.report(token.Offset, "a second "+child.QName, expectedNext(parent, typ))
	case i < parent.position:
		before := typ.Children[parent.position].QName
		v.report(token.Offset, child.QName+" after "+before, "it before "+before)
	case i == parent.position && child.Max > 0 && int(parent.counts[i]) >= child.Max:
		v.report(token.Offset, fmt.Sprintf("%s %d times", child.QName, parent.counts[i]+1), fmt.Sprintf("it at most %s, and then %s", times(child.Max), expectedNext(parent, typ)))
	}
	parent.countChild(i)
	return child
}

// countChild counts a child and moves the position to it, but never back.
func (f *frame) countChild(i int) {
	f.counts[i]++
	f.position = max(f.position, i)
}

// matchForeign counts an element in content of any kind, where one of another namespace
// stands. What it contains is read, within the limits of package markup, and not checked.
func (v *validator) matchForeign(parent *frame, token *markup.Token) {
	parent.foreign++
	switch space := parent.node.child.Space; {
	case token.Name.Space == "" || token.Name.Space == space:
		v.report(token.Offset, qualifiedName(token.Name), "an element of another namespace than "+space)
	case parent.foreign == 2:
		v.report(token.Offset, "a second element", "no further element")
	}
}

func (v *validator) checkForeign(f *frame, end int) {
	if f.foreign == 0 {
		v.report(end, "the end of "+f.node.child.QName, "an element of another namespace before it")
	}
}

// checkMissing reports each required child that is missing, at the element that comes
// in its place.
func (v *validator) checkMissing(f *frame, typ *schema.Type, end int) {
	for _, c := range typ.Children {
		if c.Min == 0 || f.counts[c.Index] > 0 {
			continue
		}
		before, offset := "the end of "+f.node.child.QName, end
		for n := f.node.first; n != nil; n = n.next {
			if n.child.Index > c.Index {
				before, offset = n.child.QName, int(n.offset)
				break
			}
		}
		v.report(offset, before, "the required "+c.QName+" before it")
	}
}

// expectedNext lists the elements that may come next; a long list is cut short.
func expectedNext(f *frame, typ *schema.Type) string {
	const limit = 8
	var names []string
	for _, c := range typ.Children[min(f.position, len(typ.Children)):] {
		if c.Index == f.position && c.Max > 0 && int(f.counts[c.Index]) >= c.Max {
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
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// qualifiedName writes a name with the conventional prefix of its namespace, or with the
// whole namespace if that has no such prefix.
func qualifiedName(name markup.Name) string {
	short := stepName(name)
	switch {
	case name.Space == "":
		return short + " without a namespace"
	case conventionalPrefix(name.Space) == "":
		return fmt.Sprintf("%s in namespace %q", short, markup.Excerpt(name.Space))
	}
	return short
}

// stepName is a name as a step of a path.
func stepName(name markup.Name) string {
	if prefix := conventionalPrefix(name.Space); prefix != "" {
		return prefix + ":" + markup.Excerpt(name.Local)
	}
	return markup.Excerpt(name.Local)
}

// conventionalPrefix is the prefix that invoices use for a namespace, or empty if they
// do not use the namespace.
func conventionalPrefix(namespace string) string {
	for _, namespaces := range []map[string]string{cii.Namespaces, ubl.Namespaces} {
		for prefix, known := range namespaces {
			if known == namespace {
				return prefix
			}
		}
	}
	return ""
}
