package render

import (
	"errors"
	"fmt"
	"strings"

	"platen.dev/document/pagetext"
	"platen.dev/einvoice/match"
	"platen.dev/einvoice/model"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// mismatchError is why the pages of an e-invoice do not match its XML.
type mismatchError struct {
	findings []match.Finding
	// unread is why the pages could not be compared, "" if they were.
	unread string
}

func (e mismatchError) Error() string {
	if e.unread != "" {
		return "the page cannot be compared with the XML: " + e.unread
	}
	var terms []string
	for _, f := range e.findings {
		terms = append(terms, f.Term+" "+strings.TrimSuffix(f.String(), "."))
	}
	return fmt.Sprintf("the page lacks or contradicts %d of the terms of the XML: %s", len(e.findings), strings.Join(terms, "; "))
}

// compare compares the pages of an e-invoice with its XML: the caller's pages if the job asks for that, Platen's own unless they leave something out
// on purpose. Terms missing from the caller's pages are an error or warnings.
func (w *work) compare(pdf []byte) error {
	i := w.submission.Content.Invoice
	if w.invoice == nil || !w.whole && i.Match == "" {
		return nil
	}
	err := w.invoice.mismatch(pdf)
	var unlike mismatchError
	w.compared = !errors.As(err, &unlike) || unlike.unread == ""
	switch {
	case w.whole:
		return w.complete(unlike)
	case i.Match == contract.MatchEnforce:
		return err
	}
	w.mismatches = warningsOf(err)
	return nil
}

// lackingError names the terms missing from a page made by Platen: a fault of Platen, or of a font.
type lackingError struct{ terms string }

func (e lackingError) Error() string { return "the page made of the invoice lacks " + e.terms }

// complete checks that a page made by Platen has every term. Template labels may say anything, so contradictions do not count.
func (w *work) complete(e mismatchError) error {
	var missing []string
	for _, f := range e.findings {
		if f.State == match.Missing {
			missing = append(missing, f.Term+" "+f.Name)
		}
	}
	if e.unread != "" {
		w.cfg.Logger.Warn("a page of an invoice was not compared with its XML", "job", w.job.String(), "error", e.unread)
	}
	if len(missing) == 0 {
		return nil
	}
	return lackingError{strings.Join(missing, ", ")}
}

// mismatch returns a mismatchError, or nil if the pages match the XML.
func (i *invoice) mismatch(pdf []byte) error {
	pages, err := pagetext.Read(pdf)
	if err != nil {
		return mismatchError{unread: err.Error()}
	}
	switch r := match.Compare(model.Of(i.model), pages); {
	case len(r.Findings) > 0:
		return mismatchError{findings: r.Findings}
	case r.Unfinished:
		return mismatchError{unread: "there is too much to compare"}
	}
	return nil
}

// warningsOf returns the terms of a mismatchError, one warning each.
func warningsOf(err error) (all []events.Warning) {
	var e mismatchError
	if !errors.As(err, &e) {
		return nil
	}
	if e.unread != "" {
		return []events.Warning{{Code: contract.Mismatch, Detail: contract.Detail(e.Error())}}
	}
	for _, f := range e.findings {
		all = append(all, events.Warning{Code: contract.Mismatch, Detail: contract.Detail(f.Term + " " + f.String())})
	}
	return all
}
