package schema

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

func (Bool) check(value any, loc []any) []Violation {
	if _, ok := value.(bool); !ok {
		return one(loc, "bool_type", "Input should be a valid boolean")
	}
	return nil
}

func (n Number) check(value any, loc []any) []Violation {
	number, ok := value.(json.Number)
	if !ok {
		return one(loc, "float_type", "Input should be a valid number")
	}
	v, err := number.Float64()
	if err != nil || math.IsInf(v, 0) {
		return one(loc, "finite_number", "Input should be a finite number")
	}
	if v < n.Min {
		return one(loc, "greater_than_equal", "Input should be greater than or equal to %s", plain(n.Min))
	}
	if v > n.Max {
		return one(loc, "less_than_equal", "Input should be less than or equal to %s", plain(n.Max))
	}
	return nil
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (i Integer) check(value any, loc []any) []Violation {
	number, ok := value.(json.Number)
	if !ok {
		return one(loc, "int_type", "Input should be a valid integer")
	}
	v, err := integer(number)
	switch {
	case errors.Is(err, errFraction):
		return one(loc, "int_from_float", "Input should be a valid integer, got a number with a fractional part")
	case v < i.Min || err != nil && v < 0:
		return one(loc, "greater_than_equal", "Input should be greater than or equal to %d", i.Min)
	case v > i.Max || err != nil:
		return one(loc, "less_than_equal", "Input should be less than or equal to %d", i.Max)
	}
	return nil
}

var errFraction = errors.New("not an integer")

// integer is the value of a number without fraction, in whatever way it is
// written: 1.0 and 1e3 are integers. It goes by the digits, since a float would
// round and a big.Rat would fill the memory at 1e999999999. A value that does not
// fit gives the nearest that does, and strconv's error.
func integer(number json.Number) (int64, error) {
	digits, zeros := significant(string(number))
	if zeros < 0 {
		return 0, errFraction
	}
	const most = 20 // one digit more than any int64 has
	return strconv.ParseInt(digits+strings.Repeat("0", min(zeros, most)), 10, 64)
}

// significant splits a JSON number into sign and digits without zeros at the end,
// and how many zeros follow them: 1.50e3 is 15 and two, 0.5 is 5 and minus one.
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

// power reads an exponent and stops where no body's digits could make up for it.
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

// settled is how a checked value is handed on: integers in plain digits.
func settled(kind Kind, value any) any {
	number, ok := value.(json.Number)
	if _, wanted := kind.(Integer); !ok || !wanted {
		return value
	}
	v, _ := integer(number) // checked before
	return json.Number(strconv.FormatInt(v, 10))
}
