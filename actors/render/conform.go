package render

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"platen.dev/document/pdfa"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/hybrid"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// printable replaces characters of the HTML that no font has: PDF/A and PDF/UA forbid them.
func (w *work) printable(ctx context.Context, c events.Content) (_ events.Content, err error) {
	texts := []*string{&c.HTML, &c.Print.Header, &c.Print.Footer}
	for _, own := range []**string{&c.Print.FirstHeader, &c.Print.FirstFooter, &c.Print.LastHeader, &c.Print.LastFooter} {
		if *own != nil {
			*own = new(**own) // the submission keeps its own
			texts = append(texts, *own)
		}
	}
	for _, text := range texts {
		var replaced []rune
		if *text, replaced, err = pdfa.Printable(ctx, *text); err != nil {
			return c, err
		}
		if len(replaced) > 0 {
			w.whole = false
			w.cfg.Logger.Warn("characters without a glyph were replaced", "job", w.job.String(), "characters", fmt.Sprintf("%U", replaced[:min(len(replaced), 20)]))
		}
	}
	return c, nil
}

// promises reports whether the file must conform to a standard.
func (w *work) promises() bool { return w.invoice != nil || w.submission.Content.Print.Conforms() }

// converts reports whether a printed PDF is converted before it is compressed: to keep a promise, or to tidy its structure.
func (w *work) converts() bool { return w.promises() || w.submission.Content.Print.Structured() }

// convert turns a printed PDF into a file of the standards that the job asks for.
func (w *work) convert(pdf []byte) (_ []byte, err error) {
	o := w.submission.Content.Print
	about := events.Metadata{}
	if o.Metadata != nil && w.promises() {
		about = *o.Metadata
	}
	if i := w.invoice; i != nil {
		pdf, err = hybrid.Convert(pdf, hybrid.Invoice{
			XML: i.xml, Profile: i.profile, UBL: i.model.UBL, Now: w.cfg.Now(), Accessible: o.PDFUA,
			Title:  cmp.Or(about.Title, blocks.Title(i.model)),
			Author: cmp.Or(about.Author, strings.TrimSpace(i.model.Seller().Name().Text())), Subject: about.Subject, Keywords: about.Keywords, Creator: about.Creator,
			Language: about.Language,
		})
	} else {
		pdf, err = pdfa.Convert(pdf, pdfa.Document{
			Claim: claimOf(o), Now: w.cfg.Now(),
			Title: about.Title, Author: about.Author, Subject: about.Subject, Keywords: about.Keywords, Creator: about.Creator, Language: about.Language,
		})
	}
	if err != nil && w.promises() {
		err = conformanceError{err}
	}
	return pdf, err
}

// conforming checks a finished file against the rules of the standards that it claims, before anybody gets it.
func (w *work) conforming(pdf []byte) (err error) {
	claim := claimOf(w.submission.Content.Print)
	switch {
	case w.invoice != nil && w.invoice.model.UBL:
		err = hybrid.CheckUBL(pdf, claim.Accessible)
	case w.invoice != nil && claim.Accessible:
		err = hybrid.CheckAccessible(pdf)
	case w.invoice != nil:
		err = hybrid.Check(pdf)
	case claim != pdfa.Claim{}:
		err = pdfa.Check(pdf, claim)
	}
	if err != nil {
		return conformanceError{err}
	}
	return nil
}

// claimOf returns the standards that a file with these options claims to meet.
func claimOf(o events.PrintOptions) pdfa.Claim {
	parts := map[string]int{contract.Archive2B: 2, contract.Archive3B: 3}
	return pdfa.Claim{Part: parts[o.PDFA], Accessible: o.PDFUA}
}

// conformanceError is why a printed PDF cannot be made to conform.
type conformanceError struct{ error }

func (e conformanceError) Unwrap() error { return e.error }

// standard names the standard that a job's file should have met.
func (w *work) standard() string {
	claim := claimOf(w.submission.Content.Print)
	var all []string
	switch {
	case w.submission.Content.Invoice != nil:
		all = append(all, "PDF/A-3")
	case claim.Part != 0:
		all = append(all, fmt.Sprintf("PDF/A-%db", claim.Part))
	}
	if claim.Accessible {
		all = append(all, "PDF/UA-1")
	}
	return strings.Join(all, " and ")
}
