package main

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository, seen from this package.
const root = "../.."

// documentation returns the text of every Markdown file, by its path from root.
func documentation(t *testing.T) map[string]string {
	pages := texts(t, ".md")
	maps.DeleteFunc(pages, func(path, _ string) bool { return strings.HasPrefix(path, "docs/rules/") }) // by the code; see TestRulePages
	return pages
}

// texts returns the files of the repository whose name ends with a suffix, by path.
func texts(t *testing.T, suffix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, suffix) {
			return nil
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, root+"/")] = string(text)
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d files end with %s: %v", len(all), suffix, err)
	}
	return all
}

// exists reports whether a file or folder is there, from root or from the folder of the page.
func exists(page, path string) bool {
	for _, from := range []string{root, filepath.Join(root, filepath.Dir(page))} {
		if _, err := os.Stat(filepath.Join(from, path)); err == nil {
			return true
		}
	}
	return false
}

var (
	link     = regexp.MustCompile(`(?:\]\(|src=")([^)#:"]+)(?:#([^)]*))?[)"]`)
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	pathname = regexp.MustCompile(`^(actors|browserpool|cmd|deploy|docs|document|edge|einvoice|events|projections|store|testdata)/[\w./-]+$`)
	testname = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark)[A-Z]\w*$`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Everything that the documentation names exists: link targets, folders, files and tests.
func TestDocumentsNameWhatExists(t *testing.T) {
	tests := testsOf(t)
	for page, text := range documentation(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if !exists(page, m[1]) {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			switch name := strings.TrimSuffix(m[1], "/"); {
			case pathname.MatchString(name) && !exists(page, name):
				t.Errorf("%s names %s, which does not exist", page, name)
			case testname.MatchString(name) && !tests[name]:
				t.Errorf("%s names the test %s, which does not exist", page, name)
			}
		}
	}
}

// No page was merged by halves.
func TestDocumentsAreMerged(t *testing.T) {
	for page, text := range documentation(t) {
		if strings.Contains("\n"+text, "\n"+"<<<<<<< ") {
			t.Errorf("%s has the marks of a conflict", page)
		}
	}
}

// testsOf returns the names of all tests, fuzz tests and benchmarks.
func testsOf(t *testing.T) map[string]bool {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	names := map[string]bool{}
	for _, text := range texts(t, "_test.go") {
		for _, m := range declared.FindAllStringSubmatch(text, -1) {
			names[m[1]] = true
		}
	}
	return names
}

// madeByCode is a part of a page that reference_test.go writes.
var madeByCode = regexp.MustCompile(`(?s)<!-- [^>]+: made by the code -->.*?<!-- end -->`)

// Hand-written pages stay short enough to read.
func TestDocumentsAreShort(t *testing.T) {
	const limit = 45_000
	words := 0
	for page, text := range documentation(t) {
		if strings.HasPrefix(page, "docs/") || page == "README.md" || page == "CONTRIBUTING.md" {
			words += len(strings.Fields(madeByCode.ReplaceAllString(text, "")))
		}
	}
	if words > limit {
		t.Errorf("the documentation has %d words, want %d at most", words, limit)
	}
}

// Comments refer to pages of this repository, "(docs/API.md, Downloads)", and to sections
// that the pages have.
func TestCommentsReferToWhatExists(t *testing.T) {
	reference := regexp.MustCompile(`docs/([\w/-]+\.md)(?:, ([A-Z][\w -]*[\w]))?`)
	prefix := regexp.MustCompile(`\n\s*// `)
	pages := documentation(t)
	for path, text := range texts(t, ".go") {
		for _, m := range reference.FindAllStringSubmatch(prefix.ReplaceAllString(text, " "), -1) {
			page, there := pages["docs/"+m[1]]
			if !there {
				t.Errorf("%s refers to docs/%s, which does not exist", path, m[1])
				continue
			}
			if m[2] != "" && !slices.ContainsFunc(heading.FindAllStringSubmatch(page, -1), func(h []string) bool { return h[1] == m[2] }) {
				t.Errorf("%s refers to %q of docs/%s, which has no such section", path, m[2], m[1])
			}
		}
	}
}

// Every module that Platen uses directly has its reason in docs/ARCHITECTURE.md.
func TestDependenciesAreExplained(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{if not (or .Indirect .Main)}}{{.Path}}{{end}}", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, reasons, _ := strings.Cut(documentation(t)["docs/ARCHITECTURE.md"], "## Dependencies")
	modules := strings.Fields(string(out))
	if len(modules) < 20 {
		t.Fatalf("only %d modules", len(modules))
	}
	for _, module := range modules {
		name := module
		if strings.HasPrefix(module, "github.com/twmb/franz-go/pkg/") {
			name = filepath.Base(module)
		}
		if !strings.Contains(reasons, name) {
			t.Errorf("docs/ARCHITECTURE.md does not say why %s is used", module)
		}
	}
}

// docs/ARCHITECTURE.md says what every package is for, in the row of its folder at least.
func TestPackagesAreExplained(t *testing.T) {
	_, rest, _ := strings.Cut(documentation(t)["docs/ARCHITECTURE.md"], "## Packages")
	table, _, _ := strings.Cut(rest, "\n## ")
	for name := range packages(t) {
		if !strings.Contains(table, "`"+name+"`") && !strings.Contains(table, "`"+filepath.Base(name)+"`") {
			t.Errorf("docs/ARCHITECTURE.md does not say what %s is for", name)
		}
	}
}
