package blocks

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"

	"platen.dev/einvoice"
)

// Document is an invoice ready to be printed.
type Document struct {
	// HTML is a whole document, without script; nothing in it comes from elsewhere.
	HTML string
	// Footer is an HTML template for the foot of each page.
	Footer string
	// Format and the margins are the paper's.
	Format                   string
	Top, Right, Bottom, Left string
}

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Parse(pageSource))

// page is what page.html shows.
type page struct {
	Language, Title string
	Accent          template.CSS
	Font            template.CSS
	Heading         *heading
	Parties         []party
	Lines           *lines
	Taxes           *taxes
	Totals          *totals
	Payment         *payment
	Notes           []string
	Further         *further
}

// Show makes the page of an invoice. The same invoice and template give the same page.
func Show(i *einvoice.Invoice, t Template) Document {
	s := newSheet(i, t.Locale)
	p := page{Language: s.locale.tag, Accent: accent(t.Branding.AccentColor), Font: fonts(t.Branding.Font)}
	p.Title = Title(i)
	s.enter(&p, t)
	footer := ""
	if b := t.block(Footer); b.On() {
		footer = footerOf(s.fill(b.Text))
	}
	if b := t.block(Additional); b.On() { // last, as it shows what the others have not
		p.Further = s.further()
	}
	var html bytes.Buffer
	if err := pageTemplate.Execute(&html, p); err != nil {
		panic(err) // cannot be: a buffer takes everything, and the template is our own
	}
	d := Document{HTML: html.String(), Footer: footer, Format: t.Page.Format}
	d.Top, d.Right, d.Bottom, d.Left = margins(t.Page.Margin)
	return d
}

// Title names the document: what it is, and its number.
func Title(i *einvoice.Invoice) string {
	title := words[Heading]["title"]
	if i.IsCreditNote() {
		title = words[Heading]["title_credit_note"]
	}
	return strings.TrimSpace(title + " " + strings.TrimSpace(i.Number().Text()))
}

// enter fills in the blocks that are on, but the last two.
func (s *sheet) enter(p *page, t Template) {
	if b := t.block(Heading); b.On() {
		p.Heading = s.heading(b)
	}
	if b := t.block(Parties); b.On() {
		p.Parties = s.parties(b)
	}
	if b := t.block(LineItems); b.On() {
		p.Lines = s.lines(b)
	}
	if b := t.block(VATBreakdown); b.On() {
		p.Taxes = s.taxes(b)
	}
	if b := t.block(AmountsDue); b.On() {
		p.Totals = s.amountsDue(b)
	}
	if b := t.block(Payment); b.On() {
		p.Payment = s.payment(b)
	}
	if b := t.block(Notes); b.On() {
		p.Notes = s.notes()
	}
}

const defaultAccent = "#1f4e79"

func accent(color string) template.CSS {
	if color == "" || strings.Trim(color[1:], "0123456789abcdefABCDEF") != "" {
		color = defaultAccent
	}
	return template.CSS(color) // hexadecimal digits behind a #
}

// fonts is a font-family list; a name is kept to what cannot end its quotes.
func fonts(name string) template.CSS {
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

// margins reads the CSS shorthand, which the contract's schema has checked.
func margins(shorthand string) (top, right, bottom, left string) {
	sides := strings.Fields(shorthand)
	switch len(sides) {
	case 1:
		return sides[0], sides[0], sides[0], sides[0]
	case 2:
		return sides[0], sides[1], sides[0], sides[1]
	case 3:
		return sides[0], sides[1], sides[2], sides[1]
	case 4:
		return sides[0], sides[1], sides[2], sides[3]
	}
	return defaultMargin, defaultMargin, defaultMargin, defaultMargin
}

// footerOf is the foot of each page: the template's text, and which page it is.
func footerOf(text string) string {
	return `<table style="width: 100%; font-family: sans-serif; font-size: 8px; color: #666"><tr>` +
		`<td style="text-align: left; white-space: pre-wrap">` + template.HTMLEscapeString(text) + `</td>` +
		`<td style="text-align: right; vertical-align: bottom"><span class="pageNumber"></span> / <span class="totalPages"></span></td></tr></table>`
}
