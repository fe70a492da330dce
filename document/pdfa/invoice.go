package pdfa

import (
	"errors"
	"strings"
	"time"
	"unicode"
)

// Invoice is the XML to embed in a PDF, and the metadata of the PDF.
type Invoice struct {
	// XML is embedded without any change.
	XML []byte
	// Profile is one of contract.Profiles.
	Profile string
	// Title should not be empty, as PDF viewers show it; the others may be.
	Title, Author, Subject, Keywords string
	// Creator is the program that made the document; empty means "Platen".
	Creator string
	// Language is a BCP 47 tag such as "de". It is used if the PDF does not declare one.
	Language string
	// Now is the date of the file and of the embedded XML, to the second.
	Now time.Time
}

// FileName is the name of the embedded XML by Factur-X.
const FileName = "factur-x.xml"

const producer = "Platen"

// Errors of Convert that its input causes.
var (
	ErrEncrypted = errors.New("the PDF is encrypted")
	ErrInput     = errors.New("the PDF cannot be converted to PDF/A")
)

// maxText bounds texts, in characters: a PDF string may have 32767 bytes (6.1.13-3).
const maxText = 4000

// normalized cleans the texts for use in both Info and XMP, and fills in the defaults.
func (in Invoice) normalized() Invoice {
	for _, text := range []*string{&in.Title, &in.Author, &in.Subject, &in.Keywords, &in.Creator, &in.Language} {
		*text = cleanText(*text)
	}
	if in.Creator == "" {
		in.Creator = producer
	}
	in.Now = in.Now.UTC().Truncate(time.Second)
	return in
}

// cleanText removes what neither XML nor a PDF viewer's title bar can show: control
// characters, line breaks and invalid UTF-8.
func cleanText(text string) string {
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
