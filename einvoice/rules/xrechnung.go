package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/einvoice/model"
)

// The guidelines of XRechnung: the core, its extension, and the one for clean vehicles.
var (
	xrechnungGuideline = einvoice.Guidelines["xrechnung"]
	extensionGuideline = einvoice.XRechnungExtension
	vehiclesGuideline  = xrechnungGuideline + "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9"
)

// xrechnung returns the rules of XRechnung beyond those of EN 16931, including those from Peppol.
func xrechnung() []Rule {
	return slices.Concat(germanRules, germanPaymentRules, germanPeppolRules, germanExtensionRules, cleanVehicleRules)
}

// germanRules are about document, parties and VAT.
var germanRules = []Rule{
	whole("BR-DE-1", "BG-16", "The invoice says how it is paid.", "Give the means of payment.", func(i *model.Invoice) bool { return len(i.Payments) > 0 }),
	{"BR-DE-2", "BG-6", Fatal, "The seller names a contact.", "Give a person or department, telephone and e-mail.", each(seller, is(func(p model.Party) bool { return len(p.Contacts) > 0 }))},
	inAddress("BR-DE-3", "BT-37", "The seller's address has a city.", seller, func(a model.Address) model.Term { return a.City }),
	inAddress("BR-DE-4", "BT-38", "The seller's address has a post code.", seller, func(a model.Address) model.Term { return a.Postcode }),
	{"BR-DE-5", "BT-41", Fatal, "The seller's contact has a name.", "Give a person or department.", each(sellerContacts, is(func(c model.Contact) bool {
		return model.Filled(c.Person) || model.Filled(c.Department)
	}))},
	{"BR-DE-6", "BT-42", Fatal, "The seller's contact has a telephone number.", "Give the number.", fills(sellerContacts, func(c model.Contact) model.Term { return c.Phone })},
	{"BR-DE-7", "BT-43", Fatal, "The seller's contact has an e-mail address.", "Give the address.", fills(sellerContacts, func(c model.Contact) model.Term { return c.Mail })},
	{"BR-DE-27", "BT-42", Warning, "A telephone number has at least three digits.", "Correct the number.", each(sellerContacts, is(func(c model.Contact) bool {
		return len(strings.Map(onlyDigits, c.Phone.Text())) >= 3
	}))},
	{"BR-DE-28", "BT-43", Warning, "An e-mail address has a name, one @ and a domain with a dot.", "Correct the address.", each(sellerContacts, is(func(c model.Contact) bool { return isMail(trimmed(c.Mail)) }))},
	inAddress("BR-DE-8", "BT-52", "The buyer's address has a city.", buyer, func(a model.Address) model.Term { return a.City }),
	inAddress("BR-DE-9", "BT-53", "The buyer's address has a post code.", buyer, func(a model.Address) model.Term { return a.Postcode }),
	inAddress("BR-DE-10", "BT-77", "The address of delivery has a city.", shipTo, func(a model.Address) model.Term { return a.City }),
	inAddress("BR-DE-11", "BT-78", "The address of delivery has a post code.", shipTo, func(a model.Address) model.Term { return a.Postcode }),
	{"BR-DE-14", "BT-119", Fatal, "Each row of the VAT breakdown has a rate.", "Give the rate, 0 if no tax is due.", fills(taxes, func(t model.Tax) model.Term { return t.Rate })},
	{"BR-DE-15", "BT-10", Fatal, "The invoice has the buyer's reference (in Germany the Leitweg-ID).", "Give the reference.", fills(invoice, func(i *model.Invoice) model.Term { return i.BuyerReference })},
	whole("BR-DE-16", "BT-31", "The seller has a VAT identifier or tax number, or a tax representative, unless all is outside VAT.", "Give one of them.", func(i *model.Invoice) bool {
		return !slices.ContainsFunc(i.LineTaxes, func(t model.Tax) bool { return t.Type.Text() == "VAT" }) ||
			!slices.ContainsFunc(i.LineTaxes, func(t model.Tax) bool { return oneOf(t.Category.Text(), "S Z E AE K G L M") }) ||
			slices.ContainsFunc(slices.Concat(i.Seller.VATIDs, i.Seller.TaxNumbers), model.Filled) || i.TaxRepresentative.Node != nil
	}),
	advise("BR-DE-17", "BT-3", Warning, "The type of the invoice is 326, 380, 381, 384, 389, 875, 876 or 877.", "Use one of these.", func(i *model.Invoice) bool {
		return oneOf(trimmed(i.TypeCode), "326 380 384 389 381 875 876 877")
	}),
	advise("BR-DE-21", "BT-24", Warning, "The guideline is that of XRechnung 3.0.", "Give "+xrechnungGuideline+".", func(i *model.Invoice) bool {
		return oneOf(i.Guideline.Text(), xrechnungGuideline+" "+extensionGuideline+" "+vehiclesGuideline)
	}),
	whole("BR-DE-22", "BT-125", "No two attachments have the same file name.", "Rename one.", hasDistinctFiles),
	advise("BR-DE-26", "BG-3", Warning, "A corrected invoice (384) names the preceding one.", "Name it.", func(i *model.Invoice) bool {
		return trimmed(i.TypeCode) != "384" || len(i.PreviousInvoices) > 0
	}),
	advise("BR-DE-TMP-32", "BT-72", Information, "The invoice has a date of delivery or a period, of the document or of each line.", "Give one of them.", func(i *model.Invoice) bool {
		return i.DeliveryDate.Parent() != nil || i.Period.Node != nil || len(keep(i.Lines, func(l model.Line) bool { return l.Period.Node == nil })) == 0
	}),
	{"BR-TMP-2", "BT-124", Warning, "The location of a supporting document is an absolute URL.", "Give the URL with its scheme, such as https:.", each(scope[model.Document]{
		func(i *model.Invoice) []model.Document {
			return keep(i.Documents, func(d model.Document) bool { return d.TypeCode.Text() == "916" && d.URI != nil })
		}, documents.at,
	}, is(func(d model.Document) bool { return hasScheme(d.URI.Text()) }))},
	{"BR-TMP-3", "BT-149", Fatal, "The base quantities of net price and gross price are written the same.", "Make them the same.", each(lines, is(func(l model.Line) bool {
		agreement := l.Node.At("SpecifiedLineTradeAgreement")
		net, gross := agreement.At("NetPriceProductTradePrice", "BasisQuantity"), agreement.At("GrossPriceProductTradePrice", "BasisQuantity")
		return net == nil || gross == nil || net.Text() == gross.Text() && hasSameUnit(net, gross)
	}))},
}

var sellerContacts = scope[model.Contact]{
	func(i *model.Invoice) []model.Contact { return i.Seller.Contacts }, func(c model.Contact) model.Term { return c.Node },
}

// inAddress is a fatal rule on the address of a party, if it has one.
func inAddress(id, term, demand string, s scope[model.Party], of func(model.Address) model.Term) Rule {
	return Rule{id, term, Fatal, demand, "Complete the address.", each(s, is(func(p model.Party) bool { return p.Address.Node == nil || model.Filled(of(p.Address)) }))}
}

// advise is whole with another severity.
func advise(id, term string, severity Severity, demand, fix string, keeps func(*model.Invoice) bool) Rule {
	return whole(id, term, demand, fix, keeps).with(severity)
}

func onlyDigits(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// isMail reports whether a text has a name, one @ and a domain of at least two parts, without white space.
func isMail(text string) bool {
	name, domain, _ := strings.Cut(text, "@")
	parts := strings.Split(domain, ".")
	return name != "" && len(parts) >= 2 && !strings.ContainsAny(domain, "@") && !strings.ContainsAny(text, " \t\r\n") && !slices.Contains(parts, "")
}

// hasScheme reports whether a URL begins with a scheme of at least two characters.
func hasScheme(url string) bool {
	scheme, _, found := strings.Cut(url, ":")
	if !found || len(scheme) < 2 || !isLetter(rune(scheme[0])) {
		return false
	}
	return !strings.ContainsFunc(scheme, func(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune("+.-", r) })
}

func isLetter(r rune) bool { return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' }

func hasDistinctFiles(i *model.Invoice) bool {
	seen := map[string]bool{}
	for _, d := range i.Documents {
		name, has := attributeOf(d.Attachment, "filename")
		if has && seen[name] {
			return false
		}
		seen[name] = has
	}
	return true
}

func hasSameUnit(a, b model.Term) bool {
	unit, has := attributeOf(a, "unitCode")
	other, hasOther := attributeOf(b, "unitCode")
	return has && hasOther && unit == other
}
