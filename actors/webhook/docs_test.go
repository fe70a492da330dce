package webhook

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/WEBHOOKS.md links to every sample that testdata/webhooks/integration.sh tests. One that it shows is a
// whole block of the file that is named above it.
func TestSamplesInDocs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/WEBHOOKS.md")
	if err != nil {
		t.Fatal(err)
	}
	const folder = "../testdata/webhooks/"
	shown := map[string]string{}
	sample := regexp.MustCompile(`(?ms)^\*\*\w+\*\* \(\[\S+\]\(` + regexp.QuoteMeta(folder) + "(\\S+?)\\)\\)\n\n```\\w+\n(.*?\n)```$")
	for _, m := range sample.FindAllStringSubmatch(string(docs), -1) {
		shown[m[1]] = m[2]
	}
	if n := strings.Count(string(docs), "\n```") / 2; n != len(shown) {
		t.Errorf("%d of %d samples name their file", len(shown), n)
	}
	files, err := filepath.Glob("../" + folder + "[vV]erify.*")
	if err != nil || len(files) < 5 || len(shown) == 0 {
		t.Fatalf("%d samples are shown of %q (%v)", len(shown), files, err)
	}
	for _, file := range files {
		if !strings.Contains(string(docs), "]("+folder+filepath.Base(file)+")") {
			t.Errorf("docs/WEBHOOKS.md has no link to %s", file)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		if shown[name] == "" {
			continue
		}
		block := "\n\n" + shown[name] + "\n"
		method := regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(block, "    $1") // Java has it in a class
		if source := string(b); !strings.Contains(source, block) && !strings.Contains(source, method) {
			t.Errorf("docs/WEBHOOKS.md shows another %s than the file has:\n%s", name, shown[name])
		}
	}
}
