package rules

import (
	"math/big"
	"strings"

	"platen.dev/einvoice/model"
)

// maxDigits is the maximum number of digits of a number used in calculations. XML Schema requires 18; without a bound,
// one long number would cost seconds.
const maxDigits = 40

// decimal is an exact decimal number. Its zero value is not a number: every result calculated with it is not a number
// either, and no comparison with it holds.
type decimal struct {
	unscaled *big.Int // nil: no number
	places   int
}

var (
	zero = integer(0)
	one  = integer(1)
)

func integer(n int64) decimal { return decimal{big.NewInt(n), 0} }

// number is the value of a term, no number if the invoice lacks the term.
func number(t model.Term) decimal { return parseDecimal(t.Text()) }

// optional is the value of a term, 0 if the invoice lacks the term.
func optional(t model.Term) decimal {
	if t == nil {
		return zero
	}
	return number(t)
}

// parseDecimal reads a number by the grammar of XML Schema: an optional sign, digits, and
// perhaps a point.
func parseDecimal(text string) decimal {
	text = strings.TrimSpace(text)
	whole, fraction, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole, "+-") + fraction
	if len(digits) > maxDigits || len(whole)-len(strings.TrimLeft(whole, "+-")) > 1 {
		return decimal{}
	}
	unscaled, ok := new(big.Int).SetString(digits, 10)
	if !ok || strings.ContainsAny(digits, "_+-") {
		return decimal{}
	}
	if strings.HasPrefix(whole, "-") {
		unscaled.Neg(unscaled)
	}
	return decimal{unscaled, len(fraction)}
}

func (d decimal) exists() bool { return d.unscaled != nil }

// with calculates on two numbers that are brought to the same number of places.
func (d decimal) with(e decimal, calculate func(z, x, y *big.Int) *big.Int) decimal {
	if !d.exists() || !e.exists() {
		return decimal{}
	}
	places := max(d.places, e.places)
	return decimal{calculate(new(big.Int), d.scaled(places), e.scaled(places)), places}
}

// scaled is the number as an integer of that many places, its own at least.
func (d decimal) scaled(places int) *big.Int {
	if places == d.places {
		return d.unscaled
	}
	return new(big.Int).Mul(d.unscaled, power(places-d.places))
}

// power is 10 to the n.
func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

func (d decimal) plus(e decimal) decimal  { return d.with(e, (*big.Int).Add) }
func (d decimal) minus(e decimal) decimal { return d.with(e, (*big.Int).Sub) }

func (d decimal) times(e decimal) decimal {
	if !d.exists() || !e.exists() {
		return decimal{}
	}
	return decimal{new(big.Int).Mul(d.unscaled, e.unscaled), d.places + e.places}
}

// percent is that percentage of the number.
func (d decimal) percent(rate decimal) decimal {
	product := d.times(rate)
	product.places += 2
	return product
}

func (d decimal) abs() decimal {
	if !d.exists() {
		return d
	}
	return decimal{new(big.Int).Abs(d.unscaled), d.places}
}

// round rounds to a number of places, halves upwards, as XPath does.
func (d decimal) round(places int) decimal {
	if !d.exists() || d.places <= places {
		return d
	}
	unit := power(d.places - places)
	half := new(big.Int).Rsh(unit, 1)
	rounded := half.Add(half, d.unscaled)
	// Div rounds down for a positive divisor.
	return decimal{rounded.Div(rounded, unit), places}
}

// compare is -1, 0 or 1; ok is false unless both are numbers.
func (d decimal) compare(e decimal) (order int, ok bool) {
	difference := d.minus(e)
	if !difference.exists() {
		return 0, false
	}
	return difference.unscaled.Sign(), true
}

func (d decimal) equals(e decimal) bool  { order, ok := d.compare(e); return ok && order == 0 }
func (d decimal) below(e decimal) bool   { order, ok := d.compare(e); return ok && order < 0 }
func (d decimal) above(e decimal) bool   { return e.below(d) }
func (d decimal) atLeast(e decimal) bool { order, ok := d.compare(e); return ok && order >= 0 }

// near reports whether two numbers differ by less than 1.
func (d decimal) near(e decimal) bool { return d.minus(e).abs().below(one) }

// canonical is the same text for equal numbers.
func (d decimal) canonical() string {
	text := d.String()
	if d.places > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// String writes the number without an exponent.
func (d decimal) String() string {
	if !d.exists() {
		return "no number"
	}
	digits := new(big.Int).Abs(d.unscaled).String()
	if missing := d.places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, fraction := digits[:len(digits)-d.places], digits[len(digits)-d.places:]
	if fraction != "" {
		whole += "." + fraction
	}
	if d.unscaled.Sign() < 0 {
		whole = "-" + whole
	}
	return whole
}

// sum adds up a number of each.
func sum[T any](all []T, of func(T) decimal) decimal {
	total := zero
	for _, t := range all {
		total = total.plus(of(t))
	}
	return total
}
