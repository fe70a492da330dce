package hybrid

import (
	"errors"
	"fmt"
)

// profile has the conformance level of a profile, as XMP spells it, and AFRelationship,
// the relationship of the XML to the visible document. In MINIMUM and BASIC WL the XML is
// data about the document, in the others it is equivalent (Factur-X 1.08, 6.2; Germany
// accepts Alternative only).
type profile struct{ level, relationship string }

var profiles = map[string]profile{
	"minimum":  {"MINIMUM", "Data"},
	"basicwl":  {"BASIC WL", "Data"},
	"basic":    {"BASIC", "Alternative"},
	"en16931":  {"EN 16931", "Alternative"},
	"extended": {"EXTENDED", "Alternative"},
}

func (in Invoice) profile() (profile, error) {
	p, ok := profiles[in.Profile]
	if !ok {
		return profile{}, fmt.Errorf("%q is not a profile", in.Profile)
	}
	if len(in.XML) == 0 {
		return profile{}, errors.New("the invoice has no XML")
	}
	return p, nil
}

// profileOf is the name of the profile with a conformance level, or "" if there is none.
func profileOf(level string) string {
	for name, p := range profiles {
		if p.level == level {
			return name
		}
	}
	return ""
}
