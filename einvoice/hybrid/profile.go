package hybrid

import (
	"errors"
	"fmt"

	"platen.dev/events/contract"
)

// profile has the conformance level of a profile, as XMP spells it, AFRelationship, which is
// the relationship of the XML to the visible document, and the name of the file. In MINIMUM and
// BASIC WL the XML is data about the document, in the others it is equivalent (Factur-X 1.08, 6.2;
// Germany accepts Alternative only).
type profile struct{ level, relationship, fileName string }

var profiles = map[string]profile{
	"minimum":  {"MINIMUM", "Data", FileName},
	"basicwl":  {"BASIC WL", "Data", FileName},
	"basic":    {"BASIC", "Alternative", FileName},
	"en16931":  {"EN 16931", "Alternative", FileName},
	"extended": {"EXTENDED", "Alternative", FileName},

	contract.XRechnung: {"XRECHNUNG", "Alternative", FileNameXRechnung},
}

// fileNameOf returns the file name for a conformance level.
func fileNameOf(level string) string {
	if name := profileOf(level); name != "" {
		return profiles[name].fileName
	}
	return FileName
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
