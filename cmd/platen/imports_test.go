package main

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rules say which rooms a room may import beside itself, and why no others.
var rules = map[string]struct {
	may []string
	why string
}{
	"events":      {nil, "the vocabulary is the leaf that everything rests on"},
	"store":       {nil, "files are files: storage knows no jobs"},
	"projections": {[]string{"events"}, "a replica folds what happened and decides nothing"},
	"browserpool": {[]string{"events"}, "a browser knows neither accounts nor the log"},
	"document":    {[]string{"events"}, "documents are turned into documents, without I/O"},
	"einvoice":    {[]string{"document"}, "invoices stand on documents"},
	"ledger":      {[]string{"events"}, "the ledger consumes public events like any outsider"},
	"edge":        {[]string{"events", "projections"}, "the edge reaches actors through interfaces of its own"},
	"actors":      {[]string{"events", "projections", "browserpool", "document", "einvoice", "store"}, "actors decide and act, and do not know HTTP"},
	"cmd":         {[]string{"events", "store", "projections", "browserpool", "document", "einvoice", "ledger", "edge", "actors"}, "wiring knows every room"},
}

const module = "platen.dev/"

// TestImports holds every package to the rules of its room; tests may import what they need.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); packages++ {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		checkImports(t, p.ImportPath, p.Imports)
	}
	if packages < 10 {
		t.Errorf("only %d packages were looked at", packages)
	}
}

func checkImports(t *testing.T, path string, imports []string) {
	room := roomOf(path)
	rule, known := rules[room]
	if !known {
		t.Errorf("%s is in no known room", path)
		return
	}
	for _, imported := range imports {
		to := roomOf(imported)
		if strings.HasPrefix(imported, module) && to != room && !slices.Contains(rule.may, to) {
			t.Errorf("%s imports %s: %s", path, imported, rule.why)
		}
	}
}

func roomOf(path string) string {
	room, _, _ := strings.Cut(strings.TrimPrefix(path, module), "/")
	return room
}
