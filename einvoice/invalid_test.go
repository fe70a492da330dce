package einvoice

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected errors in testdata/invalid.txt")

// sample returns the test invoice of a profile.
func sample(t testing.TB, profile string) string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join("sample", profile+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

func TestSamples(t *testing.T) {
	for _, profile := range contract.Profiles() {
		if _, err := Parse([]byte(sample(t, profile)), profile); err != nil {
			t.Error(err)
		}
	}
}

// TestInvalidInvoices runs the cases in testdata/invalid.txt.
func TestInvalidInvoices(t *testing.T) {
	const file = "testdata/invalid.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, cases, _ := strings.Cut(string(text), "== ")
	var out strings.Builder
	out.WriteString(head)
	for _, c := range strings.Split(cases, "\n== ") {
		given, want, _ := strings.Cut(c, "\n---\n")
		name, edits, _ := strings.Cut(given, "\n")
		document, profile := editSample(t, name, edits)
		_, err := Parse([]byte(document), profile)
		if err == nil {
			t.Errorf("%s: it was accepted", name)
			continue
		}
		if got, want := err.Error(), strings.TrimSpace(want); got != want && !*rewrite {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
		out.WriteString("== " + given + "\n---\n" + err.Error() + "\n\n")
	}
	if *rewrite && !t.Failed() {
		if err := os.WriteFile(file, []byte(strings.TrimSpace(out.String())+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// editSample applies the edits of a case to the sample of its profile.
func editSample(t *testing.T, name, edits string) (document, profile string) {
	t.Helper()
	var old string
	for line := range strings.SplitSeq(edits, "\n") {
		verb, value, _ := strings.Cut(line, " ")
		if value = strings.ReplaceAll(value, `\n`, "\n"); strings.HasPrefix(value, `"`) {
			var err error
			if value, err = strconv.Unquote(value); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		switch verb {
		case "profile":
			document, profile = sample(t, value), value
		case "empty":
			document = ""
		case "-":
			old = value
		case "+":
			if !strings.Contains(document, old) {
				t.Fatalf("%s: the sample has no %q", name, old)
			}
			document = strings.Replace(document, old, value, 1)
		}
	}
	return document, profile
}
