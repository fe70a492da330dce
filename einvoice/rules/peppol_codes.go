package rules

import (
	"strings"
	"time"

	"platen.dev/einvoice/model"
)

// peppolCodeRules are about codes and dates, wherever UBL has them.
var peppolCodeRules = []Rule{
	inPeppolList("CL001", "BT-125", "The type of an attachment", "attachment-type", "mimeCode", written("cbc:EmbeddedDocumentBinaryObject")),
	coded("PEPPOL-EN16931-CL002", "BT-98", "The reason of an allowance", "allowance-reason", reasonsWritten("false")),
	coded("PEPPOL-EN16931-CL003", "BT-105", "The reason of a charge", "charge-reason", reasonsWritten("true")),
	coded("PEPPOL-EN16931-CL006", "BT-8", "The event that makes VAT due", "ubl-tax-point", writtenIn("cac:InvoicePeriod", "cbc:DescriptionCode")),
	inPeppolList("CL007", "BT-5", "The currency of an amount", "peppol-currency", "currencyID", ublAmounts),
	inPeppolList("CL008", "BT-34", "The scheme of an electronic address", "peppol-endpoint-scheme", "schemeID", written("cbc:EndpointID")),
	needs("PEPPOL-EN16931-F001", "", "A date is written YYYY-MM-DD.", "Write it so, without a time zone and without white space.", written(
		"cbc:IssueDate", "cbc:DueDate", "cbc:TaxPointDate", "cbc:StartDate", "cbc:EndDate", "cbc:ActualDeliveryDate"), func(t model.Term) bool {
		return isISODay(t.Text()) && !t.Padded()
	}),
	exempts("P0104", "VATEX-EU-G", "G"),
	exempts("P0105", "VATEX-EU-O", "O"),
	exempts("P0106", "VATEX-EU-IC", "K"),
	exempts("P0107", "VATEX-EU-AE", "AE"),
	exempts("P0108", "VATEX-EU-D", "E"),
	exempts("P0109", "VATEX-EU-F", "E"),
	exempts("P0110", "VATEX-EU-I", "E"),
	exempts("P0111", "VATEX-EU-J", "E"),
}

// peppolTypeRules are about the types of documents that are not self-billed.
var peppolTypeRules = []Rule{
	coded("PEPPOL-EN16931-P0100", "BT-3", "The type of an invoice", "peppol-invoice-type", written("cbc:InvoiceTypeCode")).onlyIf(hasPeppolProcess),
	coded("PEPPOL-EN16931-P0101", "BT-3", "The type of a credit note", "peppol-credit-note-type", written("cbc:CreditNoteTypeCode")).onlyIf(hasPeppolProcess),
	{
		"PEPPOL-EN16931-P0112", "BT-3", Fatal, "The types 326 and 384 are for invoices between German parties.", "Use another type, such as 380.",
		each(written("cbc:InvoiceTypeCode"), func(i *model.Invoice, t model.Term) bool { return !oneOf(trimmed(t), "326 384") || areGerman(i) }),
	},
}

var hasPeppolProcess = inProcess(peppolProcess, frenchProcesses, processesWithResponse)

// inPeppolList is like inScheme, but allows no white space around the code.
func inPeppolList(id, term, what, list, attribute string, s scope[model.Term]) Rule {
	return Rule{"PEPPOL-EN16931-" + id, term, Fatal, what + " is one of the list (" + list + ").", fromList, func(i *model.Invoice, broken func(model.Term, string)) {
		for _, t := range s.of(i) {
			if code, has := attributeOf(t, attribute); has && (code != strings.TrimSpace(code) || !codes(list).has(code)) {
				broken(t, "found \""+code+"\"")
			}
		}
	}}
}

// reasonsWritten returns the reason codes of allowances or of charges whose indicator is exactly that word.
func reasonsWritten(charge string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(i.Written["cbc:AllowanceChargeReasonCode"], func(t model.Term) bool {
			return t.Parent().QName() == "cac:AllowanceCharge" && isJust(t.Parent().At("ChargeIndicator"), charge)
		})
	})
}

// exempts holds if a reason for an exemption is only given in its VAT category.
func exempts(id, reason, category string) Rule {
	demand := "The reason " + reason + " is for the VAT category " + category + "."
	return needs("PEPPOL-EN16931-"+id, "BT-121", demand, "Correct the category or the reason.", written("cac:TaxCategory"), func(t model.Term) bool {
		return !strings.EqualFold(t.At("TaxExemptionReasonCode").Text(), reason) || trimmed(t.At("ID")) == category
	})
}

// isISODay reports whether a text is a day of the calendar, written YYYY-MM-DD.
func isISODay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}
