package pdfa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"platen.dev/einvoice/pdfa/cos"
)

// Violation is one rule that a file breaks.
type Violation struct {
	// Rule is clause and test as veraPDF numbers them, such as "6.1.3-1", or one of
	// Factur-X's, such as "FX-LEVEL".
	Rule string
	// Detail says where and what.
	Detail string
}

func (v *Violation) Error() string { return v.Rule + ": " + v.Detail }

// InvalidError holds what is wrong with a file, at most 20 things, and 3 of a kind.
type InvalidError struct {
	Violations []*Violation
	// More tells that there would have been more.
	More bool
}

const (
	maxViolations = 20
	maxOfRule     = 3
	maxSeen       = 10_000
)

func (e *InvalidError) Error() string {
	var lines []string
	for _, v := range e.Violations {
		lines = append(lines, v.Error())
	}
	if e.More {
		lines = append(lines, "and more")
	}
	return strings.Join(lines, "; ")
}

// Unwrap gives each Violation to errors.As.
func (e *InvalidError) Unwrap() []error {
	all := make([]error, len(e.Violations))
	for i, v := range e.Violations {
		all[i] = v
	}
	return all
}

// Check tells whether a file is a PDF/A-3b that carries a Factur-X invoice: nil, or an
// InvalidError. It knows those of veraPDF's rules that a printed page can break, and is
// as strict or stricter; it is no validator for the PDFs of strangers.
func Check(pdf []byte) (err error) {
	i := &inspection{pdf: pdf, seen: map[Violation]bool{}, count: map[string]int{}}
	defer func() {
		if fault := recover(); fault != nil {
			i.report("6.1.2-1", "broken file: %v", fault)
			err = i.result()
		}
	}()
	i.header()
	if i.file, err = cos.Open(pdf, cos.DefaultLimits); err != nil {
		i.report("6.1.2-1", "%v", err)
		return i.result()
	}
	i.catalog, _ = i.file.Catalog()
	for _, look := range stages {
		look(i)
	}
	return i.result()
}

// stages look at one side of a file each.
var stages = []func(*inspection){
	(*inspection).trailer,
	(*inspection).outputIntents,
	(*inspection).document,
	(*inspection).pages,
	(*inspection).objects,
	(*inspection).contents,
	(*inspection).metadata,
	(*inspection).attachments,
	(*inspection).syntax, // last: the others have read all objects by then
}

// inspection is one file under the eyes of Check.
type inspection struct {
	pdf     []byte
	file    *cos.File
	catalog cos.Dict
	found   []*Violation
	seen    map[Violation]bool
	count   map[string]int // violations, by rule
	more    bool

	outputSpace string // of the output intent's profile: "RGB ", "" if there is none
	pageDicts   []cos.Dict
	faults      cos.Faults // of content streams
	xmp         xmpData
}

func (i *inspection) report(rule, format string, args ...any) {
	v := Violation{rule, fmt.Sprintf(format, args...)}
	if i.seen[v] {
		return
	}
	if len(i.seen) < maxSeen {
		i.seen[v] = true
	}
	if i.count[rule]++; i.count[rule] > maxOfRule || len(i.found) == maxViolations {
		i.more = true
		return
	}
	i.found = append(i.found, &v)
}

// when reports if something is so.
func (i *inspection) when(broken bool, rule, format string, args ...any) {
	if broken {
		i.report(rule, format, args...)
	}
}

func (i *inspection) result() error {
	if len(i.found) == 0 {
		return nil
	}
	slices.SortStableFunc(i.found, func(a, b *Violation) int { return cmp.Compare(a.Rule, b.Rule) })
	return &InvalidError{i.found, i.more}
}

// name is the name that a value is or points to, "" if it is none.
func (i *inspection) name(value any) string {
	n, _ := i.file.Resolve(value).(cos.Name)
	return string(n)
}
