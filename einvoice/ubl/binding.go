package ubl

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed binding.txt
var bindingTable string

// Binding describes how to read an invoice in UBL as a Cross-Industry Invoice with the same terms. It must not be changed.
type Binding struct {
	// Made are the paths that every invoice has.
	Made []Path
	// Root is the section of the root element.
	Root *Section
}

// Section describes the contents of a UBL element. Its rows are found by steps of local names.
type Section struct {
	Children map[string]*Section
	// Rows are those whose path ends here. The first that fits counts.
	Rows []Row
}

// Row binds an element of UBL, or an attribute of it, to an element of CII.
type Row struct {
	// Term is the term in EN 16931, "-" for none.
	Term string
	// If is the condition on the element, nil for none.
	If *Condition
	// To is the element of CII. It is empty for the element that the section is about.
	To Path
	// Silent is set if another row covers the element.
	Silent bool
	// Section is for the contents of the element, nil if it has text.
	Section *Section
}

// Path is a path of elements of CII by local names.
type Path struct {
	// FromRoot: it begins at the root, and not at the element of the section.
	FromRoot bool
	Steps    []Step
}

// Step is a step of a path.
type Step struct {
	Name string
	// Each: the element is made anew each time, and not shared.
	Each bool
	// Attribute and Value are an attribute of the element, "" for none.
	Attribute, Value string
}

// Condition is on an element: on its attribute, on the text of an element in it, or on its own text.
type Condition struct {
	// IBAN: the text has the form of an IBAN.
	IBAN bool
	// Path is the path to the inner element, by local names.
	Path []string
	// Attribute must be present and, if Value is not empty, have that value.
	Attribute, Value string
}

// Bound is the binding. It is read once.
func Bound() *Binding { return binding() }

var binding = sync.OnceValue(func() *Binding { return readBinding(bindingTable) })

// bindingReader reads the table, whose language is explained in it. An error in the table is a bug and panics.
type bindingReader struct {
	names    map[string][]Step
	sections map[string]*Section
}

func readBinding(table string) *Binding {
	r := &bindingReader{map[string][]Step{}, map[string]*Section{}}
	b := &Binding{}
	var section *Section
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0][0] == '#':
		case len(words) == 3 && words[1] == "=":
			r.names[words[0]] = steps(words[2])
			b.Made = append(b.Made, Path{true, r.names[words[0]]})
		case len(words) == 1:
			section = r.section(words[0])
			if b.Root == nil {
				b.Root = section
			}
		default:
			r.add(section, words)
		}
	}
	return b
}

func (r *bindingReader) section(name string) *Section {
	if r.sections[name] == nil {
		r.sections[name] = &Section{}
	}
	return r.sections[name]
}

// add adds a row to a section: term, path in UBL, path in CII and perhaps the section for what is in it.
func (r *bindingReader) add(at *Section, words []string) {
	from, condition := bracket(words[1])
	for name := range strings.SplitSeq(from, "/") {
		if at.Children == nil {
			at.Children = map[string]*Section{}
		}
		if at.Children[name] == nil {
			at.Children[name] = &Section{}
		}
		at = at.Children[name]
	}
	row := Row{Term: words[0], If: conditionOf(condition), To: r.path(words[2]), Silent: words[2] == "-"}
	if len(words) == 4 {
		row.Section = r.section(words[3])
	}
	at.Rows = append(at.Rows, row)
}

// bracket splits a path that ends in a condition.
func bracket(path string) (before, inside string) {
	before, inside, _ = strings.Cut(strings.TrimSuffix(path, "]"), "[")
	return before, inside
}

func conditionOf(text string) *Condition {
	switch left, value, _ := strings.Cut(text, "="); {
	case text == "":
		return nil
	case text == "IBAN":
		return &Condition{IBAN: true}
	case left[0] == '@':
		return &Condition{Attribute: left[1:], Value: value}
	default:
		return &Condition{Path: strings.Split(left, "/"), Value: value}
	}
}

func (r *bindingReader) path(text string) Path {
	if text == "." || text == "-" {
		return Path{}
	}
	first, rest, _ := strings.Cut(text, "/")
	if root, named := r.names[first]; named {
		return Path{true, append(root[:len(root):len(root)], steps(rest)...)}
	}
	return Path{false, steps(text)}
}

func steps(path string) (all []Step) {
	for text := range strings.SplitSeq(path, "/") {
		name, attribute := bracket(text)
		name, each := strings.CutSuffix(name, "+")
		step := Step{Name: name, Each: each}
		step.Attribute, step.Value, _ = strings.Cut(strings.TrimPrefix(attribute, "@"), "=")
		all = append(all, step)
	}
	return all
}
