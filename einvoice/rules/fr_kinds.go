package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// whole is a fatal rule on the invoice as a whole.
func whole(id, term, demand, fix string, keeps func(*model.Invoice) bool) Rule {
	return Rule{id, term, Fatal, demand, fix, each(invoice, is(keeps))}
}

func hasNote(subject string) func(*model.Invoice) bool {
	return func(i *model.Invoice) bool { return len(notesOn(i, subject)) > 0 }
}

func oneNote(subject string) func(*model.Invoice) bool {
	return func(i *model.Invoice) bool { return len(notesOn(i, subject)) <= 1 }
}

const (
	agreementDocuments = ".../ApplicableHeaderTradeAgreement/AdditionalReferencedDocument"
	property           = "line/SpecifiedTradeProduct/ApplicableProductCharacteristic"
	frTreatments       = "B2B B2BINT B2C OUTOFSCOPE ARCHIVEONLY"
)

// frKindRules are about the kind of invoice, its notes, and what the kind demands.
var frKindRules = []Rule{
	whole("BR-FR-05_BT-22_PMT", "BT-22", "A note (PMT) states the fixed charge for late payment.", "Add the note.", hasNote("PMT")),
	whole("BR-FR-05_BT-22_PMD", "BT-22", "A note (PMD) states the penalties for late payment.", "Add the note.", hasNote("PMD")),
	whole("BR-FR-05_BT-22_AAB", "BT-22", "A note (AAB) states the discount for early payment, or that there is none.", "Add the note.", hasNote("AAB")),
	whole("BR-FR-06_BT-21_PMT", "BT-21", "There is at most one note PMT.", "Join the notes.", oneNote("PMT")),
	whole("BR-FR-06_BT-21_PMD", "BT-21", "There is at most one note PMD.", "Join the notes.", oneNote("PMD")),
	whole("BR-FR-06_BT-21_AAB", "BT-21", "There is at most one note AAB.", "Join the notes.", oneNote("AAB")),
	whole("BR-FR-06_BT-21_TXD", "BT-21", "There is at most one note TXD.", "Join the notes.", oneNote("TXD")),
	whole("BR-FR-08_BT-23", "BT-23", "The business process is one of the list (fr-process).", "Give the process, such as B1.", func(i *model.Invoice) bool {
		return codes("fr-process").has(i.Process.Text())
	}),
	mustAt("BR-FR-17_BT-123", "BT-123", agreementDocuments, "The name of a supporting document is one of the list (fr-attachment).", fromList, func(t model.Term) bool {
		name := t.At("Name").Text()
		return t.At("TypeCode").Text() != "916" || !isFilled(name) || codes("fr-attachment").has(name)
	}),
	whole("BR-FR-18_BT-123", "BT-123", "At most one document is the readable form (LISIBLE).", "Keep one.", func(i *model.Invoice) bool {
		return len(keep(i.Documents, func(d model.Document) bool { return d.Name.Text() == "LISIBLE" })) <= 1
	}),
	{"BR-FR-20_BT-21", "BT-22", Fatal, "A note BAR has one of " + frTreatments + ".", "Use one of these.", each(scope[model.Note]{
		func(i *model.Invoice) []model.Note { return notesOn(i, "BAR") }, notes.at,
	}, is(func(n model.Note) bool { return oneOf(n.Text.Text(), frTreatments) }))},
	whole("BR-FR-30_BT-21", "BT-21", "At most one note BAR says how the invoice is treated.", "Keep one.", func(i *model.Invoice) bool {
		return len(keep(notesOn(i, "BAR"), func(n model.Note) bool { return oneOf(n.Text.Text(), frTreatments) })) <= 1
	}),
	mustAt("BR-FR-27_BG-32", "BG-32", property, "A property of an item has a name or a kind.", "Give one of the two.", func(t model.Term) bool {
		return t.At("Description") != nil || t.At("TypeCode") != nil
	}),
	must("BR-FR-27_BT-160", "BT-160", property+"/Description", "The name of a property is not blank.", "Give the name.", isFilled),
	must("BR-FR-27_EXT-FR-FE-159", "EXT-FR-FE-159", property+"/TypeCode", "The kind of a property is not blank.", "Give the kind.", isFilled),
	mustAt("BR-FR-28_BT-161-1", "BT-161", property, "A property of an item has a value or a measure with its unit, not both.", "Keep one of the two.", func(t model.Term) bool {
		_, measured := attributeOf(t.At("ValueMeasure"), "unitCode")
		return (t.At("Value") != nil) != measured
	}),
	must("BR-FR-28_BT-161-2", "BT-161", property+"/Value", "The value of a property is not blank.", "Give the value.", isFilled),
	must("BR-FR-28_EXT-FR-FE-160", "EXT-FR-FE-160", property+"/ValueMeasure", "The measure of a property is not blank.", "Give the measure.", isFilled),
	mustAt("BR-FR-28_EXT-FR-FE-161", "EXT-FR-FE-161", property+"/ValueMeasure", "The unit of a measure is not blank.", "Give the unit.", func(t model.Term) bool {
		unit, has := attributeOf(t, "unitCode")
		return !has || isFilled(unit)
	}),
	whole("BR-FR-29_BT-18", "BT-18", "There is at most one reference of kind AFL and one of kind AVV.", "Keep one of each.", func(i *model.Invoice) bool {
		return len(referencesOf(i, "AFL")) <= 1 && len(referencesOf(i, "AVV")) <= 1
	}),
	whole("BR-FR-29_AFL", "BT-18", "A reference of kind AFL has a number.", "Give the number.", func(i *model.Invoice) bool { return areNumbered(referencesOf(i, "AFL")) }),
	whole("BR-FR-29_AVV", "BT-18", "A reference of kind AVV has a number.", "Give the number.", func(i *model.Invoice) bool { return areNumbered(referencesOf(i, "AVV")) }),
	whole("BR-FR-CO-03_BT-3", "BT-3", "An invoice of type 262 names the contract and the period.", "Give the contract, and the start and end of the period.", func(i *model.Invoice) bool {
		return i.TypeCode.Text() != "262" || i.Contract.Text() != "" && i.Period.Start.Text() != "" && i.Period.End.Text() != ""
	}),
	whole("BR-FR-CO-04_BT-4", "BT-3", "A corrected invoice (384, 471, 472, 473) names the one invoice that it corrects.", "Name one preceding invoice.", func(i *model.Invoice) bool {
		return !oneOf(i.TypeCode.Text(), "384 471 472 473") || len(i.PreviousInvoices) == 1
	}),
	whole("BR-FR-CO-05_BT-3", "BT-3", "A credit note (261, 381, 396, 502, 503), or each line of it, names a preceding invoice with its date.", "Name the invoice.", func(i *model.Invoice) bool {
		if !oneOf(i.TypeCode.Text(), "261 381 396 502 503") || len(keep(found(".../ApplicableHeaderTradeSettlement/InvoiceReferencedDocument").of(i), isDated)) > 0 {
			return true
		}
		return len(keep(i.Lines, func(l model.Line) bool {
			return len(keep(l.Node.At("SpecifiedLineTradeSettlement").All("InvoiceReferencedDocument"), isDated)) == 0
		})) == 0
	}),
	whole("BR-FR-CO-07_BT-9", "BT-9", "What is due is not due before the invoice is issued.", "Correct the due date.", func(i *model.Invoice) bool {
		due := dueDate(i)
		return due == "" || oneOf(i.TypeCode.Text(), "386 500 503") || oneOf(i.Process.Text(), "B2 S2 M2") || due >= i.IssueDate.Text()
	}),
	whole("BR-FR-CO-08_BT-23", "BT-23", "An invoice after down payments (B4, S4, M4) is none of a down payment.", "Correct the process or the type.", func(i *model.Invoice) bool {
		return !oneOf(i.Process.Text(), "B4 S4 M4") || !oneOf(i.TypeCode.Text(), "386 500 503")
	}),
	paid("BR-FR-CO-09_BT-23-1", "the amount paid is the amount with VAT", func(i *model.Invoice) bool { return number(i.Totals.Paid).equals(number(i.Totals.WithTax)) }),
	paid("BR-FR-CO-09_BT-23-2", "nothing is due", func(i *model.Invoice) bool { return number(i.Totals.Due).equals(zero) }),
	paid("BR-FR-CO-09_BT-23-3", "the due date is given", func(i *model.Invoice) bool { return dueDate(i) != "" }),
	whole("BR-FR-CO-12_BT-5", "BT-6", "An invoice in another currency gives the total VAT in euros.", "Give the accounting currency EUR and the amount.", func(i *model.Invoice) bool {
		return i.Currency.Text() == "EUR" || i.TaxCurrency.Text() == "EUR" && len(keep(taxIn(i.Totals, i.TaxCurrency), func(t model.Term) bool { return t.Text() != "" })) > 0
	}),
	whole("BR-FR-CO-14_BT-29-1", "BT-22", "A member of a VAT group (scheme 0231) says so in a note TXD.", "Add the note MEMBRE_ASSUJETTI_UNIQUE.", func(i *model.Invoice) bool {
		return !inVATGroup(i) || len(keep(notesOn(i, "TXD"), func(n model.Note) bool { return n.Text.Text() == "MEMBRE_ASSUJETTI_UNIQUE" })) > 0
	}),
	whole("BR-FR-CO-15_BT-29-1", "BG-11", "A member of a VAT group (scheme 0231) has a tax representative with a VAT identifier.", "Name the representative.", func(i *model.Invoice) bool {
		return !inVATGroup(i) || len(i.TaxRepresentative.VATIDs) > 0 && i.TaxRepresentative.VATIDs[0].Text() != ""
	}),
}

// mustAt is a fatal rule on the elements at a path.
func mustAt(id, term, path, demand, fix string, keeps func(model.Term) bool) Rule {
	return Rule{id, term, Fatal, demand, fix, each(found(path), is(keeps))}
}

func referencesOf(i *model.Invoice, kind string) []model.Document {
	return keep(i.Documents, func(d model.Document) bool { return d.Scheme.Text() == kind })
}

func areNumbered(all []model.Document) bool {
	return len(keep(all, func(d model.Document) bool { return d.Number != nil && !model.Filled(d.Number) })) == 0
}

func isDated(reference model.Term) bool {
	return reference.At("IssuerAssignedID") != nil && reference.At("FormattedIssueDateTime", "DateTimeString") != nil
}

func dueDate(i *model.Invoice) string {
	for _, t := range i.PaymentTerms {
		if text := t.DueDate.Text(); text != "" {
			return text
		}
	}
	return ""
}

// paid is a rule on invoices that have been paid already.
func paid(id, demand string, keeps func(*model.Invoice) bool) Rule {
	return whole(id, "BT-23", "If the invoice has been paid (process B2, S2, M2), "+demand+".", "Correct it, or the process.", func(i *model.Invoice) bool {
		return !oneOf(i.Process.Text(), "B2 S2 M2") || keeps(i)
	})
}

func inVATGroup(i *model.Invoice) bool { return len(withScheme(i.Seller.Node, "0231")) > 0 }

// trimmed returns a text without surrounding white space, and with single spaces between words.
func trimmed(t model.Term) string { return strings.Join(strings.Fields(t.Text()), " ") }
