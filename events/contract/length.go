package contract

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Errors of ParseLength; each continues a sentence that begins with the field's name.
var (
	ErrLength = errors.New("must be a CSS length such as 10px, 5mm or 0.5in")
	ErrUnit   = errors.New("needs a unit: px, mm, cm, in, pt or pc")
)

// Length is a CSS length in inches.
type Length float64

// Points returns a side of paper in points, rounded up as the browser does.
func (l Length) Points() float64 { return math.Ceil(float64(l) * unitsPerInch["pt"]) }

// PixelsPerInch is the number of CSS pixels in an inch.
const PixelsPerInch = 96

var lengthForm = regexp.MustCompile(`^(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})(px|mm|cm|in|pt|pc)?$`)

// unitsPerInch is how many of each unit make an inch (CSS Values and Units 4, section 6.2).
var unitsPerInch = map[string]float64{"px": PixelsPerInch, "mm": 25.4, "cm": 2.54, "in": 1, "pt": 72, "pc": 6}

// ParseLength parses a number with its unit, such as 5mm; only 0 may lack a unit.
func ParseLength(text string) (Length, error) {
	m := lengthForm.FindStringSubmatch(text)
	if m == nil {
		return 0, ErrLength
	}
	n, err := strconv.ParseFloat(m[1], 64)
	switch {
	case err != nil:
		return 0, ErrLength
	case n == 0:
		return 0, nil
	case m[2] == "":
		return 0, ErrUnit
	}
	return Length(n / unitsPerInch[m[2]]), nil
}

// ErrSide means that a length cannot be the side of a paper; it continues a sentence as ErrLength
// does.
var ErrSide = errors.New("must be within 10mm and 200in")

// ParseSide parses a length within MinSide and MaxSide.
func ParseSide(text string) (Length, error) {
	const rounding = 1e-9 // 1cm is less than 10mm
	side, err := ParseLength(text)
	if err == nil && (side < MinSide-rounding || side > MaxSide+rounding) {
		err = ErrSide
	}
	return min(max(side, MinSide), MaxSide), err
}

// ErrShorthand means that a margin shorthand has the wrong number of lengths.
var ErrShorthand = errors.New("must have one to four CSS lengths")

// ParseMargins parses the CSS shorthand of one to four lengths and returns the lengths
// of the four sides as text, in the order of CSS: top, right, bottom, left.
func ParseMargins(text string) (sides [4]string, err error) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }) // CSS Syntax Level 3, section 4.2
	if len(parts) < 1 || len(parts) > 4 {
		return sides, ErrShorthand
	}
	for _, part := range parts {
		if _, err := ParseLength(part); err != nil {
			return sides, err
		}
	}
	top, right := parts[0], parts[0]
	if len(parts) > 1 {
		right = parts[1]
	}
	bottom, left := top, right
	if len(parts) > 2 {
		bottom = parts[2]
	}
	if len(parts) > 3 {
		left = parts[3]
	}
	return [4]string{top, right, bottom, left}, nil
}
