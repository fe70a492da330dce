package schema

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

func (b Bool) check(d *decoder, value any) { b.decode(d, value) }

func (Bool) decode(d *decoder, value any) bool {
	v, ok := value.(bool)
	if !ok {
		d.refuse("bool_type", "Input should be a valid boolean")
	}
	return v
}

func (Bool) canonical(value any) any { return value }

func (n Number) check(d *decoder, value any) { n.decode(d, value) }

func (n Number) decode(d *decoder, value any) float64 {
	number, ok := value.(json.Number)
	if !ok {
		d.refuse("float_type", "Input should be a valid number")
		return 0
	}
	v, err := number.Float64()
	switch {
	case err != nil || math.IsInf(v, 0):
		d.refuse("finite_number", "Input should be a finite number")
	case v < n.Min:
		d.refuse("greater_than_equal", "Input should be greater than or equal to %s", plain(n.Min))
	case v > n.Max:
		d.refuse("less_than_equal", "Input should be less than or equal to %s", plain(n.Max))
	}
	return v
}

func (Number) canonical(value any) any { return value }

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (i Integer) check(d *decoder, value any) { i.decode(d, value) }

func (i Integer) decode(d *decoder, value any) int64 {
	number, ok := value.(json.Number)
	if !ok {
		d.refuse("int_type", "Input should be a valid integer")
		return 0
	}
	v, err := integer(number)
	switch {
	case errors.Is(err, errFraction):
		d.refuse("int_from_float", "Input should be a valid integer, got a number with a fractional part")
	case v < i.Min || err != nil && v < 0:
		d.refuse("greater_than_equal", "Input should be greater than or equal to %d", i.Min)
	case v > i.Max || err != nil:
		d.refuse("less_than_equal", "Input should be less than or equal to %d", i.Max)
	}
	return v
}

// canonical is the integer in plain digits.
func (Integer) canonical(value any) any {
	v, _ := integer(value.(json.Number)) // checked before
	return v
}

var errFraction = errors.New("not an integer")

// integer is the value of a number without fraction, however it is written: 1.0 and
// 1e3 are integers. It goes by the digits, since a float would round and a big.Rat
// would fill the memory at 1e999999999. A value that does not fit gives the nearest
// one that does, and strconv's error.
func integer(number json.Number) (int64, error) {
	digits, zeros := significant(string(number))
	if zeros < 0 {
		return 0, errFraction
	}
	const most = 20 // one digit more than any int64 has
	return strconv.ParseInt(digits+strings.Repeat("0", min(zeros, most)), 10, 64)
}

// significant splits a JSON number into its sign and digits, without zeros at the end,
// and the number of zeros that follow them: 1.50e3 is 15 and two, 0.5 is 5 and minus one.
func significant(number string) (digits string, zeros int) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	sign := strings.TrimSuffix(before, strings.TrimLeft(before, "-"))
	all := strings.TrimLeft(strings.TrimPrefix(before, "-")+after, "0")
	kept := strings.TrimRight(all, "0")
	if kept == "" {
		return "0", 0
	}
	return sign + kept, power(exponent) - len(after) + len(all) - len(kept)
}

// power reads an exponent, bounded to a size that the digits of no body can offset.
func power(exponent string) int {
	const far = 1 << 30
	v, err := strconv.Atoi(exponent)
	switch {
	case exponent == "":
		return 0
	case err != nil && exponent[0] == '-':
		return -far
	case err != nil:
		return far
	}
	return max(-far, min(v, far))
}
