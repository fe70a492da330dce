package conformance

import (
	"strconv"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

func proveWatermarks(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	html := `<html lang="en"><title>T</title>` + strings.Repeat(`<p style="page-break-after: always">x</p>`, 3) + "<p>x"
	marks := []any{
		object{"text": "ALL", "rotation_degrees": 0},
		object{"text": "THIRD", "pages": "3", "position": "bottom-right", "opacity": 0.5},
		object{"image": svgURI, "pages": "4-", "behind": true, "position": "top-left"},
	}
	for _, more := range []object{{}, {"tagged": true, "pdfa": "2b"}} {
		more["watermarks"], more["page_ranges"] = marks, "2-"
		id := c.post(htmlToPDF, object{"html": html, "options": more}).accepted()
		if job := c.ended(id); job["status"] != "done" || job["pages_count"] != 3.0 {
			t.Fatalf("the job ended %v", job)
		}
		pdf := c.download(id).status(200).body
		pages := strings.Split(testkit.PDFText(t, pdf), "\f")
		for i, third := range []bool{false, true, false} {
			if !strings.Contains(pages[i], "ALL") || strings.Contains(pages[i], "THIRD") != third {
				t.Errorf("%v: page %d of the file reads %q", more, i+1, pages[i])
			}
		}
		for i, red := range []bool{false, false, true} {
			if showsRed(t, pdf, i+1) != red {
				t.Errorf("%v: the picture is on page %d of the file: %v", more, i+1, !red)
			}
		}
	}
}

// showsRed reports whether a page has a few pixels of red side by side.
func showsRed(t *testing.T, pdf []byte, page int) bool {
	t.Helper()
	picture := testkit.Tool(t, pdf, "pdftoppm", "-f", strconv.Itoa(page), "-l", strconv.Itoa(page), "-r", "72", "-")
	return strings.Contains(picture, strings.Repeat("\xff\x00\x00", 5))
}

func proveLargeWatermark(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	body := object{"html": "<p>" + strings.Repeat("x ", 30_000), "options": object{"watermarks": []any{object{"text": "x"}, object{"image": svgBase64(150_000)}}}}
	c.post(htmlToPDF, body).problem(413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", "payload-too-large-for-queue: the content")
	body["large"] = true
	id := c.post(htmlToPDF, body).accepted()
	if job := c.ended(id); job["status"] != "done" {
		t.Fatalf("the job ended %v", job)
	}
	if !showsRed(t, c.download(id).status(200).body, 1) {
		t.Error("the stored picture is not on the page")
	}
}
