package rules

import (
	_ "embed"
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// ublCountRules are restrictions of EN 16931's binding to UBL on the number of elements.
func ublCountRules() []Rule {
	supplier, customer := "cac:AccountingSupplierParty/cac:Party/", "cac:AccountingCustomerParty/cac:Party/"
	var all []Rule
	for _, row := range []struct {
		id, term string
		within   scope[model.Term]
		path     string
	}{
		{"UBL-SR-01", "BT-12", root, "cac:ContractDocumentReference/cbc:ID"},
		{"UBL-SR-02", "BT-15", root, "cac:ReceiptDocumentReference/cbc:ID"},
		{"UBL-SR-03", "BT-16", root, "cac:DespatchDocumentReference/cbc:ID"},
		{"UBL-SR-05", "BT-20", root, "cac:PaymentTerms/cbc:Note"},
		{"UBL-SR-06", "BG-3", written("cac:BillingReference"), "cac:InvoiceDocumentReference"},
		{"UBL-SR-08", "BG-14", root, "cac:InvoicePeriod"},
		{"UBL-SR-09", "BT-27", root, supplier + "cac:PartyLegalEntity/cbc:RegistrationName"},
		{"UBL-SR-10", "BT-28", root, supplier + "cac:PartyName/cbc:Name"},
		{"UBL-SR-11", "BT-30", root, supplier + "cac:PartyLegalEntity/cbc:CompanyID"},
		{"UBL-SR-14", "BT-33", root, supplier + "cac:PartyLegalEntity/cbc:CompanyLegalForm"},
		{"UBL-SR-15", "BT-44", root, customer + "cac:PartyLegalEntity/cbc:RegistrationName"},
		{"UBL-SR-16", "BT-46", root, customer + "cac:PartyIdentification/cbc:ID"},
		{"UBL-SR-17", "BT-47", root, customer + "cac:PartyLegalEntity/cbc:CompanyID"},
		{"UBL-SR-22", "BT-62", written("cac:TaxRepresentativeParty"), "cac:PartyName/cbc:Name"},
		{"UBL-SR-23", "BT-63", written("cac:TaxRepresentativeParty"), "cac:PartyTaxScheme/cbc:CompanyID"},
		{"UBL-SR-24", "BG-13", root, "cac:Delivery"},
		{"UBL-SR-25", "BT-70", written("cac:Delivery"), "cac:DeliveryParty/cac:PartyName/cbc:Name"},
		{"UBL-SR-26", "BT-83", written("cac:PaymentMeans"), "cbc:PaymentID"},
		{"UBL-SR-27", "BT-81", written("cac:PaymentMeans"), "cbc:PaymentMeansCode"},
		{"UBL-SR-28", "BT-89", written("cac:PaymentMeans"), "cac:PaymentMandate/cbc:ID"},
		{"UBL-SR-30", "BT-97", adjusting(false), "cbc:AllowanceChargeReason"},
		{"UBL-SR-31", "BT-104", adjusting(true), "cbc:AllowanceChargeReason"},
		{"UBL-SR-32", "BT-120", written("cac:TaxSubtotal"), "cac:TaxCategory/cbc:TaxExemptionReason"},
		{"UBL-SR-33", "BT-123", written("cac:AdditionalDocumentReference"), "cbc:DocumentDescription"},
		{"UBL-SR-34", "BT-127", ublLines, "cbc:Note"},
		{"UBL-SR-35", "BT-132", ublLines, "cac:OrderLineReference/cbc:LineID"},
		{"UBL-SR-36", "BG-26", ublLines, "cac:InvoicePeriod"},
		{"UBL-SR-37", "BT-147", ublLines, "cac:Price/cac:AllowanceCharge/cbc:Amount"},
		{"UBL-SR-39", "BT-11", root, "cac:ProjectReference/cbc:ID"},
		{"UBL-SR-40", "BT-45", root, customer + "cac:PartyName/cbc:Name"},
		{"UBL-SR-45", "BT-9", root, "cac:PaymentMeans/cbc:PaymentDueDate"},
		{"UBL-SR-46", "BT-82", root, "cac:PaymentMeans/cbc:PaymentMeansCode/@name"},
		{"UBL-SR-49", "BT-8", root, "cac:InvoicePeriod/cbc:DescriptionCode"},
		{"UBL-SR-50", "BT-154", ublLines, "cac:Item/cbc:Description"},
		{"UBL-SR-51", "BT-162", written("cac:PostalAddress", "cac:Address"), "cac:AddressLine"},
		{"UBL-SR-52", "BT-128", ublLines, "cac:DocumentReference"},
		{"UBL-SR-54", "BG-18", root, "cac:PaymentMeans/cac:CardAccount"},
		{"UBL-SR-55", "BG-19", root, "cac:PaymentMeans/cac:PaymentMandate"},
		{"UBL-SR-56", "BT-17", root, "cac:OriginatorDocumentReference/cbc:ID"},
	} {
		all = append(all, needs(row.id, row.term, "There is at most one "+row.path+".", "Keep one.", row.within, func(t model.Term) bool { return len(below(t, row.path)) <= 1 }))
	}
	return all
}

// adjusting are allowances or charges of UBL, wherever they are.
func adjusting(charge bool) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(i.Written["cac:AllowanceCharge"], func(t model.Term) bool { return isCharge(t) == charge })
	})
}

// ublStructureRules are other restrictions of the binding to UBL.
var ublStructureRules = []Rule{
	needs("UBL-SR-04", "BT-18", "There is one identifier of what is invoiced.", "Keep one.", root, func(t model.Term) bool {
		return len(keep(below(t, "cac:AdditionalDocumentReference"), isObject)) <= 1
	}),
	needs("UBL-SR-07", "BT-25", "A reference to a preceding invoice has its number.", "Give the number.", written("cac:BillingReference"), func(t model.Term) bool {
		return len(below(t, "cac:InvoiceDocumentReference/cbc:ID")) > 0
	}),
	needs("UBL-SR-12", "BT-31", "The seller has one VAT identifier.", "Keep one.", root, func(t model.Term) bool { return registrations(t, "cac:AccountingSupplierParty", true) <= 1 }),
	needs("UBL-SR-13", "BT-32", "The seller has one tax number.", "Keep one.", root, func(t model.Term) bool { return registrations(t, "cac:AccountingSupplierParty", false) <= 1 }),
	needs("UBL-SR-18", "BT-48", "The buyer has one VAT identifier.", "Keep one.", root, func(t model.Term) bool { return registrations(t, "cac:AccountingCustomerParty", true) <= 1 }),
	payeeIs("UBL-SR-19", "BT-59", "name", func(t model.Term) int { return len(below(t, "cac:PartyName/cbc:Name")) }),
	payeeIs("UBL-SR-20", "BT-60", "identifier", func(t model.Term) int {
		return len(keep(below(t, "cac:PartyIdentification/cbc:ID"), func(id model.Term) bool { return !strings.EqualFold(id.Attribute("schemeID"), "SEPA") }))
	}),
	payeeIs("UBL-SR-21", "BT-61", "register number", func(t model.Term) int { return len(below(t, "cac:PartyLegalEntity/cbc:CompanyID")) }),
	{
		"UBL-SR-29", "BT-90", Fatal, "There is one creditor identifier.", "Keep one.",
		each(invoice, is(func(i *model.Invoice) bool {
			return len(keep(i.Written["cbc:ID"], func(t model.Term) bool {
				return t.Parent().QName() == "cac:PartyIdentification" && strings.EqualFold(t.Attribute("schemeID"), "SEPA")
			})) <= 1
		})),
	},
	needs("UBL-SR-42", "BT-31", "The seller has at most two registrations for taxes.", "Keep the VAT identifier and the tax number.", writtenIn("cac:AccountingSupplierParty", "cac:Party"), func(t model.Term) bool {
		return len(below(t, "cac:PartyTaxScheme")) <= 2
	}),
	needs("UBL-SR-43", "BT-18", "Only the identifier of what is invoiced (type 130) and, in a credit note, of a project (type 50) have a type or a scheme.",
		"Leave out the type and the scheme of a supporting document.", written("cac:AdditionalDocumentReference"), func(t model.Term) bool {
			creditNote := isWithin(t, "CreditNote")
			_, schemed := attributeOf(t.At("ID"), "schemeID")
			return isObject(t) || creditNote && t.At("DocumentTypeCode").Text() == "50" || !schemed && t.At("DocumentTypeCode") == nil
		}),
	oneText("UBL-SR-44", "BT-83", "All means of payment have the same remittance information.", "cbc:PaymentID"),
	oneText("UBL-SR-47", "BT-81", "All means of payment have the same code.", "cbc:PaymentMeansCode"),
	needs("UBL-SR-48", "BG-30", "A line has one VAT category.", "Split the line, or name the category.", ublLines, func(t model.Term) bool { return len(below(t, "cac:Item/cac:ClassifiedTaxCategory")) == 1 }),
	needs("UBL-SR-53", "BT-31", "A registration for taxes has the tax and the number.", "Give both.", written("cac:PartyTaxScheme"), func(t model.Term) bool {
		return t.At("TaxScheme", "ID") != nil && t.At("CompanyID") != nil
	}),
	advice("UBL-CR-002", "The version of UBL is 2.1, if it is given.", written("cbc:UBLVersionID"), func(t model.Term) bool { return t.Text() == "2.1" }),
	advice("UBL-CR-412", "An invoice has no PaymentMeans/PaymentDueDate.", writtenIn("cac:PaymentMeans", "cbc:PaymentDueDate"), func(t model.Term) bool {
		return isWithin(t, "CreditNote")
	}),
	advice("UBL-CR-665", "A supporting document has no scheme.", written("cac:AdditionalDocumentReference"), func(t model.Term) bool { return isObject(t) || len(below(t, "cbc:ID/@schemeID")) == 0 }),
	needs("UBL-CR-666", "BT-125", "What is invoiced (type 130) has no attachment.", "Leave it out.", written("cac:AdditionalDocumentReference"), func(t model.Term) bool {
		return !isObject(t) || len(below(t, "cac:Attachment")) == 0
	}),
	needs("UBL-CR-673", "BT-123", "What is invoiced (type 130) has no description.", "Leave it out.", written("cac:AdditionalDocumentReference"), func(t model.Term) bool {
		return !isObject(t) || len(below(t, "cbc:DocumentDescription")) == 0
	}),
}

func isObject(t model.Term) bool { return t.At("DocumentTypeCode").Text() == "130" }

// registrations counts the numbers of a party for VAT, or for other taxes.
func registrations(root model.Term, role string, vat bool) (n int) {
	for _, t := range below(root, role+"/cac:Party/cac:PartyTaxScheme") {
		if strings.EqualFold(t.At("TaxScheme", "ID").Text(), "VAT") == vat {
			n += len(below(t, "cbc:CompanyID"))
		}
	}
	return n
}

// payeeIs holds if a payee has at most one of something, and its name differs from the seller's registered name.
func payeeIs(id, term, what string, count func(model.Term) int) Rule {
	return Rule{
		id, term, Fatal, "A payee has one " + what + " and another name than the seller.", "Keep one, and leave out a payee who is the seller.",
		each(written("cac:PayeeParty"), func(i *model.Invoice, t model.Term) bool {
			seller := below(i.Document, "cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName")
			return count(t) <= 1 && disagree(below(t, "cac:PartyName/cbc:Name"), seller)
		}),
	}
}

// disagree reports whether one of some elements has another text than one of others.
func disagree(some, others []model.Term) bool {
	if len(some) == 0 || len(others) == 0 {
		return false
	}
	return slices.ContainsFunc(slices.Concat(some, others), func(t model.Term) bool { return t.Text() != some[0].Text() })
}

// oneText holds if all elements of a name have the same text.
func oneText(id, term, demand, name string) Rule {
	return Rule{id, term, Fatal, demand, "Make them the same.", func(i *model.Invoice, broken func(model.Term, string)) {
		for _, t := range i.Written[name] {
			if first := i.Written[name][0]; t.Text() != first.Text() {
				broken(t, "found "+quoted(t)+" after "+quoted(first))
			}
		}
	}}
}

// advice is a warning about elements of UBL that EN 16931 does not use so.
func advice(id, demand string, s scope[model.Term], holds func(model.Term) bool) Rule {
	return Rule{id, "", Warning, demand, "Leave it out.", each(s, is(holds))}
}

// ublAttributeRules are about attributes that EN 16931 does not use, and those that attachments and amounts need.
func ublAttributeRules() []Rule {
	all := []Rule{
		{"UBL-DT-01", "", Fatal, "An amount, but for prices, has at most two decimals.", roundIt, cents(termsIn(func(i *model.Invoice) []model.Term {
			return anywhere(i, func(t model.Term) bool {
				return strings.HasSuffix(t.Element(), "Amount") && !strings.HasSuffix(t.Element(), "PriceAmount") && !isOfPrice(t)
			})
		}), itself)},
		ofBinary("UBL-DT-06", "mimeCode", "The type of an attachment is given."), ofBinary("UBL-DT-07", "filename", "The file name of an attachment is given."),
	}
	for _, row := range []struct{ id, name string }{
		{"UBL-DT-08", "schemeName"},
		{"UBL-DT-09", "schemeAgencyName"},
		{"UBL-DT-10", "schemeDataURI"},
		{"UBL-DT-11", "schemeURI"},
		{"UBL-DT-12", "format"},
		{"UBL-DT-15", "unitCodeListAgencyName"},
		{"UBL-DT-16", "listAgencyName"},
		{"UBL-DT-17", "listName"},
		{"UBL-DT-18", "name"},
		{"UBL-DT-19", "languageID"},
		{"UBL-DT-20", "listURI"},
		{"UBL-DT-21", "listSchemeURI"},
		{"UBL-DT-22", "languageLocaleID"},
		{"UBL-DT-23", "uri"},
		{"UBL-DT-24", "currencyCodeListVersionID"},
		{"UBL-DT-25", "characterSetCode"},
		{"UBL-DT-26", "encodingCode"},
		{"UBL-DT-27", "schemeAgencyID"},
		{"UBL-DT-28", "listAgencyID"},
	} {
		all = append(all, advice(row.id, "EN 16931 does not use the attribute "+row.name+".", withAttribute(row.name), func(t model.Term) bool {
			return row.name == "name" && t.QName() == "cbc:PaymentMeansCode"
		}))
	}
	return all
}

// isOfPrice reports whether an element is in the allowance on a price.
func isOfPrice(t model.Term) bool {
	for ; t != nil; t = t.Parent() {
		if t.QName() == "cac:AllowanceCharge" && t.Parent().QName() == "cac:Price" {
			return true
		}
	}
	return false
}

func ofBinary(id, attribute, demand string) Rule {
	return needs(id, "BT-125", demand, "Give the attribute "+attribute+".", termsIn(func(i *model.Invoice) []model.Term {
		return anywhere(i, func(t model.Term) bool { return strings.HasSuffix(t.Element(), "BinaryObject") })
	}), func(t model.Term) bool { _, has := attributeOf(t, attribute); return has })
}

func withAttribute(name string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term { return i.Attributed[name] })
}

// anywhere are the elements of UBL for which a condition holds, in document order.
func anywhere(i *model.Invoice, holds func(model.Term) bool) (all []model.Term) {
	visitAll(i.Document, func(t model.Term) {
		if holds(t) {
			all = append(all, t)
		}
	})
	return all
}

//go:embed unused_ubl.txt
var unusedUBLTable string

// ublUnusedRules say of elements and attributes of UBL that EN 16931 does not use them.
func ublUnusedRules() (all []Rule) {
	for line := range strings.Lines(unusedUBLTable) {
		if id, path, isRow := strings.Cut(strings.TrimSpace(line), "  "); isRow && line[0] != '#' {
			all = append(all, advice(id, "EN 16931 does not use "+path+".", atPath(path), never))
		}
	}
	return all
}

// atPath are the elements of UBL at a path below the root or, after "//", below any element.
func atPath(path string) scope[model.Term] {
	if attribute, is := strings.CutPrefix(path, "//@"); is {
		return withAttribute(attribute)
	}
	path, anywhere := strings.CutPrefix(path, "//")
	first, rest, _ := strings.Cut(path, "/")
	begin := written(first)
	if first == "line" {
		begin = ublLines
	}
	return termsIn(func(i *model.Invoice) (all []model.Term) {
		for _, t := range begin.of(i) {
			if anywhere || t.Parent() == i.Document {
				all = append(all, below(t, rest)...)
			}
		}
		return all
	})
}
