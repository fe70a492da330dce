package contract

import "slices"

// PaperFormats are the names of the paper sizes; case does not matter.
func PaperFormats() []string { return []string{"A4", "A3", "Letter", "Legal", "Tabloid"} }

// DefaultPaper is the paper of a document that names none.
const DefaultPaper = "A4"

// The moments of a load that a job may wait for.
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

// LoadMoments are the values of wait_until.
func LoadMoments() []string { return []string{UntilLoad, UntilDOM, UntilIdle, UntilCommit} }

// Profiles are the e-invoice profiles, the smallest first.
func Profiles() []string { return []string{"minimum", "basicwl", "basic", "en16931", "extended"} }

// DefaultProfile is the profile of an e-invoice that names none.
const DefaultProfile = "en16931"

// CompleteInvoice reports whether an e-invoice of the profile is a complete legal invoice.
func CompleteInvoice(profile string) bool {
	return slices.Index(Profiles(), profile) >= slices.Index(Profiles(), "basic")
}
