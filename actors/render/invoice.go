package render

import (
	"fmt"

	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/rules"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// invoice is the e-invoice of a job, parsed once for the whole attempt.
type invoice struct {
	profile string
	model   *einvoice.Invoice
	// xml is the XML as it was sent.
	xml []byte
	// sets are the job's business rules, or those of the profile; if warns is set, violations are among the job's warnings.
	sets  []*rules.Set
	warns bool
	// checked caches the result of rules.
	checked *rules.Report
}

func readInvoice(i *events.Invoice) (*invoice, error) {
	xml, err := i.XML.Inflate()
	if err != nil {
		return nil, err
	}
	model, err := einvoice.ParseWanted(xml, einvoice.WantedBy(i.Format, i.Profile, i.Rules))
	if err != nil {
		return nil, err
	}
	sets, _ := rules.Choose(i.RuleSets, model) // a set of another version may be missing: then nothing is reported
	return &invoice{profile: i.Profile, model: model, xml: xml, sets: sets, warns: i.Rules != ""}, nil
}

// rules returns the report of the business rules. A preview does not ask for it.
func (i *invoice) rules() *rules.Report {
	if i.checked == nil {
		i.checked = rules.Check(i.model, i.sets...)
	}
	return i.checked
}

// broken returns the business rules that the invoice breaks: the fatal ones, and the others.
func (i *invoice) broken() (fatal, others []events.Warning) {
	if i == nil || !i.warns {
		return nil, nil
	}
	for _, v := range i.rules().Violations {
		w := events.Warning{
			Code:   contract.RuleBroken,
			Detail: contract.Detail(fmt.Sprintf("%s (%s), line %d, %s: %s %s", v.Rule, v.Term, v.Line, v.Severity, v.Message, v.Fix)),
		}
		if v.Severity == rules.Fatal {
			fatal = append(fatal, w)
		} else {
			others = append(others, w)
		}
	}
	return fatal, others
}

// unfold replaces the content by the visible half of a job's e-invoice. A page by URL stays as it is.
func (w *work) unfold(c events.Content) (_ events.Content, err error) {
	if w.invoice, err = readInvoice(c.Invoice); err != nil || c.URL != "" {
		return c, err
	}
	if c, err = w.visible(c); err != nil {
		return c, err
	}
	return c, nil
}

// visible returns the caller's HTML as it was sent or, without it, the invoice as shown by its template.
func (w *work) visible(c events.Content) (events.Content, error) {
	if len(c.Invoice.HTML) > 0 {
		html, err := c.Invoice.HTML.Inflate()
		c.HTML = string(html)
		return c, err
	}
	template := blocks.Default()
	if len(c.Invoice.Template) > 0 {
		var err error
		if template, err = blocks.Parse(c.Invoice.Template); err != nil {
			return c, err
		}
	}
	w.whole = template.ShowsAll()
	shown := blocks.Render(w.invoice.model, template)
	c.HTML = shown.HTML
	c.Print = events.PrintOptions{
		Paper: contract.Paper{
			Format: shown.Format, HeaderFooter: shown.Footer != "", Footer: shown.Footer,
			MarginTop: shown.Top, MarginRight: shown.Right, MarginBottom: shown.Bottom, MarginLeft: shown.Left,
		},
	}
	return c, nil
}
