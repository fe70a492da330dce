package blocks

import (
	"regexp"
	"strings"

	"platen.dev/einvoice"
)

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
		terms := paymentTerms{p.termsText(t), nonEmpty(field{p.Word("Due"), p.date(t.DueDate())}, field{p.Word("Mandate"), p.text(t.Mandate())})}
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

// paymentTerms are the payment terms in words.
func (p *presenter) paymentTerms() string {
	var all []string
	for _, terms := range p.invoice.PaymentTerms() {
		all = append(all, p.termsText(terms))
	}
	return joinNonEmpty("\n", all...)
}

// discount is a line of payment terms that states a discount for programs, as XRechnung has it.
var discount = regexp.MustCompile(`(?m)^#SKONTO#TAGE=([0-9]+)#PROZENT=([0-9]+(?:\.[0-9]+)?)(?:#BASISBETRAG=(-?[0-9]+(?:\.[0-9]+)?))?#\s*?$`)

// termsText are terms in words, discounts for programs included.
func (p *presenter) termsText(t einvoice.PaymentTerms) string {
	text := p.text(t.Description())
	if !discount.MatchString(text) {
		return text
	}
	return p.reformat(t.Description(), discount.ReplaceAllStringFunc(text, func(line string) string {
		found := discount.FindStringSubmatch(line)
		words := p.Word("{percent} discount for payment within {days} days")
		if basis := found[3]; basis != "" {
			words += " " + inParentheses(p.Word("Base amount")+" "+withUnit(p.locale.number(basis, 2), p.currency()))
		}
		return strings.NewReplacer("{days}", found[1], "{percent}", p.locale.number(found[2], 0)+"\u00a0%").Replace(words)
	}))
}
