package blocks

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/events/contract"
)

// Document is an invoice ready for printing.
type Document struct {
	// HTML is a complete document. It has no script and loads nothing.
	HTML string
	// Footer is the HTML template for the footer of each page, empty for none.
	Footer string
	// Format and the margins describe the page.
	Format                   string
	Top, Right, Bottom, Left string
}

//go:embed invoice.html
var invoiceHTML string

var invoiceTemplate = template.Must(template.New("invoice").Funcs(template.FuncMap{"whole": whole, "short": short}).Parse(invoiceHTML))

// view is the view model of invoice.html. A nil block is not shown.
type view struct {
	words
	Language, Direction, Title string
	Accent                     template.CSS
	Font                       template.CSS
	// Width is the CSS class for the page width. IDWidth is how wide the identifier of a line may be, in millimetres, before it wraps.
	Width     string
	IDWidth   float64
	Heading   *heading
	Parties   []party
	LineItems *lineItems
	// SumsBeside: VATBreakdown and AmountsDue are side by side, on one page.
	SumsBeside   bool
	VATBreakdown *vatBreakdown
	AmountsDue   *amountsDue
	Payment      *payment
	Notes        []string
	Additional   *additionalData
}

// Render renders an invoice by a template. It is deterministic.
func Render(i *einvoice.Invoice, t Template) Document {
	p := newPresenter(i, t.Locale)
	p.sheet = sheetOf(t.Page)
	v := view{
		words: p.words, Language: p.locale.tag, Direction: p.locale.direction(), Title: Title(i), Accent: accent(t.Branding.AccentColor), Font: fontFamily(t.Branding.Font),
		Width: p.sheet.class(), IDWidth: p.sheet.id(),
	}
	p.addBlocks(&v, t)
	footer := ""
	if b := t.block(Footer); b.enabled() {
		footer = footerHTML(p.expand(b.Text), marginsOf(t.Page.Margin)[2])
	}
	if b := t.block(Additional); b.enabled() { // last, because it shows what the others have not
		v.Additional = p.additionalData()
	}
	var html bytes.Buffer
	if err := invoiceTemplate.Execute(&html, v); err != nil {
		panic(err) // impossible: the template is our own, and a buffer accepts every write
	}
	m := marginsOf(t.Page.Margin)
	return Document{HTML: html.String(), Footer: footer, Format: t.Page.Format, Top: m[0], Right: m[1], Bottom: m[2], Left: m[3]}
}

// Title is the title of the document: what it is, in English, and its number.
func Title(i *einvoice.Invoice) string {
	_, title := titleOf(i)
	return strings.TrimSpace(title + " " + strings.TrimSpace(i.Number().Text()))
}

// addBlocks adds the blocks that are enabled, except the last two.
func (p *presenter) addBlocks(v *view, t Template) {
	if b := t.block(Heading); b.enabled() {
		v.Heading = p.heading(b)
		v.Heading.Logo, v.Heading.Seller = logo(t.Branding.Logo), strings.TrimSpace(p.invoice.Seller().Name().Text())
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
	v.SumsBeside = layOutSums(p.sheet, v.VATBreakdown, v.AmountsDue)
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

// marginsOf are the four margins of a shorthand, from the top clockwise, or the defaults if there is none.
func marginsOf(shorthand string) [4]string {
	sides, err := contract.ParseMargins(shorthand)
	if err != nil { // empty: others were refused with the template
		return [4]string{defaultMargin, defaultMargin, defaultMargin, defaultMargin}
	}
	return sides
}

// footerHTML returns the footer of each page: as much of the template's text as fits in the margin, and the page number, which is never broken.
func footerHTML(text, margin string) string {
	const edge = 5                            // millimetres that the browser leaves free at the edge of the paper
	bottom, _ := contract.ParseLength(margin) // an error was reported for the shorthand
	room := max(inMillimetres(float64(bottom))-edge, 4)
	return fmt.Sprintf(`<div style="display: flex; align-items: flex-end; gap: 12px; font-family: sans-serif; font-size: 8px; line-height: 1.4; color: #666">`+
		`<div style="flex: 1; min-width: 0; max-height: %.1fmm; overflow: hidden; white-space: pre-wrap; overflow-wrap: anywhere">%s</div>`+
		`<div style="white-space: nowrap; direction: ltr"><span class="pageNumber"></span> / <span class="totalPages"></span></div></div>`, room, template.HTMLEscapeString(text))
}
