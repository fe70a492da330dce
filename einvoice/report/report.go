// Package report has the report on an e-invoice from any source: whether it is valid, by sections, and its main contents. It is the
// body of the API's responses; package inspect makes it.
package report

import (
	"slices"
	"strings"
)

// MaxViolations is how many violations of the business rules a report lists, fatal ones first. Other sections have at most 20.
const MaxViolations = 100

// Kind is the recognised kind of a document.
type Kind = Text

// The kinds. A PDF with an invoice in it is a hybrid, whatever the syntax of that.
const (
	CII    Kind = "cii"
	UBL    Kind = "ubl"
	Hybrid Kind = "hybrid"
)

// Kinds are all kinds.
func Kinds() []string { return []string{string(CII), string(UBL), string(Hybrid)} }

// Report says whether an invoice is valid. A section is nil if it does not apply, or if it is Unchecked.
type Report struct {
	// Kind is "" if it was not recognised.
	Kind Kind `json:"kind"`
	// Profile is the one that the XML was checked against, Guideline the identifier that it declares.
	Profile   Text `json:"profile"`
	Guideline Text `json:"guideline"`
	// Valid is false if a section has a fatal violation, nil if none has and something that decides is unchecked.
	Valid      *bool      `json:"valid"`
	WellFormed *Section   `json:"well_formed"`
	Schema     *Section   `json:"schema"`
	Rules      *Rules     `json:"rules"`
	PDFA       *Section   `json:"pdfa"`
	Embedding  *Embedding `json:"embedding"`
	// Match is for the comparison of the page with the XML.
	Match *Section `json:"match"`
	// Unchecked are the sections that could not be checked, with the reason. It is never nil.
	Unchecked []Unchecked `json:"unchecked"`
}

// Unchecked is a section that could not be checked.
type Unchecked struct {
	Section string `json:"section"`
	Reason  string `json:"reason"`
}

// The names of sections.
const (
	WellFormedSection = "well_formed"
	SchemaSection     = "schema"
	RulesSection      = "rules"
	PDFASection       = "pdfa"
	EmbeddingSection  = "embedding"
	MatchSection      = "match"
)

// Sections are the names that Unchecked has.
func Sections() []string {
	return []string{WellFormedSection, SchemaSection, RulesSection, PDFASection}
}

// Section is the result of one kind of check.
type Section struct {
	// Valid is false if a violation is fatal.
	Valid bool `json:"valid"`
	// Violations is never nil.
	Violations []Violation `json:"violations"`
	// Truncated: there are more of them.
	Truncated bool `json:"truncated"`
}

// Rules are the business rules.
type Rules struct {
	Section
	Sets []Set `json:"sets"`
}

// Set is a set of rules.
type Set struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Embedding is how the XML is in the PDF. Texts are "" for none.
type Embedding struct {
	Section
	FileName Text `json:"file_name"`
	// Relationship is AFRelationship, Level the conformance level of the XMP packet.
	Relationship Text `json:"relationship"`
	Level        Text `json:"level"`
}

// The severities.
const (
	Fatal       = "fatal"
	Warning     = "warning"
	Information = "information"
)

// Severities are all severities, the gravest first.
func Severities() []string { return []string{Fatal, Warning, Information} }

// Violation is one thing that is wrong. Its texts are short and may be shown.
type Violation struct {
	// Rule is a business rule, a clause of PDF/A or a rule of Factur-X; "" for the schema.
	Rule     Text   `json:"rule"`
	Severity string `json:"severity"`
	// Term is the business term (BT-…) or group (BG-…).
	Term Text `json:"term"`
	// Path is that of the element; Line and Column count from 1, 0 for none.
	Path    Text   `json:"path"`
	Line    Number `json:"line"`
	Column  Number `json:"column"`
	Message string `json:"message"`
	// Fix is how to correct it.
	Fix Text `json:"fix"`
	// Docs is the address of the business rule's page, below RulePages; "" for other violations.
	Docs Text `json:"docs"`
}

// RulePages is the address of docs/rules, which has a page for every business rule.
const RulePages = "https://platen.dev/docs/rules"

// NewSection is a section with these violations.
func NewSection(violations []Violation, truncated bool) Section {
	fatal := slices.ContainsFunc(violations, func(v Violation) bool { return v.Severity == Fatal })
	return Section{Valid: !fatal, Violations: append([]Violation{}, violations...), Truncated: truncated}
}

// Part is a section with its name.
type Part struct {
	Name string
	*Section
}

// Parts are the sections that the report has, in their order.
func (r *Report) Parts() (all []Part) {
	add := func(name string, s *Section) {
		if s != nil {
			all = append(all, Part{name, s})
		}
	}
	add(WellFormedSection, r.WellFormed)
	add(SchemaSection, r.Schema)
	if r.Rules != nil {
		add(RulesSection, &r.Rules.Section)
	}
	add(PDFASection, r.PDFA)
	if r.Embedding != nil {
		add(EmbeddingSection, &r.Embedding.Section)
	}
	add(MatchSection, r.Match)
	return all
}

// Names are the sets with their versions, such as "en16931 1.3.16, platen 1".
func (r *Rules) Names() string {
	var all []string
	for _, s := range r.Sets {
		all = append(all, s.Name+" "+s.Version)
	}
	return strings.Join(all, ", ")
}

// Leave notes that a section was not checked.
func (r *Report) Leave(section, reason string) {
	r.Unchecked = append(r.Unchecked, Unchecked{section, reason})
}

// Conclude decides whether the invoice is valid.
func (r *Report) Conclude() {
	if r.Unchecked == nil {
		r.Unchecked = []Unchecked{}
	}
	valid := !slices.ContainsFunc(r.Parts(), func(p Part) bool { return !p.Valid })
	if valid && len(r.Unchecked) > 0 {
		r.Valid = nil
		return
	}
	r.Valid = &valid
}
