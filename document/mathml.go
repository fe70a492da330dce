package document

import (
	"regexp"
	"strings"
)

// mathElements are the elements of MathML Core that show something. annotation and annotation-xml hold a formula once more, in another
// notation, which browsers do not show: they are removed with their content.
var mathElements = strings.Fields("math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt " +
	"mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics")

var (
	mathDisplay = regexp.MustCompile(`^(?i)(block|inline)$`)
	mathForm    = regexp.MustCompile(`^(?i)(prefix|infix|postfix)$`)
	mathLevel   = regexp.MustCompile(`^[+-]?[0-9]{1,2}$`)
	mathTruth   = regexp.MustCompile(`^(?i)(true|false)$`)
	// mathLength matches a length, also one of the names that there were before MathML Core.
	mathLength  = regexp.MustCompile(`^\s*([+-]?[0-9]{0,5}(\.[0-9]{0,6})?([a-z]{1,4}|%)?|[a-z]{3,32})\s*$`)
	mathVariant = regexp.MustCompile(`^[a-z-]{1,32}$`)
)

// mathRules are the attributes of MathML Core.
var mathRules = []attributeRule{
	{"display", mathDisplay, "math"},
	{"displaystyle", mathTruth, strings.Join(mathElements, " ")},
	{"scriptlevel", mathLevel, strings.Join(mathElements, " ")},
	{"mathcolor mathbackground", color, strings.Join(mathElements, " ")},
	{"mathsize", mathLength, strings.Join(mathElements, " ")},
	{"mathvariant", mathVariant, "mi mn mo ms mtext mstyle"},
	{"form", mathForm, "mo"},
	{"stretchy symmetric largeop movablelimits fence separator", mathTruth, "mo"},
	{"lspace rspace minsize maxsize", mathLength, "mo"},
	{"width height depth", mathLength, "mspace mpadded"},
	{"lspace voffset", mathLength, "mpadded"},
	{"linethickness", mathLength, "mfrac"},
	{"accent accentunder", mathTruth, "mover munder munderover"},
	{"columnspan rowspan", count, "mtd"},
}
