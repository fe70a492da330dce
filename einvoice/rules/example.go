package rules

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Example is a place in two invoices that differ only there: one keeps a rule, the other breaks it.
type Example struct {
	// Path is that of the element around the place.
	Path string
	// Kept and Broken are the lines of XML at the place, without declarations of namespaces; "…" stands for lines that both have.
	Kept, Broken string
	// Found is the message of the violation.
	Found string
}

// Example returns the example of a rule for invoices in CII or UBL. Few rules have none: no invoice that its schema accepts breaks them.
func (s *Set) Example(rule string, ubl bool) (Example, bool) {
	record, has := exampleRecords()[exampleKey(s.Name, ubl, rule)]
	return record.example(), has
}

// examplesText has a record for each example, made by TestExamples: the set, syntax and rule; the invoice that keeps it, by a hash, with the line
// from which it differs; the path; the message; then lines that begin with a space if both invoices have them, - if only the one that
// keeps the rule has them, and + if only the other.
//
//go:embed examples.txt
var examplesText string

type exampleRecord struct {
	key, invoice, path, found string
	lines                     []string
}

func exampleKey(set string, ubl bool, rule string) string {
	return set + " " + syntaxOf(ubl) + " " + rule
}

func syntaxOf(ubl bool) string {
	if ubl {
		return "ubl"
	}
	return "cii"
}

var exampleRecords = sync.OnceValue(func() map[string]exampleRecord {
	all := map[string]exampleRecord{}
	for text := range strings.SplitSeq(strings.TrimSuffix(examplesText, "\n"), "\n\n") {
		if fields := strings.Split(text, "\n"); len(fields) > 4 {
			all[fields[0]] = exampleRecord{fields[0], fields[1], fields[2], fields[3], fields[4:]}
		}
	}
	return all
})

// without are the lines, without those that begin with a mark.
func (r exampleRecord) without(mark byte) string {
	var lines []string
	for _, line := range r.lines {
		if line != "" && line[0] != mark {
			lines = append(lines, line[1:])
		}
	}
	return strings.Join(lines, "\n")
}

func (r exampleRecord) example() Example {
	shown := func(mark byte) string { return shortened(namespaces.ReplaceAllString(r.without(mark), "")) }
	return Example{Path: r.path, Kept: shown('+'), Broken: shown('-'), Found: r.found}
}

// shortened leaves out the middle of many lines.
func shortened(lines string) string {
	const head, tail = 24, 4
	all := strings.Split(lines, "\n")
	if len(all) <= head+tail+1 {
		return lines
	}
	return strings.Join(slices.Concat(all[:head], []string{"  …"}, all[len(all)-tail:]), "\n")
}

// namespaces are the declarations of the root element, the same in every invoice.
var namespaces = regexp.MustCompile(` xmlns:\w+="[^"]*"`)
