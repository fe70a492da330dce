package match

import (
	"slices"
	"strings"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice/model"
)

// explained reports whether a number on the page is in the XML, or follows from what is there.
func (c *comparison) explained(a *amount) bool {
	if c.known == nil {
		c.explain()
	}
	is := func(value string) bool { return c.known[value] }
	if slices.ContainsFunc(a.readings, is) || slices.ContainsFunc(a.parts, func(p [2][]string) bool {
		return slices.ContainsFunc(p[0], is) && slices.ContainsFunc(p[1], is)
	}) {
		return true
	}
	return slices.ContainsFunc(c.terms, func(t term) bool { return t.amount != "" && a.rounds(t.amount) })
}

// isMoney reports whether a number on the page is an amount of money in the XML.
func (c *comparison) isMoney(a *amount) bool {
	if c.known == nil {
		c.explain()
	}
	return slices.ContainsFunc(a.readings, func(value string) bool { return c.money[value] })
}

// explain gathers the numbers of the XML, those in its texts included, and what pages make of them: taxes and sums.
func (c *comparison) explain() {
	c.known, c.money = map[string]bool{"0": true}, map[string]bool{"0": true}
	var read func(t model.Term)
	read = func(t model.Term) {
		c.explainText(t.Text())
		if value, ok := canonical(t.Text()); ok && strings.HasSuffix(t.Element(), "Amount") {
			c.money[value] = true
		}
		for _, a := range t.Attributes() {
			c.explainText(a.Value)
		}
		for child := range t.Children() {
			read(child)
		}
	}
	read(c.invoice.Root)
	c.derive()
}

// explainText adds the numbers of a text.
func (c *comparison) explainText(text string) {
	const long = 10_000 // an attachment
	if len(text) > long || !strings.ContainsAny(text, "0123456789") {
		return
	}
	if value, ok := canonical(text); ok {
		c.known[value] = true
		return
	}
	for _, a := range amountsIn(text) {
		for _, r := range a.readings {
			c.known[r] = true
		}
	}
}

// amountsIn are the numbers of a text.
func amountsIn(text string) []amount {
	piece := pagetext.Piece{}
	for word := range strings.FieldsSeq(text) {
		piece.Words = append(piece.Words, pagetext.Word{Text: word})
	}
	p := pieceOf(0, piece)
	return p.scanAmounts(nil, 0)
}

// inXML reports whether a text on the page is in a text of the XML.
func (c *comparison) inXML(shown string) bool {
	want := fold(shown)
	for _, all := range c.invoice.Elements {
		for _, t := range all {
			if text := t.Text(); len(text) < 10_000 && strings.Contains(fold(text), want) {
				return true
			}
		}
	}
	return false
}
