package pdfa

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"platen.dev/document/xmp"
)

// Claim is the set of standards to which a file claims to conform. The zero value claims nothing.
type Claim struct {
	// Part is that of PDF/A, 2 or 3, at conformance level B; 0 for none.
	Part int
	// Accessible claims PDF/UA-1 (ISO 14289-1).
	Accessible bool
}

func (c Claim) claims() bool { return c != Claim{} }

// Document describes the file into which a printed PDF is converted. Without a claim the PDF's structure is only
// repaired, and the file is written compactly.
type Document struct {
	Claim
	// Empty fields keep the printed PDF's values. PDF/UA needs a title from one of the two.
	Title, Author, Subject, Keywords, Creator string
	// Language is a BCP 47 tag such as "de". PDF/UA needs one, from either.
	Language string
	// Now is the date of the file and of its attachment, to the second.
	Now time.Time
	// Attachment is for part 3; nil for none.
	Attachment *Attachment
	// Extensions are further properties of the XMP packet.
	Extensions []xmp.Extension
	// Plain writes all objects as text. Otherwise they are packed.
	Plain bool
}

// Attachment is a file that a PDF/A-3 contains.
type Attachment struct {
	// Type is its MIME type.
	Name, Type, Description string
	// Relationship is the AFRelationship of the attachment to the visible document.
	Relationship string
	// Data is embedded unchanged.
	Data []byte
}

const producer = "Platen"

// texts maps the names of Info entries to the texts.
func (d *Document) texts() map[string]*string {
	return map[string]*string{"Title": &d.Title, "Author": &d.Author, "Subject": &d.Subject, "Keywords": &d.Keywords, "Creator": &d.Creator}
}

// normalized fills in the values of Info, and cleans the texts for both Info and XMP.
func (d Document) normalized(info types.Dict) Document {
	for key, text := range d.texts() {
		if *text == "" && info[key] != nil {
			*text, _ = model.Text(info[key]) // an unreadable text counts as absent
		}
		*text = cleanText(*text)
	}
	d.Language = cleanText(d.Language)
	d.Creator = cmp.Or(d.Creator, producer)
	d.Now = d.Now.UTC().Truncate(time.Second)
	return d
}

func (d Document) packet() xmp.Packet {
	p := xmp.Packet{
		Title: d.Title, Author: d.Author, Subject: d.Subject, Keywords: d.Keywords, Creator: d.Creator, Producer: producer,
		Date: d.Now, PDFA: d.Part, Extensions: d.Extensions,
	}
	if d.Accessible {
		p.PDFUA = 1
	}
	return p
}

// maxText bounds texts, in characters: a PDF string may have 32767 bytes (6.1.13-3).
const maxText = 4000

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

// pdfDate formats a time in UTC as a PDF date (7.9.4).
func pdfDate(t time.Time) string { return t.Format("D:20060102150405+00'00'") }
