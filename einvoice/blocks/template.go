package blocks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The types of blocks, in the order that a template must have.
const (
	Heading      = "invoice-heading"
	Parties      = "trading-parties"
	LineItems    = "line-items"
	VATBreakdown = "vat-breakdown"
	AmountsDue   = "amounts-due"
	Payment      = "payment-instructions"
	Notes        = "invoice-notes"
	Additional   = "additional-invoice-data"
	Footer       = "document-footer"
)

var blockTypes = [...]string{Heading, Parties, LineItems, VATBreakdown, AmountsDue, Payment, Notes, Additional, Footer}

// Template says how an invoice is rendered. Its JSON is that of docs/API.md, Block
// templates.
type Template struct {
	Version  int       `json:"version"`
	Locale   string    `json:"locale,omitempty"`
	Branding Branding  `json:"branding"`
	Page     PageSetup `json:"page"`
	Blocks   []Block   `json:"blocks"`
}

// Branding is the visual style of the document.
type Branding struct {
	// AccentColor is #rgb or #rrggbb; empty means the default.
	AccentColor string `json:"accent_color,omitempty"`
	// Font is the name of an installed font family; if it is empty or not installed, a sans
	// serif font is used.
	Font string `json:"font,omitempty"`
	// Logo is a data URI as contract.ParsePicture takes it, of at most contract.MaxLogo characters. It is above the title.
	Logo string `json:"logo,omitempty"`
}

// PageSetup is the size and the margins of the page.
type PageSetup struct {
	// Format is one of contract.InvoiceFormats in any case; empty means contract.DefaultPaper.
	Format string `json:"format,omitempty"`
	// Margin is the CSS shorthand of one to four lengths; empty means 15mm.
	Margin string `json:"margin,omitempty"`
}

// Block is one of the nine blocks. Its type determines which fields it may have.
type Block struct {
	Type          string            `json:"type"`
	Enabled       *bool             `json:"enabled,omitempty"`
	ShowVATColumn *bool             `json:"show_vat_column,omitempty"`
	ShowQR        bool              `json:"show_qr,omitempty"`
	Text          string            `json:"text,omitempty"`
	Labels        map[string]string `json:"labels,omitempty"`
}

// enabled reports whether the block is shown, which is the default.
func (b Block) enabled() bool { return b.Enabled == nil || *b.Enabled }

// ShowsAll reports whether the page shows every text of an invoice, since the additional data shows what no other block does.
func (t Template) ShowsAll() bool { return t.block(Additional).enabled() }

// defaultLabels are the labels for which a template has no text, by block and name, in English.
var defaultLabels = map[string]map[string]string{
	Heading:      {"title": "Invoice", "title_credit_note": "Credit note", "number": "Number", "issue_date": "Date", "due_date": "Due date"},
	Parties:      {"seller": "Seller", "buyer": "Buyer"},
	LineItems:    {"description": "Description", "qty": "Quantity", "unit_price": "Unit price", "vat": "VAT", "amount": "Amount"},
	VATBreakdown: {"title": "VAT breakdown"},
	AmountsDue:   {"subtotal": "Total without VAT", "tax": "VAT", "total": "Total"},
}

// Defaults returns the texts that stand in for fields that a template does not have, by path: blocks.0.labels.title.
func Defaults() map[string]string {
	all := map[string]string{"branding.accent_color": defaultAccent, "page.margin": defaultMargin}
	for i, blockType := range blockTypes {
		for name, text := range defaultLabels[blockType] {
			all[fmt.Sprintf("blocks.%d.labels.%s", i, name)] = text
		}
	}
	return all
}

// Default returns the built-in template: English labels, A4.
func Default() Template {
	t := Template{Version: 1, Locale: "en-US"}
	for _, blockType := range blockTypes {
		t.Blocks = append(t.Blocks, Block{Type: blockType})
	}
	return t
}

// TemplateError refuses a template.
type TemplateError struct {
	// Path is the path of the invalid field, such as blocks.0.labels.title.
	Path, Reason string
}

func (e *TemplateError) Error() string { return e.Path + ": " + e.Reason }

// Parse reads a template that the API's schema has accepted, and checks what the schema
// does not: the order of the blocks, the labels and the placeholders. Its error is a
// *TemplateError.
func Parse(data []byte) (Template, error) {
	var t Template
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, &TemplateError{"template", err.Error()}
	}
	if len(t.Blocks) != len(blockTypes) {
		return t, &TemplateError{"blocks", fmt.Sprintf("there are %d blocks; there must be nine, in this order: %s", len(t.Blocks), strings.Join(blockTypes[:], ", "))}
	}
	for i, b := range t.Blocks {
		if err := b.check(blockTypes[i]); err != nil {
			err.Path = strings.TrimSuffix(fmt.Sprintf("blocks.%d.%s", i, err.Path), ".")
			return t, err
		}
	}
	return t, nil
}

func (b Block) check(blockType string) *TemplateError {
	if b.Type != blockType {
		return &TemplateError{"type", fmt.Sprintf("must be %q, not %q", blockType, b.Type)}
	}
	if err := CheckPlaceholders(b.Text); err != nil {
		return &TemplateError{"text", err.Error()}
	}
	for label, text := range b.Labels {
		if _, known := defaultLabels[blockType][label]; !known {
			return &TemplateError{"labels." + label, "unknown label"}
		}
		if err := CheckPlaceholders(text); err != nil {
			return &TemplateError{"labels." + label, err.Error()}
		}
	}
	return nil
}

// block returns the block of a type.
func (t Template) block(blockType string) Block {
	for _, b := range t.Blocks {
		if b.Type == blockType {
			return b
		}
	}
	return Block{Type: blockType}
}

// label is a label of the template, or the default in the language of the page if the template does not have it.
func (p *presenter) label(b Block, name string) string {
	if text, own := b.Labels[name]; own {
		return p.expand(text)
	}
	return p.Word(defaultLabels[b.Type][name])
}
