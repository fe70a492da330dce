package edge

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every condition that an error can name is explained in docs/ERRORS.md, with its
// status and code, and nothing else is.
func TestErrorsAreExplained(t *testing.T) {
	source, err := os.ReadFile("problem.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/ERRORS.md")
	if err != nil {
		t.Fatal(err)
	}
	problems := regexp.MustCompile(`status: (\d+), slug: "([^"]+)", code: "([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	for _, p := range problems {
		if want := fmt.Sprintf("## %s\n%s `%s`.", p[2], p[1], p[3]); !strings.Contains(string(page), want) {
			t.Errorf("docs/ERRORS.md does not explain %s with %s %s", p[2], p[1], p[3])
		}
	}
	const schemaErrors = 1 // validation-error has a body of its own
	if got, want := strings.Count(string(page), "\n## "), len(problems)+schemaErrors; got != want || len(problems) < 30 {
		t.Errorf("docs/ERRORS.md explains %d conditions, there are %d", got, want)
	}
}
