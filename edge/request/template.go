package request

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"platen.dev/edge/schema"
	"platen.dev/events/contract"
)

// BlockTemplate holds the parts of a block template that need a closer look: its texts,
// which may have placeholders. The rest is checked here and read by those who show the
// invoice, from the JSON (docs/API.md, Block templates).
type BlockTemplate struct{ Blocks []Block }

// Block is one of the nine blocks.
type Block struct {
	Text   string
	Labels map[string]string
}

// CheckTemplate checks a standalone block template like an inline one; see Decode for placeholder.
func CheckTemplate(template []byte, placeholder func(text string) error) []schema.Violation {
	_, violations := CanonicalTemplate(template, placeholder)
	return violations
}

// CanonicalTemplate checks a template as CheckTemplate does, and returns its canonical JSON.
func CanonicalTemplate(template []byte, placeholder func(text string) error) (canonical []byte, violations []schema.Violation) {
	document, _, violations := blockTemplate.Decode(template, "")
	if len(violations) > 0 {
		return nil, violations
	}
	if violations = checkPlaceholders(document.Value, []any{"body"}, placeholder); len(violations) > 0 {
		return nil, violations
	}
	return document.Canonical(), nil
}

// DescribeTemplate describes block templates, for those who make a form of them; see schema.Describe.
func DescribeTemplate() (template schema.JSONSchema, components map[string]schema.JSONSchema) {
	return schema.Describe(blockTemplate)
}

// checkPlaceholders names the texts with unknown placeholders.
func checkPlaceholders(t BlockTemplate, loc []any, placeholder func(text string) error) (all []schema.Violation) {
	check := func(text string, path ...any) {
		if err := placeholder(text); err != nil {
			all = append(all, schema.Violation{Loc: append(slices.Clone(loc), path...), Msg: "Value error, " + err.Error(), Type: "value_error"})
		}
	}
	for i, block := range t.Blocks {
		check(block.Text, "blocks", i, "text")
		for _, name := range slices.Sorted(maps.Keys(block.Labels)) {
			check(block.Labels[name], "blocks", i, "labels", name)
		}
	}
	return all
}

// blockTemplate lists the nine blocks in their fixed order.
var blockTemplate = schema.Object[BlockTemplate]{
	Name: "BlockTemplate", Doc: "How an e-invoice is shown: nine blocks in a fixed order.",
	Fields: []schema.Field[BlockTemplate]{
		schema.Unread[BlockTemplate]("version", schema.Integer{Min: 1, Max: 1}).Required(),
		schema.Unread[BlockTemplate]("locale", locale).Default("en-US"),
		schema.Unread[BlockTemplate]("branding", branding),
		schema.Unread[BlockTemplate]("page", templatePage),
		schema.At("blocks", blocks, func(t *BlockTemplate) *[]Block { return &t.Blocks }).Required(),
	},
}

var locale = schema.String{MaxLength: 35, Pattern: regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)}

var branding = schema.Object[schema.None]{Name: "Branding", Fields: []schema.Field[schema.None]{
	schema.Unread[schema.None]("accent_color", schema.String{Pattern: regexp.MustCompile(`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)}).Example("#0a5c8c"),
	schema.Unread[schema.None]("font", schema.String{MaxLength: 100}),
	schema.Unread[schema.None]("logo", picture("logo", contract.MaxLogo)).
		Doc("An extension: a data URI of a PNG, JPEG or SVG picture, shown above the title, at most 60 mm wide and 20 mm high."),
}}

var templatePage = schema.Object[schema.None]{Name: "TemplatePage", Fields: []schema.Field[schema.None]{
	schema.Unread[schema.None]("format", invoicePaper).Default(contract.DefaultPaper),
	schema.Unread[schema.None]("margin", schema.String{MaxLength: 64, Check: checkMargins}).
		Doc("One to four CSS lengths, as in the CSS shorthand.").Example("20mm 15mm"),
}}

var blocks = schema.Tuple[Block]{
	block("invoice-heading", labels("title", "title_credit_note", "number", "issue_date", "due_date")),
	block("trading-parties", labels("seller", "buyer")),
	block("line-items", showVATColumn, labels("description", "qty", "unit_price", "vat", "amount")),
	block("vat-breakdown", labels("title")),
	block("amounts-due", labels("subtotal", "tax", "total")),
	block("payment-instructions", showQR, blockText),
	block("invoice-notes"),
	block("additional-invoice-data"),
	block("document-footer", blockText),
}

var (
	blockLine     = schema.String{MaxLength: 2_000}
	showVATColumn = schema.Unread[Block]("show_vat_column", schema.Bool{}).Default(true)
	showQR        = schema.Unread[Block]("show_qr", schema.Bool{}).Default(false).
			Doc("An extension: a QR code of the SEPA transfer that pays the invoice, if it is in euros and has an IBAN.")
	blockText = schema.At("text", blockLine, func(b *Block) *string { return &b.Text }).Doc("May hold {placeholders}.")
)

func block(name string, more ...schema.Field[Block]) schema.Object[Block] {
	return schema.Object[Block]{Fields: append([]schema.Field[Block]{
		schema.Unread[Block]("type", schema.String{OneOf: []string{name}}).Required(),
		schema.Unread[Block]("enabled", schema.Bool{}).Default(true),
	}, more...)}
}

func labels(names ...string) schema.Field[Block] {
	kind := schema.Object[map[string]string]{}
	for _, name := range names {
		kind.Fields = append(kind.Fields, schema.Read(name, blockLine, func(l *map[string]string, v string) {
			if *l == nil {
				*l = map[string]string{}
			}
			(*l)[name] = v
		}))
	}
	return schema.At("labels", kind, func(b *Block) *map[string]string { return &b.Labels }).Doc("May hold {placeholders}.")
}

// InvalidTemplate is the violations of a block template as an error.
type InvalidTemplate []schema.Violation

// Error lists the violations, one on each line.
func (t InvalidTemplate) Error() string {
	var b strings.Builder
	b.WriteString("the template is not valid:")
	for _, v := range t {
		path := strings.TrimPrefix(strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Loc), "[]"), " ", "."), "body.")
		fmt.Fprintf(&b, "\n  %s: %s", path, v.Msg)
	}
	return b.String()
}
