package render

import (
	"context"
	"crypto/sha256"

	"platen.dev/document/pdfa"
	"platen.dev/einvoice/rules"
	"platen.dev/events"
)

// prove records the evidence about an e-invoice and its file, once the file is finished and checked.
func (w *work) prove(ctx context.Context) {
	if w.invoice == nil || w.submission.Test || w.job == (events.JobID{}) { // a preview has no job
		return
	}
	e := &events.Evidence{
		XML: sha256.Sum256(w.invoice.xml), File: sha256.Sum256(w.out.data), Profile: w.invoice.profile, Sets: checkedSets(w.invoice.rules()),
		Compared: w.compared,
	}
	if w.compared {
		e.Mismatches = len(w.mismatches)
	}
	if w.cfg.Engine != nil {
		e.Engine = w.cfg.Engine()
	}
	var err error
	if e.Engine.Fonts, err = pdfa.FontsDigest(ctx); err != nil {
		w.cfg.Logger.Warn("the evidence of an invoice lacks the fonts", "job", w.job.String(), "error", err)
	}
	w.evidence = e
}

// checkedSets counts an invoice's violations of each rule set.
func checkedSets(r *rules.Report) (all []events.CheckedSet) {
	for _, s := range r.Sets {
		c := events.CheckedSet{Name: s.Name, Version: s.Version, Digest: s.Digest()}
		for _, v := range r.Violations {
			switch {
			case v.Set != s.Name:
			case v.Severity == rules.Fatal:
				c.Fatal++
			default:
				c.Others++
			}
		}
		all = append(all, c)
	}
	return all
}
