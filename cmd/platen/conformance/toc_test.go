package conformance

import (
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

func proveTOC(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	const html = `<html lang="en"><title>T</title><h1>One</h1><h2 style="break-before: page">Two</h2><h4>Deep</h4>`
	for path, body := range map[string]object{
		markdownToPDF: {"markdown": "# One\n\n" + strings.Repeat("text\n\n", 35) + "## Two\n\n#### Deep\n", "options": object{"toc": object{}}},
		htmlToPDF:     {"html": html, "html_mode": "full", "options": object{"toc": object{}, "tagged": true, "outline": true, "pdfua": true}},
	} {
		id := c.post(path, body).accepted()
		if job := c.ended(id); job["status"] != "done" || job["pages_count"] != 3.0 {
			t.Fatalf("%s: the job ended %v", path, job)
		}
		pdf := c.download(id).status(200).body
		first, _, _ := strings.Cut(testkit.Tool(t, pdf, "pdftotext", "-layout", "-", "-"), "\f")
		if got := strings.Join(strings.Fields(first), " "); got != "Contents One 2 Two 3" {
			t.Errorf("%s: the contents are %q", path, got)
		}
	}
}
