package page

import (
	"errors"
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"

	"platen.dev/events"
)

// Playground is the choice of an operation to try.
type Playground struct {
	Frame
	Operations []TryOperation
}

// TryOperation is an operation that can be tried.
type TryOperation struct {
	Name events.Operation
	Doc  string
}

// Try is the form of an operation, the request that it makes as programs, and the job that it has made.
type Try struct {
	Frame
	Operation TryOperation
	Fields    []Field
	// Faults are the problems of the fields.
	Faults []Fault
	// Live is set if the job is to be charged.
	Live bool
	// Once is an idempotency token: sending the same again makes no second job.
	Once string
	// Programs send the request; none if the request is wrong or Large.
	Programs []Program
	Large    bool
	// Problem is why there is no job; nil if nothing was refused.
	Problem *TryProblem
	// Job is the one that was made; nil for none. Pages is how many pages of its file may be looked at.
	Job   *JobPage
	Pages int
}

// TryProblem is why a job was refused, as the API says it. UpgradeURL is set if a larger plan helps.
type TryProblem struct {
	Title, Detail, UpgradeURL string
}

// Program is a request in a programming language.
type Program struct{ Language, Code string }

// Fault says what is wrong with a field, or with all of them if Field is "".
type Fault struct{ Field, Text string }

// FieldKind is the kind of input of a field.
type FieldKind string

// The kinds of fields.
const (
	FieldText   FieldKind = "text"
	FieldLong   FieldKind = "long"   // of several lines
	FieldNumber FieldKind = "number" // a JSON number
	FieldTruth  FieldKind = "truth"  // true, false, or left out
	FieldChoice FieldKind = "choice" // one of Options, or left out
	FieldLines  FieldKind = "lines"  // a list of texts, one a line
	FieldJSON   FieldKind = "json"   // any JSON
	FieldGroup  FieldKind = "group"  // an object with Fields
)

// Field is a field of a body. Empty fields are left out.
type Field struct {
	Kind FieldKind
	// Path is the field's name in the form, Name the last part of it.
	Path, Name string
	Doc        string
	Required   bool
	// Plan is the smallest plan that may set the field; "" for any.
	Plan events.Plan
	// Default is the value of an absent field; "" for none in particular.
	Default string
	// Least and Most bound a number, MostChars a text; empty for no bound.
	Least, Most string
	MostChars   int
	Secret      bool
	Options     []string
	Value       string
	// Wrong lists the problems of the value, one sentence each.
	Wrong []string
	// Fields are those of a group, which is Open if any of them is set or wrong.
	Fields []Field
	Open   bool
}

// control is a field with the id of its element.
type control struct {
	Field
	ID       string
	Controls []control
}

// controls assigns ids to the fields.
func controls(fields []Field) []control {
	n := 0
	return numbered(fields, &n)
}

func numbered(fields []Field, n *int) (all []control) {
	for _, f := range fields {
		*n++
		c := control{Field: f, ID: "field-" + strconv.Itoa(*n)}
		c.Controls = numbered(f.Fields, n)
		all = append(all, c)
	}
	return all
}

// faultLink is a fault with the element id of its field; "" for none.
type faultLink struct{ ID, Field, Text string }

func faultLinks(t Try) (all []faultLink) {
	ids := map[string]string{}
	var note func([]control)
	note = func(cs []control) {
		for _, c := range cs {
			ids[c.Path] = c.ID
			note(c.Controls)
		}
	}
	note(controls(t.Fields))
	for _, f := range t.Faults {
		_, field, _ := strings.Cut(f.Field, ".")
		all = append(all, faultLink{ids[f.Field], field, f.Text})
	}
	return all
}

// chosen lists the options of a field. A value that is none of them is kept: refusing it is up to the server.
func chosen(c control) []string {
	options := c.Options
	if c.Kind == FieldTruth {
		options = []string{"true", "false"}
	}
	for _, o := range options {
		if o == c.Value {
			return options
		}
	}
	if c.Value == "" {
		return options
	}
	return append([]string{c.Value}, options...)
}

// typed returns a text for the inside of a control, where it cannot reorder anything beside it. The characters that
// overrides replaces are kept, so that the form sends back exactly what was typed.
func typed(text string) template.HTML {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\r", r) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteString(html.EscapeString(string(r)))
	}
	return template.HTML(b.String())
}

// pageNumbers returns the numbers of the pages shown.
func pageNumbers(n int) (all []int) {
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// pictureAddress returns the address of a page's picture.
func pictureAddress(id events.JobID, page int) string {
	return jobAddress(id, "pages/"+strconv.Itoa(page)+".png")
}

// hint returns the help for a field, in one line.
func hint(c control) (string, error) {
	all, errs := []string{c.Doc}, []error(nil)
	add := func(sentence string, err error) { all, errs = append(all, sentence), append(errs, err) }
	if c.Least != "" {
		add(text("try.range", "least", c.Least, "most", c.Most))
	}
	if c.MostChars > 0 && len(c.Options) == 0 {
		add(text("try.chars", "n", number(int64(c.MostChars))))
	}
	switch c.Kind {
	case FieldJSON:
		add(text("try.json"))
	case FieldLines:
		add(text("try.lines"))
	}
	if c.Default != "" && c.Kind != FieldChoice && c.Kind != FieldTruth {
		add(text("try.default", "default", c.Default))
	}
	return strings.TrimSpace(strings.Join(all, " ")), errors.Join(errs...)
}
