package conformance

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"platen.dev/events"
	api "platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Full documents, their assets, and content above the limit of the queue.

func file(name, content string) object {
	return object{"name": name, "content": base64.StdEncoding.EncodeToString([]byte(content))}
}

// files are n assets.
func files(n int) (all []any) {
	for i := range n {
		all = append(all, file(fmt.Sprint(i), ""))
	}
	return all
}

func notList(value any) refused {
	return refused{value: value, kind: "list_type", msg: "Input should be a valid list"}
}

const wrongName = `name must be a relative path without empty segments, "." and ".."`

var fullRows = append(rowsOf([]field{
	{
		id: "full/mode", section: extensionSection, statement: "html_mode is sanitized or full", on: htmlOperations, at: "html_mode",
		takes: []any{"sanitized", "full"}, refuses: []refused{unlisted("Full", "'sanitized' or 'full'"), unlisted(1, "'sanitized' or 'full'")},
	},
	{
		id: "full/assets", section: extensionSection, statement: "assets is a list of up to 100 files of different names", on: htmlOperations, at: "assets",
		beside: object{"html_mode": "full"}, takes: []any{[]any{}, files(100), []any{file("a", ""), file("A", "")}},
		refuses: []refused{
			notList("a"),
			{value: files(101), kind: "too_long", msg: "List should have at most 100 items after validation, not 101"},
			meaningless([]any{file("a", "1"), file("a", "2")}, `assets must have different names; two are named "a"`),
			{value: []any{object{"name": "a"}}, kind: "missing", msg: "Field required", at: "assets.0.content"},
			{value: []any{object{"content": ""}}, kind: "missing", msg: "Field required", at: "assets.0.name"},
			{value: []any{object{"name": "a", "content": "", "type": "x"}}, kind: "extra_forbidden", msg: "Extra inputs are not permitted", at: "assets.0.type"},
		},
	},
	{
		id: "full/asset-name", section: extensionSection, statement: "the name of an asset is a relative path of 1 to 255 characters", on: []string{htmlToPDF}, at: "assets",
		beside: object{"html_mode": "full"}, takes: []any{[]any{file("css/größe 1%.css", "")}, []any{file(long(255), "")}, []any{file("...", "")}},
		refuses: func() (all []refused) {
			for name, wrong := range map[string]string{
				"../a": wrongName, "a/../b": wrongName, "/a": wrongName, "a//b": wrongName, "a/": wrongName, ".": wrongName, "a/.": wrongName,
				`a\b`: `name must not contain control characters, \, ? or #`, "a?b": `name must not contain control characters, \, ? or #`,
				"a#b": `name must not contain control characters, \, ? or #`, "a\nb": `name must not contain control characters, \, ? or #`,
			} {
				all = append(all, refused{value: []any{file(name, "")}, kind: "value_error", msg: "Value error, " + wrong, at: "assets.0.name"})
			}
			return append(all,
				refused{value: []any{file("", "")}, kind: "string_too_short", msg: "String should have at least 1 character", at: "assets.0.name"},
				refused{value: []any{file(long(256), "")}, kind: "string_too_long", msg: "String should have at most 255 characters", at: "assets.0.name"})
		}(),
	},
	{
		id: "full/asset-content", section: extensionSection, statement: "the content of an asset is base64", on: []string{htmlToPDF}, at: "assets",
		beside: object{"html_mode": "full"}, takes: []any{[]any{object{"name": "a", "content": ""}}, []any{object{"name": "a", "content": "+/8="}}},
		refuses: func() (all []refused) {
			for _, text := range []string{"-_8=", "+/8", "+/9=", "a", "=", "data:;base64,YQ=="} {
				all = append(all, refused{[]any{object{"name": "a", "content": text}}, "value_error", "Value error, it must be standard base64 with padding", "assets.0.content"})
			}
			return append(all, refused{[]any{object{"name": "a", "content": 1}}, "string_type", "Input should be a valid string", "assets.0.content"})
		}(),
	},
	{
		id: "full/assets-of-full", section: extensionSection, statement: "assets need html_mode full", on: htmlOperations, at: "assets", takes: []any{[]any{}},
		refuses: []refused{meaningless([]any{file("a", "")}, "assets need html_mode full")},
	},
}), row{"full/assets-size", extensionSection, "assets have 6 MiB in all, less what the body has beside them in its 8 MiB", proveAssetsSize},
	row{"full/empty", extensionSection, "a full document of white space is EMPTY_HTML, one of scripts is not", proveEmptyFull})

// Two files that fill a body to its last byte are accepted. One byte more of a file, which is four of base64, is not, nor are 6 MiB.
func proveAssetsSize(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	body := func(decoded, spaces int) string {
		first := base64.StdEncoding.EncodeToString(make([]byte, decoded/2/3*3)) // without padding
		rest := base64.StdEncoding.EncodeToString(make([]byte, decoded-decoded/2/3*3))
		return `{"html":"x","html_mode":"full","assets":[{"name":"a","content":"` + first + `"},{"name":"b","content":"` + rest + `"}]}` + strings.Repeat(" ", spaces)
	}
	decoded := (api.MaxBody - len(body(0, 0))) / 4 * 3
	spaces := api.MaxBody - len(body(decoded, 0))
	if decoded < 6<<20-100 || spaces > 3 {
		t.Fatalf("%d bytes of files and %d spaces fill a body", decoded, spaces)
	}
	c.post(htmlToPDF, body(decoded, spaces)).accepted()
	for _, more := range []int{decoded + 1, 6 << 20} {
		c.post(htmlToPDF, body(more, 0)).problem(413, "PAYLOAD_TOO_LARGE", "payload-too-large: ")
	}
}

func proveEmptyFull(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	for _, path := range htmlOperations {
		c.post(path, object{"html": " \n", "html_mode": "full"}).problem(400, "EMPTY_HTML", "empty-html: ")
		c.post(path, object{"html": "<script></script>", "html_mode": "full"}).accepted()
	}
}

var fullPipelineRows = []row{
	{"pipeline/full", extensionSection, "a full document runs scripts and has the style sheets and pictures that are sent with it", proveFull},
	{"pipeline/large", extensionSection, "content above the limit of the queue is rendered with large, and 413 without", proveLarge},
}

func proveFull(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	html := `<!doctype html><title>Full</title><link rel="stylesheet" href="css/a.css"><p id="p">TEXT</p><script src="a.js"></script><img src="none.png">`
	body := object{"html": html, "html_mode": "full", "assets": []any{
		file("css/a.css", `p::before { content: "STYLED " }`), file("a.js", `p.textContent += " RAN " + location.protocol`), file("large.bin", strings.Repeat("x", 6<<20-1000)),
	}}
	id := c.post(htmlToPDF, body).accepted()
	job := c.ended(id)
	if job["status"] != "done" || !strings.Contains(fmt.Sprint(job["warnings"]), "none.png is missing") {
		t.Fatalf("the job ended %v", job)
	}
	testkit.Contains(t, testkit.PDFText(t, c.download(id).status(200).body), "STYLED TEXT RAN http:")
	delete(body, "options")
	s.converts(t, htmlToImage, body, "image/png", ".png", "\x89PNG")
}

func proveLarge(t *testing.T, s *server) {
	c := s.customer(t, events.PlanPro)
	text := strings.Repeat("<p>Many words that need no picture", 9_000)
	for _, body := range []object{{"html": text}, {"html": text, "html_mode": "full"}} {
		c.post(htmlToPDF, body).problem(413, "PAYLOAD_TOO_LARGE_FOR_QUEUE", "payload-too-large-for-queue: ")
		body["large"] = true
		id := c.post(htmlToPDF, body).accepted()
		if job := c.ended(id); job["status"] != "done" || fmt.Sprint(job["pages_count"]) < "100" {
			t.Errorf("the job ended %v", job)
		}
	}
}
