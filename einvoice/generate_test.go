package einvoice

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
)

// element is an element to write to an invoice.
type element struct {
	name       string
	attributes [][2]string
	// content holds *element values and raw text.
	content []any
}

func (e *element) write(b *bytes.Buffer) {
	b.WriteString("<" + e.name)
	for _, a := range e.attributes {
		b.WriteString(" " + a[0] + `="` + a[1] + `"`)
	}
	b.WriteString(">")
	for _, c := range e.content {
		switch c := c.(type) {
		case *element:
			b.WriteString("\n")
			c.write(b)
		case string:
			b.WriteString(c)
		}
	}
	b.WriteString("</" + e.name + ">\n")
}

// generator makes valid invoices from the table of a syntax.
type generator struct {
	*rand.Rand
	root       *schema.Child
	namespaces map[string]string
	// chance is the probability of optional parts in per cent. It halves with each level of elements beyond deep.
	chance, deep int
}

// ciiGenerator makes invoices of a profile.
func ciiGenerator(r *rand.Rand, profile string, chance int) *generator {
	return &generator{r, cii.Root(profile), cii.Namespaces, chance, 64}
}

func (g *generator) invoice() *element {
	e := g.element(g.root)
	for _, prefix := range slices.Sorted(maps.Keys(g.namespaces)) {
		e.attributes = append(e.attributes, [2]string{"xmlns:" + prefix, g.namespaces[prefix]})
	}
	return e
}

func (g *generator) element(c *schema.Child) *element {
	inner := *g
	if inner.deep--; inner.deep < 0 {
		inner.chance /= 2
	}
	g = &inner
	e := &element{name: c.QName}
	for _, a := range c.Type.Attributes {
		if a.Required || g.IntN(100) < g.chance {
			e.attributes = append(e.attributes, [2]string{a.Name, g.value(a.Name, a.Kind)})
		}
	}
	switch c.Type.Kind {
	case schema.Elements:
	case schema.Any:
		e.content = append(e.content, &element{name: "own:Thing", attributes: [][2]string{{"xmlns:own", "urn:own"}}, content: []any{"text", &element{name: "Part"}}})
	default:
		e.content = append(e.content, g.value(c.Name, c.Type.Kind))
	}
	for _, inner := range c.Type.Children {
		for range g.count(inner) {
			e.content = append(e.content, g.element(inner))
		}
	}
	return e
}

func (g *generator) count(c *schema.Child) int {
	n := c.Min
	for n < 3 && (c.Max == 0 || n < c.Max) && g.IntN(100) < g.chance {
		n++
	}
	return n
}

func (g *generator) value(name string, kind schema.Kind) string {
	switch {
	case name == "format":
		return "102"
	case name == "TypeCode":
		return "380"
	}
	values := map[schema.Kind][]string{
		schema.Token:   {"A1", "EUR", "two words", "", "S"},
		schema.String:  {"Example & Sons", "20240131", "A line\nand another", " äß€ "},
		schema.Decimal: {"0", "12.50", "-3", "+.5", "007.", " 19.00 "},
		schema.Boolean: {"true", "false", "1", "0"},
		schema.Base64:  {"QUJD", "", "QUI=", "QQ=="},

		schema.NormalizedString: {"A1", "EUR", " two  words ", "", "S"},
		schema.Date:             {"2026-01-31", "2024-02-29Z", "-0044-03-15", "12026-12-31+14:00", "2000-02-29-05:30"},
		schema.Time:             {"00:00:00", "24:00:00", "23:59:59.999Z", "12:30:00+01:00"},
		schema.URI:              {"https://a.example/?b=c#d", "", "urn:a"},
		schema.Language:         {"de", "de-AT", "i-klingon", "x-12345678"},
	}[kind]
	return escape(values[g.IntN(len(values))])
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "\r", "&#13;")

// escape escapes text for content and attribute values.
func escape(text string) string { return escaper.Replace(text) }

// document writes the invoice with the guideline of the profile.
func document(e *element, profile string) []byte {
	e.at("rsm:ExchangedDocumentContext").at("ram:GuidelineSpecifiedDocumentContextParameter").at("ram:ID").content = []any{Guidelines[profile]}
	b := bytes.NewBufferString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	e.write(b)
	return b.Bytes()
}

func (e *element) at(name string) *element {
	i := slices.IndexFunc(e.content, func(c any) bool { child, is := c.(*element); return is && child.name == name })
	return e.content[i].(*element)
}

// sized returns a valid invoice of about size bytes, most of them in its lines.
func sized(profile string, size int) []byte {
	g := ciiGenerator(rand.New(rand.NewPCG(7, 7)), profile, 25)
	e := g.invoice()
	transaction := e.at("rsm:SupplyChainTradeTransaction")
	line := cii.Root(profile).Type.Children[2].Type.Children[0]
	for length := len(document(e, profile)); length < size; {
		more := g.element(line)
		var b bytes.Buffer
		more.write(&b)
		length += b.Len()
		transaction.content = append([]any{more}, transaction.content...)
	}
	return document(e, profile)
}
