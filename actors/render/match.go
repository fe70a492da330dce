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

// mismatchError is why the pages of an e-invoice do not say what its XML says.
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
	return fmt.Sprintf("%d terms of the XML are not on the page: %s", len(e.findings), strings.Join(terms, "; "))
}

// compare compares the pages of an e-invoice with its XML: those of the caller if the job asks for that, our own unless they are to
// leave something out. What the caller's lack is an error or a list of warnings.
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

// lackingError names the terms that a page of our own lacks: a fault of Platen, or of a font.
type lackingError struct{ terms string }

func (e lackingError) Error() string { return "the page made of the invoice lacks " + e.terms }

// complete checks that a page of our own has every term. Labels of the template may say anything, so contradictions do not count.
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

// mismatch is a mismatchError, or nil if the pages say what the XML says.
func (i *invoice) mismatch(pdf []byte) error {
	pages, err := pagetext.Read(pdf)
	if err != nil {
		return mismatchError{unread: err.Error()}
	}
	if findings := match.Compare(model.Of(i.model), pages).Findings; len(findings) > 0 {
		return mismatchError{findings: findings}
	}
	return nil
}

// warningsOf are the terms of a mismatchError, one by one.
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
