package edge

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"platen.dev/edge/request"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// docs/ERRORS.md explains every condition that an error can name, and no others.
func TestErrorsAreExplained(t *testing.T) {
	source, err := os.ReadFile("problem.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/ERRORS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if !strings.Contains(string(page), "\n## "+p.slug+"\n") {
			t.Errorf("docs/ERRORS.md does not explain %s", p.slug)
		}
	}
	declared := strings.Count(string(source), `slug: "`)
	const others = 2 // validation-error has a body of its own, job-failed the code of the job
	if got := strings.Count(string(page), "\n## ") - others; got != len(problems) || len(problems) < 30 {
		t.Errorf("docs/ERRORS.md explains %d conditions, there are %d", got, len(problems))
	}
	const withoutCode = 1 // job-failed
	if declared-withoutCode != len(problems) {
		t.Errorf("%d conditions are declared, %d are among problems", declared-withoutCode, len(problems))
	}
}

// The limits named in texts are those in force.
func TestLimitsInTexts(t *testing.T) {
	cfg, _ := fakeConfig(testkit.Silent())
	_, large := New(cfg).submissions.invoice(New(cfg).submissions.turns.Begin("a"), request.Invoice{XML: strings.Repeat("x", contract.MaxXML+1)})
	hours, life := int(contract.FileLife/time.Hour), int(contract.IdempotencyLife/time.Hour)
	submit := describeOperation(request.Operations()[0])
	for _, tc := range [][2]string{
		{testLimit.detail, fmt.Sprintf("%d test jobs per minute and %s per UTC day", contract.TestsPerMinute, grouped(contract.TestsPerDay))},
		{pageFault(contract.ErrURLLength), fmt.Sprintf("url may have %s bytes.", grouped(contract.MaxURL))},
		{large.detail, fmt.Sprintf("the XML is limited to %s bytes.", grouped(contract.MaxXML))},
		{apiInfo.Doc, fmt.Sprintf("within %d hours, at most %d times", hours, contract.MaxDownloads)},
		{apiInfo.Doc, fmt.Sprintf("within %d hours gets the first one's job", life)},
		{submit.Headers[0].Doc, fmt.Sprintf("within %d hours", life)},
		{describeStatus().Doc, fmt.Sprintf("for %d days", int(contract.StatusLife/(24*time.Hour)))},
		{describeDownload().Doc, fmt.Sprintf("At most %d downloads, one at a time, within %d hours.", contract.MaxDownloads, hours)},
	} {
		if text, want := strings.ReplaceAll(tc[0], "\n", " "), tc[1]; !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

// grouped formats a number with commas.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
