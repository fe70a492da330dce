package inspect

import (
	"platen.dev/document/pagetext"
	"platen.dev/document/pdfa/cos"
	"platen.dev/einvoice"
	"platen.dev/einvoice/match"
	"platen.dev/einvoice/model"
	"platen.dev/einvoice/report"
)

// maxMismatches is how many terms the section lists.
const maxMismatches = 20

// The rules of the section.
const (
	ruleMissing      = "MATCH-MISSING"
	ruleContradicted = "MATCH-CONTRADICTED"
	ruleUnread       = "MATCH-UNREAD"
)

// matchSection reports whether the pages agree with the XML. It never makes an invoice invalid: a page may omit a term, and only a
// person knows what another one means. It is nil if there is no invoice.
func matchSection(source *cos.Source, invoice *einvoice.Invoice) *report.Section {
	if invoice == nil {
		return nil
	}
	pages, err := pagetext.ReadFrom(source)
	switch {
	case err != nil:
		return unread("The pages cannot be read: " + capital(err.Error()))
	case !haveText(pages):
		return unread("The pages have no text that can be read, as pictures of pages have none.")
	}
	var all []report.Violation
	result := match.Compare(model.Of(invoice), pages)
	found := result.Findings
	for _, f := range found[:min(len(found), maxMismatches)] {
		rule := ruleMissing
		if f.State == match.Contradicted {
			rule = ruleContradicted
		}
		all = append(all, report.Violation{
			Rule: report.Text(rule), Severity: report.Warning, Term: report.Text(f.Term), Path: report.Text(f.Node.Path()), Line: report.Number(f.Node.SourceLine()),
			Message: f.String(), Fix: "Have the page and the XML made from the same data.",
		})
	}
	if result.Unfinished {
		all = append(all, unreadViolation("There is too much to compare: terms may be contradicted that are not listed."))
	}
	return new(report.NewSection(all, len(found) > maxMismatches))
}

// haveText reports whether pages have any text.
func haveText(pages []pagetext.Page) bool {
	for _, page := range pages {
		if len(page.Pieces) > 0 {
			return true
		}
	}
	return false
}

func unread(why string) *report.Section {
	return new(report.NewSection([]report.Violation{unreadViolation(why)}, false))
}

func unreadViolation(why string) report.Violation {
	return report.Violation{Rule: ruleUnread, Severity: report.Information, Message: why}
}
