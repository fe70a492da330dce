package blocks

import "platen.dev/einvoice"

// taxes is the vat-breakdown block.
type taxes struct {
	Title string
	Rows  []taxRow
}

type taxRow struct{ Category, Rate, Basis, Amount, Reason string }

func (s *sheet) taxes(b Block) *taxes {
	t := &taxes{Title: s.fill(b.label("title"))}
	for _, row := range s.invoice.Taxes() {
		t.Rows = append(t.Rows, taxRow{
			Category: s.texts(" ", row.Type(), row.Category()), Rate: s.percent(row.Rate()), Basis: s.amount(row.Basis()), Amount: s.amount(row.Amount()),
			Reason: s.texts(" ", row.ExemptionReason(), row.ExemptionCode()),
		})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// totals is the amounts-due block.
type totals struct {
	Rows  []pair
	Total pair
	Due   []pair
}

func (s *sheet) amountsDue(b Block) *totals {
	sums := s.totals()
	rows := []pair{{"Sum of lines", s.money(sums.Lines())}}
	for _, a := range s.invoice.Allowances() {
		rows = append(rows, s.allowanceRow(a))
	}
	rows = append(rows,
		pair{"Allowances", s.money(sums.Allowances())}, pair{"Charges", s.money(sums.Charges())},
		pair{s.fill(b.label("subtotal")), s.money(sums.TaxBasis())},
	)
	for _, tax := range sums.Taxes() {
		rows = append(rows, pair{s.fill(b.label("tax")), s.money(tax)})
	}
	return &totals{
		Rows:  pairs(rows...),
		Total: pair{s.fill(b.label("total")), s.money(sums.Grand())},
		Due: pairs(
			pair{"Paid already", s.money(sums.Prepaid())}, pair{"Rounding", s.money(sums.Rounding())}, pair{"Amount due", s.money(sums.Due())},
		),
	}
}

func (s *sheet) allowanceRow(a einvoice.Allowance) pair {
	kind, sign := kindOf(a)
	what := joined(", ", s.text(a.Reason()), joined(" of ", s.percent(a.Percent()), s.amount(a.Basis())), s.rateOf(a.Tax()))
	return pair{joined(": ", kind, what), sign + s.money(a.Amount())}
}

// payment is the payment-instructions block.
type payment struct {
	Text  string
	Terms string
	Means []means
	Facts []pair
}

// means is one way to pay.
type means struct{ Facts []pair }

func (s *sheet) payment(b Block) *payment {
	p := &payment{Text: s.fill(b.Text), Terms: s.terms()}
	for _, m := range s.invoice.PaymentMeans() {
		facts := pairs(
			pair{"Payment by", s.text(m.Information())}, pair{"IBAN", s.text(m.IBAN())}, pair{"Account", s.text(m.AccountID())}, pair{"BIC", s.text(m.BIC())},
			pair{"Account holder", s.text(m.AccountName())}, pair{"Debited account", s.text(m.DebitedIBAN())},
			pair{"Card", s.texts(", ", m.CardNumber(), m.CardHolder())},
		)
		if len(facts) > 0 {
			p.Means = append(p.Means, means{facts})
		}
	}
	p.Facts = pairs(pair{"Payment reference", s.text(s.invoice.PaymentReference())}, pair{"Creditor", s.text(s.invoice.CreditorReference())})
	for _, t := range s.invoice.PaymentTerms() {
		p.Facts = append(p.Facts, pairs(pair{"Due", s.date(t.DueDate())}, pair{"Mandate", s.text(t.Mandate())})...)
	}
	if p.Text == "" && p.Terms == "" && len(p.Means)+len(p.Facts) == 0 {
		return nil
	}
	return p
}

// notes is the invoice-notes block.
func (s *sheet) notes() (notes []string) {
	for _, n := range s.invoice.Notes() {
		if note := s.text(n.Content()); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}
