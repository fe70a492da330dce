package blocks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The block types, in the order that a template has them in.
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

var order = [...]string{Heading, Parties, LineItems, VATBreakdown, AmountsDue, Payment, Notes, Additional, Footer}

// Template says how an invoice is shown. Its JSON is that of the contract.
type Template struct {
	Version  int      `json:"version"`
	Locale   string   `json:"locale,omitempty"`
	Branding Branding `json:"branding"`
	Page     Page     `json:"page"`
	Blocks   []Block  `json:"blocks"`
}

// Branding is the look of the seller's papers.
type Branding struct {
	// AccentColor is #rgb or #rrggbb; empty means the built-in one.
	AccentColor string `json:"accent_color,omitempty"`
	// Font is the name of a font family that the machine has; empty or unknown means a sans serif.
	Font string `json:"font,omitempty"`
}

// Page is the paper.
type Page struct {
	// Format is A4, A3, Letter, Legal or Tabloid in any case; empty means A4.
	Format string `json:"format,omitempty"`
	// Margin is one to four CSS lengths as in the CSS shorthand; empty means 15mm.
	Margin string `json:"margin,omitempty"`
}

// Block is one of the nine. Which fields one may have depends on its type.
type Block struct {
	Type          string            `json:"type"`
	Enabled       *bool             `json:"enabled,omitempty"`
	ShowVATColumn *bool             `json:"show_vat_column,omitempty"`
	Text          string            `json:"text,omitempty"`
	Labels        map[string]string `json:"labels,omitempty"`
}

// On tells whether the block is shown.
func (b Block) On() bool { return b.Enabled == nil || *b.Enabled }

// words are the labels that stand where a template has none of its own.
var words = map[string]map[string]string{
	Heading:      {"title": "Invoice", "title_credit_note": "Credit note", "number": "Number", "issue_date": "Date", "due_date": "Due date"},
	Parties:      {"seller": "Seller", "buyer": "Buyer"},
	LineItems:    {"description": "Description", "qty": "Quantity", "unit_price": "Unit price", "vat": "VAT", "amount": "Amount"},
	VATBreakdown: {"title": "VAT breakdown"},
	AmountsDue:   {"subtotal": "Total without VAT", "tax": "VAT", "total": "Total"},
}

// Default is the template of those who have none: English labels, A4.
func Default() Template {
	t := Template{Version: 1, Locale: "en-US"}
	for _, name := range order {
		t.Blocks = append(t.Blocks, Block{Type: name})
	}
	return t
}

// FaultError is what is wrong with a template, and where.
type FaultError struct {
	// Path leads to the fault, as in blocks.0.labels.title.
	Path, Reason string
}

func (e *FaultError) Error() string { return e.Path + ": " + e.Reason }

// Parse reads a template that the contract's schema has passed, and checks what a
// schema cannot: the placeholders. What it refuses is a *FaultError.
func Parse(data []byte) (Template, error) {
	var t Template
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, &FaultError{"template", err.Error()}
	}
	if len(t.Blocks) != len(order) {
		return t, &FaultError{"blocks", fmt.Sprintf("there are %d blocks, not the nine %s", len(t.Blocks), strings.Join(order[:], ", "))}
	}
	for i, b := range t.Blocks {
		if fault := b.check(order[i]); fault != nil {
			fault.Path = strings.TrimSuffix(fmt.Sprintf("blocks.%d.%s", i, fault.Path), ".")
			return t, fault
		}
	}
	return t, nil
}

func (b Block) check(name string) *FaultError {
	if b.Type != name {
		return &FaultError{"type", fmt.Sprintf("%q stands where %q belongs", b.Type, name)}
	}
	if err := CheckText(b.Text); err != nil {
		return &FaultError{"text", err.Error()}
	}
	for label, text := range b.Labels {
		if _, known := words[name][label]; !known {
			return &FaultError{"labels." + label, "no such label"}
		}
		if err := CheckText(text); err != nil {
			return &FaultError{"labels." + label, err.Error()}
		}
	}
	return nil
}

// block finds one of the nine.
func (t Template) block(name string) Block {
	for _, b := range t.Blocks {
		if b.Type == name {
			return b
		}
	}
	return Block{Type: name}
}

// label is the template's word for something, or the built-in one.
func (b Block) label(name string) string {
	if text, own := b.Labels[name]; own {
		return text
	}
	return words[b.Type][name]
}
