package contract

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// PaperFormats returns the names of the paper sizes. Their case does not matter.
func PaperFormats() []string { return append(InvoiceFormats(), "A0", "A1", "A2", "A5", "A6", "Ledger") }

// InvoiceFormats returns the PaperFormats on which block templates show e-invoices.
func InvoiceFormats() []string { return []string{"A4", "A3", "Letter", "Legal", "Tabloid"} }

// paperSizes are the unrotated sizes of paper, by the format's name in lower case.
var paperSizes = map[string]struct{ width, height Length }{
	"a0": {841 / 25.4, 1189 / 25.4}, "a1": {594 / 25.4, 841 / 25.4}, "a2": {420 / 25.4, 594 / 25.4}, "a3": {297 / 25.4, 420 / 25.4},
	"a4": {210 / 25.4, 297 / 25.4}, "a5": {148 / 25.4, 210 / 25.4}, "a6": {105 / 25.4, 148 / 25.4},
	"letter": {8.5, 11}, "legal": {8.5, 14}, "tabloid": {11, 17}, "ledger": {17, 11},
}

// PaperSize returns the unrotated size of paper, in inches; zero for an unknown format. All are upright but Ledger. An empty name means DefaultPaper.
func PaperSize(format string) (width, height Length) {
	size := paperSizes[strings.ToLower(cmp.Or(format, DefaultPaper))]
	return size.width, size.height
}

// Size returns the unrotated size of the paper, in inches; with a Width alone it has the maximum height. Its error continues a sentence that begins with "paper".
func (p Paper) Size() (width, height Length, err error) {
	if p.Width == "" && p.Height == "" {
		if width, height = PaperSize(p.Format); width == 0 {
			err = fmt.Errorf("has no format %q", p.Format)
		}
		return width, height, err
	}
	width, errWidth := ParseSide(p.Width)
	if p.SinglePage && p.Height == "" {
		return width, MaxSide, errWidth
	}
	height, errHeight := ParseSide(p.Height)
	return width, height, errors.Join(errWidth, errHeight)
}

// GivesSize reports whether the caller has chosen the paper's size or orientation, so that page rules do not.
func (p Paper) GivesSize() bool { return p.SizeGiven || p.Width != "" }

// DefaultPaper is the paper size of a document that has none given.
const DefaultPaper = "A4"

// The moments of a page load that a job may wait for.
const (
	// UntilCommit is when the response has begun to arrive.
	UntilCommit = "commit"
	// UntilDOM is when the document is parsed.
	UntilDOM = "domcontentloaded"
	// UntilLoad is when everything that the document embeds has arrived or failed.
	UntilLoad = "load"
	// UntilIdle is when, after UntilLoad, no request was under way for half a second.
	UntilIdle = "networkidle"
)

// LoadMoments returns the values of wait_until.
func LoadMoments() []string { return []string{UntilLoad, UntilDOM, UntilIdle, UntilCommit} }

// The CSS media for which a page is shown.
const (
	MediaPrint  = "print"
	MediaScreen = "screen"
)

// MediaTypes returns the values of media.
func MediaTypes() []string { return []string{MediaPrint, MediaScreen} }

// ColorSchemes returns the values of color_scheme.
func ColorSchemes() []string { return []string{"light", "dark"} }

// The PDF/A conformances that a PDF may have.
const (
	Archive2B = "2b"
	Archive3B = "3b"
)

// Positions returns the places of a watermark on a page.
func Positions() []string {
	return []string{"center", "top-left", "top", "top-right", "left", "right", "bottom-left", "bottom", "bottom-right"}
}

// Archives returns the values of pdfa.
func Archives() []string { return []string{Archive2B, Archive3B} }

// The codes of a job's warnings.
const (
	// PageCut is content that does not fit the paper or the picture and was cut off.
	PageCut = "PAGE_CUT"
	// PageBlank is a page that shows nothing though it has run script.
	PageBlank = "PAGE_BLANK"
	// ResourceMissing is a part of the page that could not be loaded.
	ResourceMissing = "RESOURCE_MISSING"
	// RuleBroken is a business rule that an e-invoice breaks.
	RuleBroken = "RULE"
	// Mismatch is a term of an e-invoice that its page lacks, or contradicts.
	Mismatch = "MISMATCH"
)

// MaxWarnings is the maximum number of a job's warnings.
const MaxWarnings = 20

// WarningCodes returns the codes of a job's warnings.
func WarningCodes() []string {
	return []string{PageCut, PageBlank, ResourceMissing, RuleBroken, Mismatch}
}

// What happens to an e-invoice that breaks business rules: nothing, a warning, or refusal if a violation is fatal.
const (
	RulesNone    = "none"
	RulesWarn    = "warn"
	RulesEnforce = "enforce"
)

// What happens if a page does not match the XML of its e-invoice: nothing, warnings, or the job fails.
const (
	MatchNone    = "none"
	MatchWarn    = "warn"
	MatchEnforce = "enforce"
)

// MaxRulesViolated is how many violations a refusal lists.
const MaxRulesViolated = 50

// XRechnung is the profile of German invoices to public authorities.
const XRechnung = "xrechnung"

// Profiles returns the e-invoice profiles: those of Factur-X, the smallest first, and XRechnung.
func Profiles() []string {
	return []string{"minimum", "basicwl", "basic", "en16931", "extended", XRechnung}
}

// The formats of an e-invoice's file: a hybrid of Factur-X, or a PDF/A-3 with an invoice of UBL.
const (
	FacturX = "factur-x"
	UBL     = "ubl"
)

// InvoiceSyntaxes returns the values of format, which name the syntax of the e-invoice sent.
func InvoiceSyntaxes() []string { return []string{FacturX, UBL} }

// UBLProfile is the profile of every invoice of UBL.
const UBLProfile = "en16931"

// DefaultProfile is the profile of an e-invoice that has none given.
const DefaultProfile = "en16931"

// CompleteInvoice reports whether an e-invoice of the profile is a complete legal invoice.
func CompleteInvoice(profile string) bool {
	return slices.Index(Profiles(), profile) >= slices.Index(Profiles(), "basic")
}
