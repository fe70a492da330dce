package rules

import (
	"platen.dev/einvoice/model"
)

// The things that rules are about.
var (
	invoice = scope[*model.Invoice]{
		func(i *model.Invoice) []*model.Invoice { return []*model.Invoice{i} },
		func(i *model.Invoice) model.Term { return i.Root },
	}
	totals = scope[model.Totals]{
		func(i *model.Invoice) []model.Totals { return []model.Totals{i.Totals} },
		func(t model.Totals) model.Term { return t.Node },
	}
	lines = scope[model.Line]{
		func(i *model.Invoice) []model.Line { return i.Lines },
		func(l model.Line) model.Term { return l.Node },
	}
	payments = scope[model.Payment]{
		func(i *model.Invoice) []model.Payment { return i.Payments },
		func(p model.Payment) model.Term { return p.Node },
	}
	cards = scope[model.Payment]{
		func(i *model.Invoice) []model.Payment {
			return keep(i.Payments, func(p model.Payment) bool { return p.Card != nil })
		},
		func(p model.Payment) model.Term { return p.Card },
	}
	// transferAccounts are the target accounts of credit transfers.
	transferAccounts = scope[model.Payment]{
		func(i *model.Invoice) []model.Payment {
			return keep(i.Payments, func(p model.Payment) bool { return isTransfer(p) && p.Account != nil })
		},
		func(p model.Payment) model.Term { return p.Account },
	}
	allowances = adjustments(func(i *model.Invoice) []model.Adjustment { return i.Allowances })
	charges    = adjustments(func(i *model.Invoice) []model.Adjustment { return i.Charges })

	lineAllowances = adjustments(func(i *model.Invoice) []model.Adjustment { return i.LineAllowances })
	lineCharges    = adjustments(func(i *model.Invoice) []model.Adjustment { return i.LineCharges })
	taxes          = taxesIn(func(i *model.Invoice) []model.Tax { return i.Taxes })
	lineTaxes      = taxesIn(func(i *model.Invoice) []model.Tax { return i.LineTaxes })
	allowanceTaxes = taxesIn(func(i *model.Invoice) []model.Tax { return taxesOf(allowances.of(i), lineAllowances.of(i)) })
	chargeTaxes    = taxesIn(func(i *model.Invoice) []model.Tax { return taxesOf(charges.of(i), lineCharges.of(i)) })

	periods     = periodsIn(func(i *model.Invoice) []model.Period { return []model.Period{i.Period} })
	linePeriods = periodsIn(func(i *model.Invoice) []model.Period {
		return gather(i.Lines, func(l model.Line) []model.Period { return []model.Period{l.Period} })
	})
	previousInvoices = scope[model.Reference]{
		func(i *model.Invoice) []model.Reference { return i.PreviousInvoices },
		func(r model.Reference) model.Term { return r.Node },
	}
	documents = scope[model.Document]{
		func(i *model.Invoice) []model.Document {
			return append(gather(i.Lines, func(l model.Line) []model.Document { return l.Documents }), i.Documents...)
		},
		func(d model.Document) model.Term { return d.Node },
	}
	attributes = scope[model.Attribute]{
		func(i *model.Invoice) []model.Attribute {
			return gather(i.Lines, func(l model.Line) []model.Attribute { return l.Attributes })
		},
		func(a model.Attribute) model.Term { return a.Node },
	}
	notes = scope[model.Note]{
		func(i *model.Invoice) []model.Note {
			return append(gather(i.Lines, func(l model.Line) []model.Note { return l.Notes }), i.Notes...)
		},
		func(n model.Note) model.Term { return n.Node },
	}

	seller            = party(func(i *model.Invoice) model.Party { return i.Seller })
	buyer             = party(func(i *model.Invoice) model.Party { return i.Buyer })
	payee             = party(func(i *model.Invoice) model.Party { return i.Payee })
	taxRepresentative = party(func(i *model.Invoice) model.Party { return i.TaxRepresentative })
	shipTo            = party(func(i *model.Invoice) model.Party { return i.ShipTo })
	parties           = scope[model.Party]{partiesOf, func(p model.Party) model.Term { return p.Node }}
)

func adjustments(of func(*model.Invoice) []model.Adjustment) scope[model.Adjustment] {
	return scope[model.Adjustment]{of, func(a model.Adjustment) model.Term { return a.Node }}
}

func taxesIn(of func(*model.Invoice) []model.Tax) scope[model.Tax] {
	return scope[model.Tax]{of, func(t model.Tax) model.Term { return t.Node }}
}

func termsIn(of func(*model.Invoice) []model.Term) scope[model.Term] {
	return scope[model.Term]{of, itself}
}

// periodsIn are those of the periods that the invoice has.
func periodsIn(of func(*model.Invoice) []model.Period) scope[model.Period] {
	return scope[model.Period]{
		func(i *model.Invoice) []model.Period {
			return keep(of(i), func(p model.Period) bool { return p.Node != nil })
		},
		func(p model.Period) model.Term { return p.Node },
	}
}

// party is a party, if the invoice has it.
func party(of func(*model.Invoice) model.Party) scope[model.Party] {
	return scope[model.Party]{
		func(i *model.Invoice) []model.Party {
			return keep([]model.Party{of(i)}, func(p model.Party) bool { return p.Node != nil })
		},
		func(p model.Party) model.Term { return p.Node },
	}
}

func partiesOf(i *model.Invoice) []model.Party {
	return keep([]model.Party{i.Seller, i.Buyer, i.TaxRepresentative, i.ShipTo, i.Payee}, func(p model.Party) bool { return p.Node != nil })
}

// terms returns the terms of things, without missing ones.
func terms[T any](s scope[T], of func(T) []model.Term) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(gather(s.of(i), of), func(t model.Term) bool { return t != nil })
	})
}

// taxesOf returns the VAT categories of those allowances or charges that have one.
func taxesOf(groups ...[]model.Adjustment) []model.Tax {
	var all []model.Tax
	for _, group := range groups {
		for _, a := range group {
			if a.Tax.Node != nil {
				all = append(all, a.Tax)
			}
		}
	}
	return all
}

func gather[T, U any](all []T, of func(T) []U) []U {
	var gathered []U
	for _, t := range all {
		gathered = append(gathered, of(t)...)
	}
	return gathered
}

func keep[T any](all []T, wanted func(T) bool) []T {
	var kept []T
	for _, t := range all {
		if wanted(t) {
			kept = append(kept, t)
		}
	}
	return kept
}
