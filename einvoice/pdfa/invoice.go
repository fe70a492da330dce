package pdfa

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Invoice is what a PDF is to carry and say about itself.
type Invoice struct {
	// XML is embedded byte by byte as it is.
	XML []byte
	// Profile is minimum, basicwl, basic, en16931 or extended.
	Profile string
	// Title is required, by PDF readers if not by the standard; the rest may be empty.
	Title, Author, Subject string
	// Creator is the program the document comes from, "Platen" if empty.
	Creator string
	// Language is a BCP 47 tag such as "de"; it is written where the PDF names none.
	Language string
	// Now dates the file and what is embedded, to the second.
	Now time.Time
}

// FileName is the name that Factur-X gives to the embedded XML.
const FileName = "factur-x.xml"

const producer = "Platen"

// profile is how Factur-X spells a profile in XMP, and how its XML relates to the page:
// MINIMUM and BASIC WL are data beside the page, the others say all that the page says
// (Factur-X 1.08, 6.2; Germany allows Alternative only).
type profile struct{ level, relation string }

var profiles = map[string]profile{
	"minimum":  {"MINIMUM", "Data"},
	"basicwl":  {"BASIC WL", "Data"},
	"basic":    {"BASIC", "Alternative"},
	"en16931":  {"EN 16931", "Alternative"},
	"extended": {"EXTENDED", "Alternative"},
}

// Errors of Convert about what it was given.
var (
	ErrEncrypted = errors.New("PDF is encrypted")
	ErrInput     = errors.New("PDF cannot become PDF/A")
)

func (in Invoice) profile() (profile, error) {
	p, ok := profiles[in.Profile]
	if !ok {
		return profile{}, fmt.Errorf("%q is no profile", in.Profile)
	}
	if len(in.XML) == 0 {
		return profile{}, errors.New("invoice has no XML")
	}
	return p, nil
}

// maxText bounds what goes into a PDF string, which may have 32767 bytes (6.1.13-3).
const maxText = 4000

// tidy makes texts fit for both Info and XMP: neither XML nor a title line has room for
// control characters, and what is not Unicode cannot be said in either.
func (in Invoice) tidy() Invoice {
	for _, text := range []*string{&in.Title, &in.Author, &in.Subject, &in.Creator, &in.Language} {
		*text = tidy(*text)
	}
	if in.Creator == "" {
		in.Creator = producer
	}
	in.Now = in.Now.UTC().Truncate(time.Second)
	return in
}

func tidy(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == unicode.ReplacementChar, r == 0xFFFE, r == 0xFFFF:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	runes := []rune(strings.TrimSpace(text))
	return string(runes[:min(len(runes), maxText)])
}
