package contract

// Paper says how a document is printed, with the defaults filled in (docs/API.md, PDF options). The zero value prints on DefaultPaper.
type Paper struct {
	// Format is one of PaperFormats in any case; empty means DefaultPaper.
	Format string `cbor:"1,keyasint"`
	// Landscape turns the paper.
	Landscape bool `cbor:"2,keyasint,omitempty"`
	// The margins are CSS lengths as ParseLength reads them; empty means 1 cm, or the margin of a page rule (@page).
	MarginTop    string `cbor:"3,keyasint,omitempty"`
	MarginRight  string `cbor:"4,keyasint,omitempty"`
	MarginBottom string `cbor:"5,keyasint,omitempty"`
	MarginLeft   string `cbor:"6,keyasint,omitempty"`
	// OmitBackground leaves out CSS backgrounds.
	OmitBackground bool `cbor:"7,keyasint,omitempty"`
	// Scale enlarges the content, MinScale to MaxScale; content that is then too wide is cut off. Zero fits the widest visible content to the printable
	// width by a scale of 0.5 to 1.
	Scale float64 `cbor:"8,keyasint,omitempty"`
	// HeaderFooter prints the two templates into the margins of every page.
	HeaderFooter bool `cbor:"9,keyasint,omitempty"`
	// Header and Footer are templates in sanitised HTML; the browser fills in their
	// elements of class pageNumber, totalPages, date, title and url. By default their text
	// is 10 px high and as wide as the content. Empty means no text.
	Header string `cbor:"10,keyasint,omitempty"`
	Footer string `cbor:"11,keyasint,omitempty"`
	// SizeGiven gives Format and Landscape precedence over a page rule's size: the caller has chosen one of them.
	SizeGiven bool `cbor:"15,keyasint,omitempty"`
	// Width and Height are the paper's as ParseSide reads them, in place of Format and Landscape; they take precedence over page rules. Either both are
	// set or neither, or with SinglePage Width alone.
	Width  string `cbor:"16,keyasint,omitempty"`
	Height string `cbor:"17,keyasint,omitempty"`
	// PageRanges are the pages to print, as ParsePageRanges reads them; empty means all. They are numbered as in the whole document.
	PageRanges string `cbor:"18,keyasint,omitempty"`
	// Outline makes bookmarks of the headings; Tagged writes the document's structure and language. The browser derives the bookmarks from the
	// structure, so a PDF with an outline is tagged.
	Outline bool `cbor:"19,keyasint,omitempty"`
	Tagged  bool `cbor:"20,keyasint,omitempty"`
	// PreferCSS lets page rules decide size, orientation and margins, overriding everything else here.
	PreferCSS bool `cbor:"26,keyasint,omitempty"`
	// These templates replace Header and Footer on the first and the last page of the document; nil means no replacement, and "" prints nothing. A
	// document's only page counts as its first.
	FirstHeader *string `cbor:"27,keyasint,omitempty"`
	FirstFooter *string `cbor:"28,keyasint,omitempty"`
	LastHeader  *string `cbor:"29,keyasint,omitempty"`
	LastFooter  *string `cbor:"30,keyasint,omitempty"`
	// SinglePage makes the paper as high as its content, up to MaxSide; the rest continues on further pages of that height.
	SinglePage bool `cbor:"31,keyasint,omitempty"`
	// TOC puts a page of contents before the document; nil for none.
	TOC *TOC `cbor:"32,keyasint,omitempty"`
}

// TOC is a table of contents: links to the headings, with the numbers of their pages.
type TOC struct {
	// Title is printed above it; empty for none.
	Title string `cbor:"1,keyasint,omitempty"`
	// Depth is the lowest level of headings in it, 1 to MaxHeading.
	Depth int64 `cbor:"2,keyasint"`
}

// Image says how a page is captured, with the defaults filled in (docs/API.md, Image options).
type Image struct {
	// Format is png, jpeg or webp; empty means png.
	Format string `cbor:"1,keyasint"`
	// FullPage makes the image as high as the page, at least the viewport's height and at most MaxPageHeight. Overflow to the right is never captured.
	FullPage bool `cbor:"2,keyasint,omitempty"`
	// Quality of a JPEG or WebP is MinQuality to MaxQuality; zero means 80.
	Quality int64 `cbor:"3,keyasint,omitempty"`
	// Width and Height are the viewport's in CSS pixels; both zero means DefaultWidth by DefaultHeight.
	Width  int64 `cbor:"4,keyasint"`
	Height int64 `cbor:"5,keyasint"`
	// Selector makes the image show the box of the first element that it matches; empty means the page.
	Selector string `cbor:"6,keyasint,omitempty"`
	// Clip makes the image show a part of the page; the zero value means all of it.
	Clip Box `cbor:"7,keyasint,omitzero"`
	// Scale is the width and height of a CSS pixel in image pixels, 1 to MaxDeviceScale; zero means 1.
	Scale float64 `cbor:"8,keyasint,omitempty"`
	// Transparent omits the white background of the page, for png and webp.
	Transparent bool `cbor:"9,keyasint,omitempty"`
}

// Box is a part of a page in CSS pixels, from its top left corner.
type Box struct {
	X      int64 `cbor:"1,keyasint,omitempty"`
	Y      int64 `cbor:"2,keyasint,omitempty"`
	Width  int64 `cbor:"3,keyasint"`
	Height int64 `cbor:"4,keyasint"`
}

// DeviceScale returns Scale with its default filled in.
func (i Image) DeviceScale() float64 { return max(1, i.Scale) }

// Largest returns the maximum height in CSS pixels of an image of a given width: limited by MaxPageHeight, MaxImagePixels and the image format.
func (i Image) Largest(width float64) int64 {
	s := i.DeviceScale()
	largest := min(MaxPageHeight, MaxImagePixels/(max(1, width)*s*s))
	if i.Format == "webp" {
		largest = min(largest, maxWebPSide/s)
	}
	return int64(largest)
}

// maxWebPSide is the largest height of a WebP in pixels (RFC 9649, section 2.6).
const maxWebPSide = 16383

// Load says for which medium a page is shown, and when it counts as loaded (docs/API.md, Render options). The zero value waits for the load event, within
// DefaultLoadTimeout.
type Load struct {
	// Timeout is the budget in milliseconds for everything but WaitAfter, at most MaxLoadTimeout; zero means DefaultLoadTimeout.
	Timeout int64 `cbor:"1,keyasint,omitempty"`
	// WaitUntil is one of LoadMoments; empty means UntilLoad. A page that never becomes idle is taken as it is when the timeout ends.
	WaitUntil string `cbor:"2,keyasint,omitempty"`
	// WaitFor is a CSS selector that must then match something before the timeout. HTML runs no script and no longer changes, so there it must match at
	// once.
	WaitFor string `cbor:"3,keyasint,omitempty"`
	// WaitAfter is a pause in milliseconds at the end, at most MaxWaitAfter, which does not count as loading.
	WaitAfter int64 `cbor:"4,keyasint,omitempty"`
	// Media is the CSS medium, one of MediaTypes; empty means print for a PDF, and screen for an image.
	Media string `cbor:"5,keyasint,omitempty"`

	// The following fields are for pages that run script.

	// WaitForFunction is a JavaScript expression that must then become true before the timeout; a promise is awaited.
	WaitForFunction string `cbor:"6,keyasint,omitempty"`
	// Scroll scrolls the page to its end and back, before the waits.
	Scroll bool `cbor:"7,keyasint,omitempty"`
	// UserAgent is the user agent that the page sees; empty means the browser's own.
	UserAgent string `cbor:"8,keyasint,omitempty"`
	// Locale is a language tag as ParseLocale reads it; empty means DefaultLocale.
	Locale string `cbor:"9,keyasint,omitempty"`
	// TimeZone is an IANA time zone name; empty means the node's.
	TimeZone string `cbor:"10,keyasint,omitempty"`
	// ColorScheme is one of ColorSchemes; empty means light.
	ColorScheme string `cbor:"11,keyasint,omitempty"`
	// NoScript keeps the page from running script.
	NoScript bool `cbor:"12,keyasint,omitempty"`
	// Style is CSS that is added to the page.
	Style string `cbor:"13,keyasint,omitempty"`
	// Hide lists CSS selectors of elements to hide.
	Hide []string `cbor:"14,keyasint,omitempty"`
	// FailOnResourceError fails a page with a missing part, FailOnScriptError one with an uncaught script error.
	FailOnResourceError bool `cbor:"15,keyasint,omitempty"`
	FailOnScriptError   bool `cbor:"16,keyasint,omitempty"`
}
