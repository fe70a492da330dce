package page_test

import (
	"platen.dev/edge/dashboard/page"
	"platen.dev/einvoice/report"
	"platen.dev/events/contract"
)

// wrongInvoice returns the report on a hybrid with a mistake in most sections.
func wrongInvoice() page.CheckInvoice {
	good := report.NewSection(nil, false)
	r := &report.Report{Kind: report.Hybrid, Profile: "en16931", Guideline: "urn:cen.eu:en16931:2017", WellFormed: &good, Schema: &good}
	const settlement = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement"
	r.Rules = &report.Rules{Sets: []report.Set{{Name: "en16931", Version: "1.3.16"}}, Section: report.NewSection([]report.Violation{
		{
			Rule: "BR-CO-15", Severity: report.Fatal, Term: "BT-112", Path: settlement + "/ram:SpecifiedTradeSettlementHeaderMonetarySummation/ram:GrandTotalAmount", Line: 304,
			Message: "The amount with VAT is the amount without VAT plus the total VAT: found 297.51, calculated 297.5.", Fix: "Correct one of the three.", Docs: report.RulePages + "/en16931/BR-CO-15",
		},
		{
			Rule: "CII-SR-465", Severity: report.Warning, Term: "BT-41", Path: "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty", Line: 160,
			Message: "A contact of the seller is a person or a department.", Fix: "Keep the name of one of the two.",
		},
	}, true)}
	pdfa := report.NewSection([]report.Violation{{Rule: "6.2.11.4.1-1", Severity: report.Fatal, Message: "Font 12 (Arial) is not embedded."}}, false)
	r.PDFA = &pdfa
	r.Embedding = &report.Embedding{Section: good, FileName: "factur-x.xml", Relationship: "Alternative", Level: "EN 16931"}
	r.Leave(report.RulesSection, "The invoice follows a specification with rules of its own, which are not checked: only those of EN 16931 are.")
	r.Conclude()
	return page.CheckInvoice{Frame: frame(), Profiles: contract.Profiles(), Report: r}
}
