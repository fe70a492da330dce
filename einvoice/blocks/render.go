package blocks

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/events/contract"
)

// Document is an invoice ready to be printed.
type Document struct {
	// HTML is a complete document. It has no script and loads nothing.
	HTML string
	// Footer is the HTML template for the footer of each page, empty for none.
	Footer string
	// Format and the margins are those of the page.
	Format                   string
	Top, Right, Bottom, Left string
}

//go:embed invoice.html
var invoiceHTML string

var invoiceTemplate = template.Must(template.New("invoice").Parse(invoiceHTML))

// view is the view model of invoice.html. A nil block is not shown.
type view struct {
	Language, Title string
	Accent          template.CSS
	Font            template.CSS
	Heading         *heading
	Parties         []party
	LineItems       *lineItems
	VATBreakdown    *vatBreakdown
	AmountsDue      *amountsDue
	Payment         *payment
	Notes           []string
	Additional      *additionalData
}

// Render renders an invoice by a template. It is deterministic.
func Render(i *einvoice.Invoice, t Template) Document {
	p := newPresenter(i, t.Locale)
	v := view{Language: p.locale.tag, Title: Title(i), Accent: accent(t.Branding.AccentColor), Font: fontFamily(t.Branding.Font)}
	p.addBlocks(&v, t)
	footer := ""
	if b := t.block(Footer); b.enabled() {
		footer = footerHTML(p.expand(b.Text))
	}
	if b := t.block(Additional); b.enabled() { // last, because it shows what the others have not
		v.Additional = p.additionalData()
	}
	var html bytes.Buffer
	if err := invoiceTemplate.Execute(&html, v); err != nil {
		panic(err) // impossible: the template is our own, and a buffer accepts every write
	}
	d := Document{HTML: html.String(), Footer: footer, Format: t.Page.Format}
	d.Top, d.Right, d.Bottom, d.Left = margins(t.Page.Margin)
	return d
}

// Title is the title of the document: what it is, in English, and its number.
func Title(i *einvoice.Invoice) string {
	title := defaultLabels[Heading]["title"]
	if i.IsCreditNote() {
		title = defaultLabels[Heading]["title_credit_note"]
	}
	return strings.TrimSpace(title + " " + strings.TrimSpace(i.Number().Text()))
}

// addBlocks adds the blocks that are enabled, except the last two.
func (p *presenter) addBlocks(v *view, t Template) {
	if b := t.block(Heading); b.enabled() {
		v.Heading = p.heading(b)
	}
	if b := t.block(Parties); b.enabled() {
		v.Parties = p.parties(b)
	}
	if b := t.block(LineItems); b.enabled() {
		v.LineItems = p.lineItems(b)
	}
	if b := t.block(VATBreakdown); b.enabled() {
		v.VATBreakdown = p.vatBreakdown(b)
	}
	if b := t.block(AmountsDue); b.enabled() {
		v.AmountsDue = p.amountsDue(b)
	}
	if b := t.block(Payment); b.enabled() {
		v.Payment = p.payment(b)
	}
	if b := t.block(Notes); b.enabled() {
		v.Notes = p.notes()
	}
}

const defaultAccent = "#1f4e79"

// accent is a colour of the form #rgb or #rrggbb; any other text gives the default.
func accent(color string) template.CSS {
	if color == "" || strings.Trim(color[1:], "0123456789abcdefABCDEF") != "" {
		color = defaultAccent
	}
	return template.CSS(color) // safe: a # and hexadecimal digits
}

// fontFamily is a font-family list. Characters that could end the quoted name are removed.
func fontFamily(name string) template.CSS {
	const sans = `"Liberation Sans", Arial, "Noto Sans", "DejaVu Sans", sans-serif`
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || strings.ContainsRune(`"'\<>;{}`, r) {
			return -1
		}
		return r
	}, name)
	if strings.TrimSpace(name) == "" {
		return sans
	}
	return template.CSS(`"` + name + `", ` + sans)
}

const defaultMargin = "15mm"

// margins are the four margins of a shorthand, or the defaults if there is none.
func margins(shorthand string) (top, right, bottom, left string) {
	sides, err := contract.ParseMargins(shorthand)
	if err != nil { // empty: others were refused with the template
		return defaultMargin, defaultMargin, defaultMargin, defaultMargin
	}
	return sides[0], sides[1], sides[2], sides[3]
}

// footerHTML is the footer of each page: the template's text and the page number.
func footerHTML(text string) string {
	return `<table style="width: 100%; font-family: sans-serif; font-size: 8px; color: #666"><tr>` +
		`<td style="text-align: left; white-space: pre-wrap">` + template.HTMLEscapeString(text) + `</td>` +
		`<td style="text-align: right; vertical-align: bottom"><span class="pageNumber"></span> / <span class="totalPages"></span></td></tr></table>`
}
