package match

import (
	"slices"
	"strings"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice/model"
)

// explained reports whether a number on the page is in the XML, or can be derived from it.
func (c *comparison) explained(a *amount) bool {
	c.readNumbers()
	if c.knows(a) {
		return true
	}
	if !c.derived { // few pages need these
		c.derived = true
		c.readTexts(c.invoice.Root)
		c.derive()
	}
	return c.knows(a) || c.isRounded(a)
}

// isRounded reports whether a number on the page is the amount of any term, rounded (amount.rounds).
func (c *comparison) isRounded(a *amount) bool {
	return a.decimals && slices.ContainsFunc(a.readings, func(r string) bool {
		_, decimals, _ := strings.Cut(r, ".")
		if len(decimals) < 2 {
			return false
		}
		before := r[:len(r)-1] + string(r[len(r)-1]-1) // rounded up: the last decimal of a reading is not zero
		return c.begins(r) || c.begins(before)
	})
}

// begins reports whether the amount of a term begins with a number and has further digits.
func (c *comparison) begins(number string) bool {
	at, _ := slices.BinarySearch(c.rounded, number+"0")
	return at < len(c.rounded) && strings.HasPrefix(c.rounded[at], number)
}

func (c *comparison) knows(a *amount) bool {
	is := func(value string) bool { return c.known[value] }
	return slices.ContainsFunc(a.readings, is) || slices.ContainsFunc(a.parts, func(p [2][]string) bool {
		return slices.ContainsFunc(p[0], is) && slices.ContainsFunc(p[1], is)
	})
}

// isMoney reports whether a number on the page is an amount of money in the XML.
func (c *comparison) isMoney(a *amount) bool {
	c.readNumbers()
	return slices.ContainsFunc(a.readings, func(value string) bool { return c.money[value] })
}

// readNumbers gathers the numbers of the XML, once.
func (c *comparison) readNumbers() {
	if c.known != nil {
		return
	}
	c.known, c.money = map[string]bool{"0": true}, map[string]bool{"0": true}
	for name, all := range c.invoice.Elements {
		for _, t := range all {
			if value, ok := canonical(t.Text()); ok {
				c.known[value] = true
				c.money[value] = c.money[value] || strings.HasSuffix(name, "Amount")
			}
		}
	}
	for _, t := range c.terms {
		if _, decimals, _ := strings.Cut(t.amount, "."); len(decimals) > 2 {
			c.rounded = append(c.rounded, t.amount)
		}
	}
	slices.Sort(c.rounded)
}

// readTexts adds the numbers in texts and attributes of the XML.
func (c *comparison) readTexts(t model.Term) {
	c.readText(t.Text())
	for _, a := range t.Attributes() {
		c.readText(a.Value)
	}
	for child := range t.Children() {
		c.readTexts(child)
	}
}

func (c *comparison) readText(text string) {
	const long = 10_000 // an attachment
	if len(text) > long || !strings.ContainsAny(text, "0123456789") {
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
	if c.texts == nil {
		c.texts = new(c.foldTexts())
	}
	const step = 16 // characters that are searched in the time of a step
	return c.spend(len(*c.texts)/step) && strings.Contains(*c.texts, fold(shown))
}

// foldTexts are the texts of the XML, folded, with something between that no folded text has.
func (c *comparison) foldTexts() string {
	var b strings.Builder
	for _, all := range c.invoice.Elements {
		for _, t := range all {
			if text := t.Text(); len(text) < 10_000 {
				b.WriteString(fold(text) + " ")
			}
		}
	}
	return b.String()
}
