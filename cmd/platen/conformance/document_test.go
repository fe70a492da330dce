package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// docs/CONTRACT.md: lists of statements, each with its proof.

const contractDocument = "../../../docs/CONTRACT.md"

// statement is one line of the document's lists.
type statement struct {
	// section is the heading above it.
	section string
	line    int
	// rows are the conformance rows that prove it; empty if other tests do.
	rows []string
}

type statements []statement

// readContract parses the document: below the first section, every line of a list is a statement.
func readContract(t *testing.T) (all statements) {
	t.Helper()
	b, err := os.ReadFile(contractDocument)
	if err != nil {
		t.Fatal(err)
	}
	section := ""
	for i, line := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "### ") {
			section = strings.TrimLeft(line, "# ")
		}
		if section == "" || !strings.HasPrefix(line, "- ") {
			continue
		}
		s := statement{section: section, line: i + 1}
		s.readProof(t, line[strings.LastIndex(line, " (")+1:])
		all = append(all, s)
	}
	return all
}

// readProof parses "(`row/id`, `row/id`)" and "(package name, name; package name)".
func (s *statement) readProof(t *testing.T, proof string) {
	t.Helper()
	proof, open := strings.CutPrefix(proof, "(")
	proof, closed := strings.CutSuffix(proof, ")")
	if !open || !closed {
		t.Errorf("%s:%d: the line does not end with a proof in parentheses", contractDocument, s.line)
		return
	}
	if !strings.HasPrefix(proof, "`") {
		for tests := range strings.SplitSeq(proof, "; ") {
			s.checkTests(t, tests)
		}
		return
	}
	for id := range strings.SplitSeq(proof, ", ") {
		if len(id) < 3 || id[0] != '`' || id[len(id)-1] != '`' {
			t.Errorf("%s:%d: %q is not a proof", contractDocument, s.line, proof)
			return
		}
		s.rows = append(s.rows, strings.Trim(id, "`"))
	}
}

// checkTests looks for the tests of a package: "document TestMarkdown, TestTemplate".
func (s *statement) checkTests(t *testing.T, text string) {
	t.Helper()
	folder, names, _ := strings.Cut(text, " ")
	files, _ := filepath.Glob(filepath.Join("../../..", folder, "*_test.go"))
	var sources strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources.Write(b)
	}
	for name := range strings.SplitSeq(names, ", ") {
		if !strings.Contains(sources.String(), "func "+name+"(") {
			t.Errorf("%s:%d: %s has no test %q", contractDocument, s.line, folder, name)
		}
	}
}

// checkNames checks that the document and the suite have the same rows.
func (all statements) checkNames(t *testing.T, rows []row) {
	t.Helper()
	named := map[string]bool{}
	for _, r := range rows {
		named[r.id] = false
		if !slices.ContainsFunc(all, func(s statement) bool { return s.section == r.section }) {
			t.Errorf("%s has no section %q, to which %s belongs", contractDocument, r.section, r.id)
		}
	}
	for _, s := range all {
		for _, id := range s.rows {
			if _, exists := named[id]; !exists {
				t.Errorf("%s:%d: no row %s", contractDocument, s.line, id)
			}
			named[id] = true
		}
	}
	for id, mentioned := range named {
		if !mentioned {
			t.Errorf("%s does not name the row %s", contractDocument, id)
		}
	}
}
