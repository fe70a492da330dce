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
	// Value is the value in the XML, Shown the one on the page instead; "" if the term is missing.
	Value, Shown string
}

// Result is the result of a comparison.
type Result struct {
	// Findings are in the order of the terms, each term once.
	Findings []Finding
	// Terms is how many terms were looked for.
	Terms int
	// Unfinished reports that there was too much to compare: terms may be contradicted that are found elsewhere.
	Unfinished bool
}

// Compare looks for the terms of an invoice on its pages.
func Compare(invoice *model.Invoice, pages []pagetext.Page) Result {
	c := &comparison{
		invoice: invoice, terms: termsOf(invoice), view: viewOf(pages, invoice.Currency.Text()),
		contradicted: map[model.Term]string{}, beside: map[model.Term]bool{},
	}
	c.compare()
	return c.result()
}

// maxWork bounds the search for contradictions, by the number of examined terms, amounts, words and pieces. It grows with the square of the lines: those
// of an ordinary invoice of 1 MB, about 1,400, take three quarters of it. Once it is used up, only the terms themselves are searched for.
const maxWork = 160 << 20

// comparison is the state of one comparison.
type comparison struct {
	invoice  *model.Invoice
	terms    []term
	view     *view
	found    []label
	mirrored bool // values are left of their labels
	lines    []row
	notes    []note
	// beside are the terms whose label has the date.
	beside map[model.Term]bool
	// contradicted maps the contradicted terms to what contradicts them.
	contradicted map[model.Term]string
	money        map[string]bool // amounts of money in the XML, as known
	known        map[string]bool // numbers that the XML explains, filled on demand
	rounded      []string        // amounts of terms that a page may round, sorted, filled with it
	texts        *string         // the folded texts of the XML, filled on demand
	derived      bool            // known includes derived numbers
}

// find records for each term whether the page shows it.
func (c *comparison) find() {
	for i := range c.terms {
		t := &c.terms[i]
		t.found = c.view.has(t)
	}
}

// compare searches for the terms, and for contradictions to them.
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

// spend takes steps from the remaining work. It returns false if there is not enough.
func (c *comparison) spend(steps int) bool { return c.view.spend(steps) }

// contradict records what is shown instead of a term; only the first counts. Nothing that is found once the work is used up does, as not all
// may have been seen.
func (c *comparison) contradict(t *term, shown string) {
	if t != nil && c.spend(0) && c.contradicted[t.node] == "" {
		c.contradicted[t.node] = shown
	}
}

func (c *comparison) result() Result {
	r := Result{Terms: len(c.terms), Unfinished: !c.spend(0)}
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
