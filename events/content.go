package events

import "platen.dev/events/contract"

// Content says what a job renders, and how.
type Content struct {
	// HTML is the HTML to render: sanitised, or made from Markdown. URL is the address of a page instead.
	HTML string `cbor:"1,keyasint,omitempty"`
	// Print is for operations that make a PDF.
	Print PrintOptions `cbor:"2,keyasint"`
	URL   string       `cbor:"3,keyasint,omitempty"`
	// Image is for operations that make an image.
	Image *contract.Image `cbor:"4,keyasint,omitempty"`
	Load  *contract.Load  `cbor:"5,keyasint,omitempty"`
	// Auth is sent to the target page's origin.
	Auth     *Credentials `cbor:"6,keyasint,omitempty"`
	Invoice  *Invoice     `cbor:"7,keyasint,omitempty"`
	Delivery *Delivery    `cbor:"8,keyasint,omitempty"`
	// Embeds is set if the HTML, that of an e-invoice included, shows pictures from the network.
	Embeds bool `cbor:"9,keyasint,omitempty"`
	// Full is set for HTML that is rendered as sent, including its scripts, like a page by URL.
	Full bool `cbor:"10,keyasint,omitempty"`
	// Assets are the files to which such a document refers by relative URL.
	Assets []contract.Asset `cbor:"11,keyasint,omitempty"`
	// Stored says where HTML, Assets and Invoice are if they are too large for the log; they are empty then.
	Stored *Stored `cbor:"12,keyasint,omitempty"`
	// Headers and Cookies are sent to the URL: lists of contract.Header and contract.Cookie as JSON.
	Headers Sealed `cbor:"13,keyasint,omitempty"`
	Cookies Sealed `cbor:"14,keyasint,omitempty"`
}

// Sealed is a credential encrypted with the cluster's key; events/seal opens it.
type Sealed []byte

// PrintOptions are a PDF's options (docs/API.md, PDF options): how it is printed, and what is done to it afterwards.
type PrintOptions struct {
	contract.Paper
	Watermark   *Watermark   `cbor:"12,keyasint,omitempty"`
	Password    Sealed       `cbor:"13,keyasint,omitempty"`
	Compression *Compression `cbor:"14,keyasint,omitempty"`
	Metadata    *Metadata    `cbor:"21,keyasint,omitempty"` // the numbers between are Paper's
	// OwnerPassword grants all permissions, regardless of Denied.
	OwnerPassword Sealed  `cbor:"22,keyasint,omitempty"`
	Denied        *Denied `cbor:"23,keyasint,omitempty"`
	// PDFA is the PDF/A conformance that the file must have, one of contract.Archives; empty for none. PDFUA requires PDF/UA-1.
	PDFA  string `cbor:"24,keyasint,omitempty"`
	PDFUA bool   `cbor:"25,keyasint,omitempty"`
	// Watermarks replaces Watermark if there are several.
	Watermarks []Watermark `cbor:"33,keyasint,omitempty"`
}

// Marks returns all watermarks, for reading and for changing.
func (o *PrintOptions) Marks() (all []*Watermark) {
	if o.Watermark != nil {
		all = append(all, o.Watermark)
	}
	for i := range o.Watermarks {
		all = append(all, &o.Watermarks[i])
	}
	return all
}

// Structured reports whether the PDF has a structure.
func (o PrintOptions) Structured() bool { return o.Tagged || o.Outline || o.PDFUA }

// Conforms reports whether the file must conform to a standard.
func (o PrintOptions) Conforms() bool { return o.PDFA != "" || o.PDFUA }

// Watermark is a text or a picture over or under pages (docs/API.md, Watermark).
type Watermark struct {
	Text string `cbor:"1,keyasint"`
	// Color is a CSS colour, FontSize a CSS size.
	Color    string `cbor:"2,keyasint"`
	FontSize string `cbor:"3,keyasint"`
	// Rotation is in degrees, in the direction of CSS.
	Rotation int64 `cbor:"4,keyasint"`
	// Image, in place of Text, is a data URI as contract.ParsePicture returns it.
	Image string `cbor:"5,keyasint,omitempty"`
	// Position is one of contract.Positions; empty means the middle of the page.
	Position string `cbor:"6,keyasint,omitempty"`
	// Pages are the pages that get it, as ParsePageRanges reads them, by the numbers of the whole document; empty means all.
	Pages string `cbor:"7,keyasint,omitempty"`
	// Opacity is 0 to 1; nil means 1.
	Opacity *float64 `cbor:"8,keyasint,omitempty"`
	// Behind puts it under the page's content.
	Behind bool `cbor:"9,keyasint,omitempty"`
}

// Compression says how a PDF is made smaller (docs/API.md, Compression).
type Compression struct {
	// Level is 1–9, zero if not given; ImageQuality is 1–100, zero for lossless.
	Level        int64 `cbor:"1,keyasint,omitempty"`
	ImageQuality int64 `cbor:"2,keyasint,omitempty"`
}

// Metadata says what a PDF is about (docs/API.md, PDF options). Empty fields leave the document's own values.
type Metadata struct {
	Title    string `cbor:"1,keyasint,omitempty"`
	Author   string `cbor:"2,keyasint,omitempty"`
	Subject  string `cbor:"3,keyasint,omitempty"`
	Keywords string `cbor:"4,keyasint,omitempty"`
	Creator  string `cbor:"5,keyasint,omitempty"`
	Language string `cbor:"6,keyasint,omitempty"`
}

// Denied says what readers of an encrypted PDF must not do (docs/API.md, PDF options).
type Denied struct {
	Printing     bool `cbor:"1,keyasint,omitempty"`
	Copying      bool `cbor:"2,keyasint,omitempty"`
	Modifying    bool `cbor:"3,keyasint,omitempty"`
	Annotating   bool `cbor:"4,keyasint,omitempty"`
	FillingForms bool `cbor:"5,keyasint,omitempty"`
	Assembling   bool `cbor:"6,keyasint,omitempty"`
}

// Credentials are sent to the target page (docs/API.md, Auth).
type Credentials struct {
	// Type is basic or bearer.
	Type  string `cbor:"1,keyasint"`
	Value Sealed `cbor:"2,keyasint"`
}

// Invoice is the e-invoice to be shown, embedded, or both.
type Invoice struct {
	Profile string   `cbor:"1,keyasint"`
	XML     Deflated `cbor:"2,keyasint"`
	// Template is the block template as JSON.
	Template []byte `cbor:"3,keyasint,omitempty"`
	// HTML is the visible half if the caller sent one, sanitised.
	HTML Deflated `cbor:"5,keyasint,omitempty"`
	// HTMLBytes is the length of that HTML before it was compressed.
	HTMLBytes int `cbor:"6,keyasint,omitempty"`
	// Rules is contract.RulesWarn or RulesEnforce, "" for none. Violations of an accepted invoice are among the job's warnings.
	Rules string `cbor:"7,keyasint,omitempty"`
	// RuleSets names rule sets; nil means those that the profile implies.
	RuleSets []string `cbor:"8,keyasint,omitempty"`
	// Match is contract.MatchWarn or MatchEnforce, "" for none: what happens if the caller's page does not match the XML.
	Match string `cbor:"9,keyasint,omitempty"`
	// Format is contract.UBL, "" for contract.FacturX.
	Format string `cbor:"10,keyasint,omitempty"`
}

// Delivery names the caller's own storage (docs/API.md, Delivery).
type Delivery struct {
	// URL is a presigned PUT URL.
	URL Sealed `cbor:"1,keyasint"`
}
