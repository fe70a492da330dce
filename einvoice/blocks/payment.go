package blocks

// payment is the block payment-instructions.
type payment struct {
	Text   string
	Terms  string
	Means  []paymentMeans
	Fields []field
}

// paymentMeans is one means of payment.
type paymentMeans struct{ Fields []field }

func (p *presenter) payment(b Block) *payment {
	shown := &payment{Text: p.expand(b.Text), Terms: p.paymentTerms()}
	for _, m := range p.invoice.PaymentMeans() {
		fields := nonEmpty(
			field{"Payment by", p.text(m.Information())}, field{"IBAN", p.text(m.IBAN())}, field{"Account", p.text(m.AccountID())}, field{"BIC", p.text(m.BIC())},
			field{"Account holder", p.text(m.AccountName())}, field{"Debited account", p.text(m.DebitedIBAN())},
			field{"Card", p.joinTexts(", ", m.CardNumber(), m.CardHolder())},
		)
		if len(fields) > 0 {
			shown.Means = append(shown.Means, paymentMeans{fields})
		}
	}
	shown.Fields = nonEmpty(field{"Payment reference", p.text(p.invoice.PaymentReference())}, field{"Creditor", p.text(p.invoice.CreditorReference())})
	for _, t := range p.invoice.PaymentTerms() {
		shown.Fields = append(shown.Fields, nonEmpty(field{"Due", p.date(t.DueDate())}, field{"Mandate", p.text(t.Mandate())})...)
	}
	if shown.Text == "" && shown.Terms == "" && len(shown.Means)+len(shown.Fields) == 0 {
		return nil
	}
	return shown
}
