package blocks

// payment is the block payment-instructions.
type payment struct {
	Text   string
	Terms  []paymentTerms
	Means  []paymentMeans
	Fields []field
	QR     *qrCode
}

// paymentTerms are terms in words, with the date that these are about.
type paymentTerms struct {
	Text   string
	Fields []field
}

// paymentMeans is one means of payment.
type paymentMeans struct{ Fields []field }

func (p *presenter) payment(b Block) *payment {
	shown := &payment{Text: p.expand(b.Text)}
	for _, m := range p.invoice.PaymentMeans() {
		fields := nonEmpty(
			field{p.Word("Payment by"), p.text(m.Information())}, field{p.Word("IBAN"), p.text(m.IBAN())},
			field{p.Word("Account"), p.text(m.AccountID())}, field{p.Word("BIC"), p.text(m.BIC())},
			field{p.Word("Account holder"), p.text(m.AccountName())}, field{p.Word("Debited account"), p.text(m.DebitedIBAN())},
			field{p.Word("Card"), p.joinTexts(", ", m.CardNumber(), m.CardHolder())},
		)
		if len(fields) > 0 {
			shown.Means = append(shown.Means, paymentMeans{fields})
		}
	}
	shown.Fields = nonEmpty(field{p.Word("Payment reference"), p.text(p.invoice.PaymentReference())}, field{p.Word("Creditor"), p.text(p.invoice.CreditorReference())})
	for _, t := range p.invoice.PaymentTerms() {
		terms := paymentTerms{p.text(t.Description()), nonEmpty(field{p.Word("Due"), p.date(t.DueDate())}, field{p.Word("Mandate"), p.text(t.Mandate())})}
		if terms.Text != "" || len(terms.Fields) > 0 {
			shown.Terms = append(shown.Terms, terms)
		}
	}
	if b.ShowQR {
		shown.QR = p.qrCode()
	}
	if shown.Text == "" && len(shown.Terms)+len(shown.Means)+len(shown.Fields) == 0 {
		return nil
	}
	return shown
}
