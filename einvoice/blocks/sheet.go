package blocks

import (
	"strings"

	"platen.dev/einvoice"
)

// sheet is a page in the making: it writes the invoice's values as the locale does, and
// remembers which it has shown, and which of them otherwise than the XML has them.
type sheet struct {
	invoice *einvoice.Invoice
	locale  locale
	shown   einvoice.Shown
	// rewritten are the values of which the page shows another form, by element.
	rewritten rewritten
}

func newSheet(i *einvoice.Invoice, tag string) *sheet {
	return &sheet{invoice: i, locale: localeOf(tag)}
}

func (s *sheet) totals() einvoice.Totals { return s.invoice.Totals() }

func (s *sheet) currency() string { return s.invoice.Currency().Text() }

// text shows a text as it is.
func (s *sheet) text(n *einvoice.Node) string { return strings.TrimSpace(s.shown.Text(n)) }

// texts joins what there is of several texts.
func (s *sheet) texts(separator string, nodes ...*einvoice.Node) string {
	var there []string
	for _, n := range nodes {
		if text := s.text(n); text != "" {
			there = append(there, text)
		}
	}
	return strings.Join(there, separator)
}

// written shows a value in another form.
func (s *sheet) written(n *einvoice.Node, form string) string {
	if raw := s.text(n); raw != form && raw != "" {
		s.rewritten.add(n.Element(), raw)
	}
	return form
}

// number shows a number.
func (s *sheet) number(n *einvoice.Node) string {
	return s.written(n, s.locale.number(n.Text(), 0))
}

// amount shows an amount of money without its currency.
func (s *sheet) amount(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	return s.written(n, s.locale.number(n.Text(), 2))
}

// money shows an amount with its currency.
func (s *sheet) money(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	currency := n.Attribute("currencyID")
	if currency == "" {
		currency = s.text(s.invoice.Currency())
	}
	return s.amount(n) + "\u00a0" + currency
}

// percent shows a rate.
func (s *sheet) percent(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	return s.number(n) + "\u00a0%"
}

// quantity shows how much, with the unit.
func (s *sheet) quantity(n *einvoice.Node) string {
	if n == nil {
		return ""
	}
	return strings.TrimRight(s.number(n)+"\u00a0"+unit(n.Attribute("unitCode")), "\u00a0")
}

// date shows a day as the locale writes it; what is no date stands as it is.
func (s *sheet) date(d einvoice.Date) string {
	if d.Node == nil {
		return ""
	}
	t, ok := d.Time()
	if !ok {
		return s.text(d.Node)
	}
	return s.written(d.Node, s.locale.date(t))
}

// rates are the VAT rates of the invoice.
func (s *sheet) rates() string {
	var rates []string
	seen := map[string]bool{}
	for _, tax := range s.invoice.Taxes() {
		if rate := s.percent(tax.Rate()); rate != "" && !seen[rate] {
			seen[rate] = true
			rates = append(rates, rate)
		}
	}
	return strings.Join(rates, ", ")
}

// terms are the conditions of payment in words.
func (s *sheet) terms() string {
	var all []*einvoice.Node
	for _, terms := range s.invoice.PaymentTerms() {
		all = append(all, terms.Description())
	}
	return s.texts("\n", all...)
}

// units are the signs of the commonest units of UN/ECE Recommendation 20.
var units = map[string]string{
	"C62": "", "H87": "pcs", "XPP": "pcs", "EA": "pcs", "HUR": "h", "MIN": "min", "SEC": "s", "DAY": "d", "MON": "months", "ANN": "years",
	"KGM": "kg", "GRM": "g", "TNE": "t", "MTR": "m", "CMT": "cm", "MMT": "mm", "KMT": "km", "MTK": "m²", "MTQ": "m³", "LTR": "l", "MLT": "ml", "KWH": "kWh",
}

// unit is the sign of a unit, or its code.
func unit(code string) string {
	if sign, known := units[code]; known {
		return sign
	}
	return code
}

// rewritten keeps values by element, each once, in the order in which they came.
type rewritten struct {
	elements []string
	values   map[string][]string
	seen     map[[2]string]bool
}

func (r *rewritten) add(element, value string) {
	if r.seen == nil {
		r.seen, r.values = map[[2]string]bool{}, map[string][]string{}
	}
	if r.seen[[2]string{element, value}] {
		return
	}
	r.seen[[2]string{element, value}] = true
	if _, known := r.values[element]; !known {
		r.elements = append(r.elements, element)
	}
	r.values[element] = append(r.values[element], value)
}
