package match

import (
	"math/big"

	"platen.dev/einvoice/model"
)

// derive adds amounts that pages compute: VAT and gross amounts of lines and prices, sums of the VAT breakdown, what allowances leave.
func (c *comparison) derive() {
	i := c.invoice
	for _, l := range i.Lines {
		for _, x := range l.Taxes {
			c.withTax(l.Total, x.Rate)
			c.withTax(l.NetPrice, x.Rate)
			c.withTax(l.GrossPrice, x.Rate)
		}
		c.product(l.Quantity, l.NetPrice)
		c.product(l.Quantity, l.GrossPrice)
		c.sum(l.GrossPrice, l.NetPrice, -1)
		for _, a := range append(append([]model.Adjustment{}, l.Allowances...), l.Charges...) {
			c.sum(l.Total, a.Amount, 1)
			c.sum(l.Total, a.Amount, -1)
		}
	}
	for _, x := range i.Taxes {
		c.sum(x.Base, x.Amount, 1)
	}
	for _, a := range i.Allowances {
		c.sum(i.Totals.Lines, a.Amount, -1)
	}
	for _, a := range i.Charges {
		c.sum(i.Totals.Lines, a.Amount, 1)
	}
	c.sum(i.Totals.WithTax, i.Totals.Paid, -1)
}

func numberOf(t model.Term) *big.Rat {
	text, ok := canonical(t.Text())
	if !ok || len(text) > maxDigits {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// know adds an amount, rounded to cents.
func (c *comparison) know(r *big.Rat) {
	text, _ := canonical(r.Abs(r).FloatString(2))
	c.known[text] = true
}

func (c *comparison) withTax(amount, rate model.Term) {
	a, r := numberOf(amount), numberOf(rate)
	if a == nil || r == nil {
		return
	}
	tax := new(big.Rat).Mul(a, r)
	tax.Quo(tax, big.NewRat(100, 1))
	c.know(new(big.Rat).Set(tax))
	c.know(tax.Add(tax, a))
}

func (c *comparison) product(a, b model.Term) {
	if x, y := numberOf(a), numberOf(b); x != nil && y != nil {
		c.know(new(big.Rat).Mul(x, y))
	}
}

// sum adds b to a, times sign.
func (c *comparison) sum(a, b model.Term, sign int64) {
	if x, y := numberOf(a), numberOf(b); x != nil && y != nil {
		c.know(x.Add(x, y.Mul(y, big.NewRat(sign, 1))))
	}
}
