package einvoice

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
	"platen.dev/einvoice/ubl"
)

// binder reads an invoice of UBL as a tree of the elements that a Cross-Industry Invoice has for the same terms. Its nodes keep
// the path and the line of their source. What has no term in CII hangs where its parent is, under its name in UBL.
type binder struct {
	root *Node
	// latest is the element that was made last of those with a name in a parent.
	latest map[place]*Node
}

type place struct {
	parent *Node
	name   string
}

// bind converts an invoice in UBL to a Cross-Industry Invoice.
func bind(document *Node) *Node {
	b := &binder{root: &Node{child: cii.Root("extended"), source: document}, latest: map[place]*Node{}}
	for _, p := range ubl.Bound().Made {
		b.reach(b.root, document, p.Steps)
	}
	b.walk(document, b.root, ubl.Bound().Root)
	return b.root
}

// walk binds the contents of an element to its target.
func (b *binder) walk(n, target *Node, s *ubl.Section) {
	for child := range n.Children() {
		b.element(child, child, target, s.Children[child.Element()])
	}
}

// element binds an element. outermost is its ancestor directly below the element of the section; it is the source of elements that only CII has.
func (b *binder) element(n, outermost, target *Node, s *ubl.Section) {
	if s == nil {
		leave(n, target)
		return
	}
	for i := range s.Rows {
		if row := &s.Rows[i]; holds(row.If, n) {
			b.row(n, outermost, target, s, row)
			return
		}
	}
	for child := range n.Children() {
		b.element(child, outermost, target, s.Children[child.Element()])
	}
	if n.Kind().IsText() {
		leave(n, target)
	}
}

// row binds an element by a row that fits.
func (b *binder) row(n, outermost, target *Node, s *ubl.Section, row *ubl.Row) {
	switch {
	case row.Silent:
	case row.Section != nil:
		group := b.group(n, outermost, target, row.To)
		b.walk(n, group, row.Section)
	default:
		b.leaf(n, outermost, target, s, row.To)
	}
}

// group returns the CII element for a UBL element that contains others.
func (b *binder) group(n, outermost, target *Node, to ubl.Path) *Node {
	if len(to.Steps) == 0 {
		return target
	}
	last := len(to.Steps) - 1
	parent := b.reach(b.start(target, to), outermost, to.Steps[:last])
	group := b.reach(parent, n, to.Steps[last:])
	group.source = n
	return group
}

func (b *binder) start(target *Node, to ubl.Path) *Node {
	if to.FromRoot {
		return b.root
	}
	return target
}

// reach returns the element at a path, and makes the missing ones.
func (b *binder) reach(at, source *Node, path []ubl.Step) *Node {
	for _, step := range path {
		next := b.latest[place{at, step.Name}]
		if next == nil || step.Each {
			next = b.make(at, source, step.Name)
		}
		at = next
	}
	return at
}

func (b *binder) make(parent, source *Node, name string) *Node {
	typ := parent.child.Type
	i := typ.Find(name, 0)
	n := &Node{child: typ.Children[i], source: source}
	parent.append(n)
	b.latest[place{parent, name}] = n
	return n
}

// leaf binds an element with text, and those of its attributes that are elements of CII.
func (b *binder) leaf(n, outermost, target *Node, s *ubl.Section, to ubl.Path) {
	last := len(to.Steps) - 1
	parent := b.reach(b.start(target, to), outermost, to.Steps[:last])
	step := to.Steps[last]
	if before := b.latest[place{parent, step.Name}]; to.FromRoot && before != nil && before.text == textOf(n) && before.Attribute("currencyID") == n.Attribute("currencyID") {
		return // several means of payment repeat what the invoice has once; total taxes may be the same in two currencies
	}
	made := b.make(parent, n, step.Name)
	made.text, made.attributes = textOf(n), attributesOf(n, step)
	for _, a := range n.attributes {
		if own := s.Children["@"+a.Name]; own != nil && a.Value != "" {
			path := own.Rows[0].To
			of := b.make(b.reach(target, outermost, path.Steps[:len(path.Steps)-1]), n, path.Steps[len(path.Steps)-1].Name)
			of.text = a.Value
			made.attributes = slices.DeleteFunc(made.attributes, func(x Attribute) bool { return x.Name == a.Name })
		}
	}
}

// textOf is the text of an element as CII writes it: a date without hyphens, a code or an identifier without spaces around it.
func textOf(n *Node) string {
	switch kind := n.Kind(); {
	case kind == schema.Date && day.MatchString(n.text):
		return n.text[:4] + n.text[5:7] + n.text[8:10]
	case kind == schema.NormalizedString:
		return schema.Token.Normalize(n.text)
	}
	return n.text
}

// day is a day as the schema accepts it, with or without a time zone.
var day = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(Z|[+-]\d{2}:\d{2})?$`)

// attributesOf are the attributes of an element as CII has them.
func attributesOf(n *Node, step ubl.Step) []Attribute {
	all := slices.Clone(n.attributes)
	if n.Kind() == schema.Date {
		all = append(all, Attribute{"format", "102"})
	}
	if step.Attribute != "" {
		all = append(slices.DeleteFunc(all, func(a Attribute) bool { return a.Name == step.Attribute }), Attribute{step.Attribute, step.Value})
	}
	return all
}

// leave attaches an element that CII lacks, with its contents, to a target, unless it is an empty text. Its name is the one
// with a prefix, which no CII element has.
func leave(n, target *Node) {
	if n.Kind().IsText() && n.text == "" {
		return
	}
	child := *n.child
	child.Name = child.QName
	left := &Node{child: &child, source: n, text: n.text, attributes: n.attributes}
	target.append(left)
	for inner := range n.Children() {
		leave(inner, left)
	}
}

func holds(c *ubl.Condition, n *Node) bool {
	switch {
	case c == nil:
		return true
	case c.IBAN:
		return iban.MatchString(strings.Join(strings.Fields(n.text), ""))
	case c.Attribute == "":
		return strings.EqualFold(strings.TrimSpace(n.At(c.Path...).Text()), c.Value)
	}
	value := n.Attribute(c.Attribute)
	return value != "" && (c.Value == "" || value == c.Value)
}

// iban matches the form of an IBAN, not its check digits.
var iban = regexp.MustCompile(`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`)
