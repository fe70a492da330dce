package conformance

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events"
)

// Block templates of e-invoices.

var blockTypes = []string{
	"invoice-heading", "trading-parties", "line-items", "vat-breakdown", "amounts-due",
	"payment-instructions", "invoice-notes", "additional-invoice-data", "document-footer",
}

// blockLabels are the labels of each block that has some.
var blockLabels = map[string][]string{
	"invoice-heading": {"title", "title_credit_note", "number", "issue_date", "due_date"},
	"trading-parties": {"seller", "buyer"},
	"line-items":      {"description", "qty", "unit_price", "vat", "amount"},
	"vat-breakdown":   {"title"},
	"amounts-due":     {"subtotal", "tax", "total"},
}

// wholeTemplate returns a template with all nine blocks and nothing else.
func wholeTemplate() object {
	blocks := make([]any, len(blockTypes))
	for i, name := range blockTypes {
		blocks[i] = object{"type": name}
	}
	return object{"version": 1, "blocks": blocks}
}

// blockAt returns the path of a block's field in a body.
func blockAt(name, field string) string {
	return "template.blocks." + strconv.Itoa(slices.Index(blockTypes, name)) + "." + field
}

const templateSection = "E-invoice data"

// templated returns a field of an inline template.
func templated(id, statement, at string, takes []any, refuses ...refused) field {
	return field{
		id: "template/" + id, section: templateSection, statement: statement, on: []string{invoiceToPDF}, at: at,
		beside: object{"template": wholeTemplate()}, takes: takes, refuses: refuses,
	}
}

func demanded(f field) field {
	f.required = true
	return f
}

const colorPattern = `String should match pattern '^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$'`

var templateRows = append(rowsOf([]field{
	{
		id: "template/object", section: templateSection, statement: "template is an object of known fields",
		on: []string{invoiceToPDF}, at: "template", takes: []any{wholeTemplate()},
		refuses: []refused{notObject("x"), notObject([]any{})},
	},
	{
		id: "template/id", section: invoiceSection, statement: "template_id is a string",
		on: []string{invoiceToPDF}, at: "template_id", refuses: []refused{notText(1), tooShort(""), tooLong(long(101), "100")},
	},
	demanded(templated("version", "version is 1", "template.version", []any{1}, below(0, "1"), above(2, "1"), notInteger("1"))),
	templated(
		"locale", "locale is a language tag", "template.locale", []any{"en", "de-DE", "zh-Hant-TW"}, notText(1),
		refused{value: "english!", kind: "string_pattern_mismatch", msg: `String should match pattern '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$'`},
	),
	templated("branding", "branding is an object of accent_color and font", "template.branding", []any{object{}}, notObject(1), unknownIn(object{"slogan": "x"}, "template.branding.slogan")),
	templated(
		"accent-color", "accent_color is a hex colour", "template.branding.accent_color", []any{"#0a5c8c", "#ABC"}, notText(1),
		refused{value: "red", kind: "string_pattern_mismatch", msg: colorPattern}, refused{value: "#12345", kind: "string_pattern_mismatch", msg: colorPattern},
	),
	templated("font", "font is a string", "template.branding.font", []any{"Noto Sans"}, notText(1), tooLong(long(101), "100")),
	templated(
		"logo", "logo, an extension, is a data URI of a picture", "template.branding.logo", []any{svgURI, svgBase64(76_779)}, notText(1),
		meaningless("https://example.com/a.png", "logo must be a data URI of a PNG, JPEG or SVG picture"), tooLong(svgBase64(76_782), "102400"),
	),
	templated("page", "page is an object of format and margin", "template.page", []any{object{}}, notObject("A4"), unknownIn(object{"size": "x"}, "template.page.size")),
	templated("page-format", "the page's format is one of the contract's paper formats", "template.page.format", []any{"A4", "Letter"}, unlisted("A5", invoiceFormats)),
	templated(
		"page-margin", "the page's margin is a CSS shorthand of lengths", "template.page.margin", []any{"20mm", "20mm 15mm", "1cm 2cm 3cm 4cm", "0"}, notText(20),
		meaningless("1cm 2cm 3cm 4cm 5cm", "margin must have one to four CSS lengths"), meaningless("", "margin must have one to four CSS lengths"), meaningless("auto", marginWanted),
	),
	templated("enabled", "a block has enabled, a boolean", blockAt("invoice-notes", "enabled"), []any{true, false}, notBool("no")),
	templated("show-vat-column", "line-items has show_vat_column, a boolean", blockAt("line-items", "show_vat_column"), []any{true, false}, notBool(1)),
	templated("show-qr", "payment-instructions has show_qr, a boolean", blockAt("payment-instructions", "show_qr"), []any{true, false}, notBool(1)),
	templated("payment-text", "payment-instructions has text, a string", blockAt("payment-instructions", "text"), []any{"Pay by {due_date}"}, notText(1), tooLong(long(2_001), "2000")),
	templated("footer-text", "document-footer has text, a string", blockAt("document-footer", "text"), []any{"{profile} {guideline}"}, notText(1)),
}), []row{
	{"template/order", templateSection, "blocks are exactly nine types in a fixed order", proveBlockOrder},
	{"template/labels", templateSection, "each block has its own labels, strings, and no others", proveLabels},
	{"template/unknown-fields", templateSection, "an unknown field of a block is refused, its place named", proveUnknownBlockFields},
	{"template/block-type", "E-invoices", "a block's type is its field type", proveBlockType},
}...)

// template submits an invoice with a template.
func (c *customer) template(template any) response {
	c.t.Helper()
	body := minimal(invoiceToPDF)
	body["template"] = template
	return c.post(invoiceToPDF, body)
}

func proveBlockOrder(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	few, many, swapped := wholeTemplate(), wholeTemplate(), wholeTemplate()
	blocks := wholeTemplate()["blocks"].([]any)
	few["blocks"], many["blocks"] = blocks[:8], append(slices.Clone(blocks), object{"type": "document-footer"})
	turned := slices.Clone(blocks)
	turned[0], turned[1] = turned[1], turned[0]
	swapped["blocks"] = turned
	c.template(few).violations(wrong{"body.template.blocks", "too_short", "List should have at least 9 items after validation, not 8"})
	c.template(many).violations(wrong{"body.template.blocks", "too_long", "List should have at most 9 items after validation, not 10"})
	c.template(swapped).violations(
		wrong{"body.template.blocks.0.type", "literal_error", "Input should be 'invoice-heading'"},
		wrong{"body.template.blocks.1.type", "literal_error", "Input should be 'trading-parties'"},
	)
	c.template(object{"version": 1}).violations(wrong{"body.template.blocks", "missing", "Field required"})
	c.template(object{"version": 1, "blocks": "x"}).violations(wrong{"body.template.blocks", "list_type", "Input should be a valid list"})
}

func proveLabels(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	all := wholeTemplate()
	for i, name := range blockTypes {
		labels := object{}
		for _, label := range blockLabels[name] {
			labels[label] = "a {due_date}"
			wrongly := wholeTemplate()
			wrongly["blocks"].([]any)[i] = object{"type": name, "labels": object{label: 1}}
			c.template(wrongly).violations(wrong{"body." + blockAt(name, "labels."+label), "string_type", "Input should be a valid string"})
		}
		other := wholeTemplate()
		other["blocks"].([]any)[i] = object{"type": name, "labels": object{"colour": "x"}}
		place := blockAt(name, "labels.colour")
		if len(labels) == 0 {
			place = strings.TrimSuffix(place, ".colour")
		} else {
			all["blocks"].([]any)[i] = object{"type": name, "labels": labels}
		}
		c.template(other).violations(extra(place)...)
	}
	c.template(all).accepted()
}

func proveUnknownBlockFields(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for i, name := range blockTypes {
		wrongly := wholeTemplate()
		wrongly["blocks"].([]any)[i] = object{"type": name, "colour": "red"}
		c.template(wrongly).violations(extra(blockAt(name, "colour"))...)
	}
	wrongly := wholeTemplate()
	wrongly["title"] = "x"
	c.template(wrongly).violations(extra("template.title")...)
}

func proveBlockType(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	wrongly := wholeTemplate()
	wrongly["blocks"].([]any)[0] = object{"enabled": true}
	c.template(wrongly).violations(wrong{"body.template.blocks.0.type", "missing", "Field required"})
}
