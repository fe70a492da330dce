package match

import (
	"cmp"
	"slices"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice/model"
)

// State is the state of a term that was not found.
type State string

// The states of terms that are not found.
const (
	Missing      State = "missing"
	Contradicted State = "contradicted"
)

// Finding is a term that the pages do not show as the XML has it.
type Finding struct {
	// Term is its number in EN 16931, Name what it is called in English.
	Term, Name string
	Node       model.Term
	State      State
	// Value is that of the XML, Shown what the page has in its place; "" if the term is missing.
	Value, Shown string
}

// Result is the result of a comparison.
type Result struct {
	// Findings are in the order of the terms, each term once.
	Findings []Finding
	// Terms is how many terms were looked for.
	Terms int
}

// Compare looks for the terms of an invoice on its pages.
func Compare(invoice *model.Invoice, pages []pagetext.Page) Result {
	c := &comparison{
		invoice: invoice, terms: termsOf(invoice), view: viewOf(pages, invoice.Currency.Text()), work: maxWork,
		contradicted: map[model.Term]string{}, beside: map[model.Term]bool{},
	}
	c.compare()
	return c.result()
}

// maxWork bounds the search for contradictions, in terms, amounts or words that are looked at. Only hostile pages take more than a
// tenth of it: on the rest of them terms are only looked for.
const maxWork = 64 << 20

// comparison is the state of one comparison.
type comparison struct {
	work     int // what is left of maxWork
	invoice  *model.Invoice
	terms    []term
	view     *view
	found    []label
	mirrored bool // values are left of their labels
	lines    []row
	notes    []note
	// beside are the terms whose label has the date.
	beside map[model.Term]bool
	// contradicted are the terms that something on the page contradicts, with that.
	contradicted map[model.Term]string
	money        map[string]bool // amounts of money in the XML, as known
	known        map[string]bool // numbers that the XML explains, once they are asked for
	derived      bool            // known has those that follow from others
}

// find notes for each term whether the page has it.
func (c *comparison) find() {
	for i := range c.terms {
		t := &c.terms[i]
		t.found = c.view.has(t)
	}
}

// compare looks for the terms, and for what contradicts them.
func (c *comparison) compare() {
	c.find()
	c.findLabels()
	c.rows()
	c.labels()
	c.strayAmounts()
	c.strayRates()
	c.strayDates()
	c.strayPeriods()
	c.strayNumbers()
}

// spend takes from what is left of the work. It reports false if there is not enough.
func (c *comparison) spend(steps int) bool {
	c.work -= steps
	return c.work >= 0
}

// contradict notes that something is shown in the place of a term, the first that is.
func (c *comparison) contradict(t *term, shown string) {
	if t != nil && c.contradicted[t.node] == "" {
		c.contradicted[t.node] = shown
	}
}

func (c *comparison) result() Result {
	r := Result{Terms: len(c.terms)}
	seen := map[model.Term]bool{}
	for _, t := range c.terms {
		shown := c.contradicted[t.node]
		if t.found && shown == "" || seen[t.node] {
			continue
		}
		seen[t.node] = true
		f := Finding{Term: t.number, Name: t.name, Node: t.node, State: Missing, Value: t.node.Text(), Shown: shown}
		if shown != "" {
			f.State = Contradicted
		}
		r.Findings = append(r.Findings, f)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(a.State, b.State) }) // contradictions first
	return r
}
