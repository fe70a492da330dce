package blocks

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"platen.dev/einvoice"
)

// presenter formats the values of an invoice for a locale. It records which nodes the
// document shows, and which values it shows in another form than the XML.
type presenter struct {
	invoice *einvoice.Invoice
	locale  locale
	words
	sheet sheet
	shown einvoice.ShownNodes
	// reformatted are the values, as transmitted, that are shown in another form.
	reformatted valuesByTerm
}

func newPresenter(i *einvoice.Invoice, tag string) *presenter {
	return &presenter{invoice: i, locale: localeOf(tag), words: wordsOf(tag)}
}

func (p *presenter) totals() einvoice.Totals { return p.invoice.Totals() }

func (p *presenter) currency() string { return p.invoice.Currency().Text() }

// text is the text of a node, without the white space around it.
func (p *presenter) text(n *einvoice.Node) string { return strings.TrimSpace(p.shown.Text(n)) }

// joinTexts joins the texts of nodes, leaving out empty ones.
func (p *presenter) joinTexts(separator string, nodes ...*einvoice.Node) string {
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		texts[i] = p.text(n)
	}
	return joinNonEmpty(separator, texts...)
}

// reformat marks a node as shown in another form, which it returns.
func (p *presenter) reformat(n *einvoice.Node, form string) string {
	p.shown.Text(n)
	if raw := strings.TrimSpace(n.Transmitted()); raw != form && raw != "" {
		p.reformatted.add(p.fullTerm(n), raw)
	}
	return form
}

// number formats a number.
func (p *presenter) number(n *einvoice.Node) string {
	return p.reformat(n, p.locale.number(n.Text(), 0))
}

// amount formats an amount of money without its currency.
func (p *presenter) amount(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	return p.reformat(n, p.locale.number(n.Text(), p.decimals(n)))
}

// decimals are how many an amount has at least: those of its currency, or the two of most currencies if the XML has two.
func (p *presenter) decimals(n *einvoice.Node) int {
	_, written, _ := strings.Cut(n.Text(), ".")
	unit, err := currency.ParseISO(p.currencyOf(n))
	if err != nil {
		return 2
	}
	usual, _ := currency.Standard.Rounding(unit)
	return max(usual, min(len(written), 2))
}

// currencyOf is the currency of an amount: its own, or that of the invoice.
func (p *presenter) currencyOf(n *einvoice.Node) string {
	return cmp.Or(strings.TrimSpace(n.Attribute("currencyID")), strings.TrimSpace(p.currency()))
}

// money formats an amount of money with its currency.
func (p *presenter) money(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	if n.Attribute("currencyID") == "" {
		p.text(p.invoice.Currency()) // which is shown with it
	}
	return withUnit(p.amount(n), p.currencyOf(n))
}

// percent formats a percentage.
func (p *presenter) percent(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	return p.number(n) + "\u00a0%"
}

// quantity formats a quantity with its unit.
func (p *presenter) quantity(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	number := p.number(n)
	return withUnit(number, p.unit(strings.TrimSpace(n.Attribute("unitCode")), number))
}

// withUnit adds a unit to a number. They stay in one line, unless the unit is too long for a symbol or a code.
func withUnit(number, unit string) string {
	const longest = 8
	switch n := utf8.RuneCountInString(unit); {
	case n == 0:
		return number
	case n > longest:
		return number + " " + unit
	}
	return number + "\u00a0" + strings.ReplaceAll(unit, " ", "\u00a0")
}

// date formats a date. Text that is not a date is shown as it is.
func (p *presenter) date(d einvoice.Date) string {
	if d.Node == nil {
		return ""
	}
	t, ok := d.Time()
	switch {
	case !ok:
		return p.reformat(d.Node, strings.TrimSpace(d.Transmitted()))
	case d.IsMonth():
		return p.reformat(d.Node, t.Format("01/2006"))
	}
	return p.reformat(d.Node, p.locale.date(t))
}

// period formats a range of dates, with its description.
func (p *presenter) period(period einvoice.Period) string {
	return joinNonEmpty(" ", joinNonEmpty(" – ", p.date(period.Start()), p.date(period.End())), p.text(period.Description()))
}

// vatRates are the different VAT rates of the invoice.
func (p *presenter) vatRates() string {
	var rates []string
	seen := map[string]bool{}
	for _, tax := range p.invoice.Taxes() {
		if rate := p.percent(tax.Rate()); rate != "" && !seen[rate] {
			seen[rate] = true
			rates = append(rates, rate)
		}
	}
	return strings.Join(rates, ", ")
}

// field is a label with its value.
type field struct{ Label, Value string }

// nonEmpty leaves out the fields without a value.
func nonEmpty(all ...field) (fields []field) {
	for _, f := range all {
		if f.Value != "" {
			fields = append(fields, f)
		}
	}
	return fields
}

// joinNonEmpty joins the parts that are not empty.
func joinNonEmpty(separator string, parts ...string) string {
	var present []string
	for _, part := range parts {
		if part != "" {
			present = append(present, part)
		}
	}
	return strings.Join(present, separator)
}

// unitSymbols maps the most common units of UN/ECE Recommendations 20 and 21 to their symbols or words. A word for one is before a slash.
var unitSymbols = map[string]string{
	"C62": "", "H87": "pc/pcs", "XPP": "pc/pcs", "EA": "pc/pcs", "NAR": "pc/pcs", "SET": "set/sets", "PR": "pair/pairs", "DZN": "dozen", "LS": "flat fee", "P1": "%",
	"XBX": "box/boxes", "XCT": "carton/cartons", "XPK": "package/packages", "XPX": "pallet/pallets", "XBG": "bag/bags", "XBO": "bottle/bottles", "XRO": "roll/rolls",
	"HUR": "h", "MIN": "min", "SEC": "s", "DAY": "day/days", "WEE": "week/weeks", "MON": "month/months", "ANN": "year/years",
	"KGM": "kg", "GRM": "g", "MGM": "mg", "TNE": "t", "MTR": "m", "CMT": "cm", "MMT": "mm", "KMT": "km", "MTK": "m²", "HAR": "ha",
	"MTQ": "m³", "CMQ": "cm³", "LTR": "l", "MLT": "ml", "CLT": "cl", "HLT": "hl", "KWT": "kW", "KWH": "kWh", "MWH": "MWh",
}

// unit is the symbol or word for a unit of a quantity, or its code if none is known.
func (w words) unit(code, number string) string {
	symbol, known := unitSymbols[code]
	if !known {
		return code
	}
	one, many, both := strings.Cut(cmp.Or(w[symbol], symbol), "/")
	if !both || strings.TrimPrefix(number, "−") == "1" {
		return one
	}
	return many
}

// valuesByTerm groups values by term. It keeps each value once, in the order of addition.
type valuesByTerm struct {
	names  []string
	values map[string][]string
	seen   map[[2]string]bool
}

func (v *valuesByTerm) add(name, value string) {
	if v.seen == nil {
		v.seen, v.values = map[[2]string]bool{}, map[string][]string{}
	}
	if v.seen[[2]string{name, value}] {
		return
	}
	v.seen[[2]string{name, value}] = true
	if _, known := v.values[name]; !known {
		v.names = append(v.names, name)
	}
	v.values[name] = append(v.values[name], value)
}
