package document

import (
	"strings"
	"testing"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Every finishing keeps the outline and the tags of a PDF, with their texts.
func TestStructureIsKept(t *testing.T) {
	printed := newPrinter(t)
	pdf := printed(`<!doctype html><html lang="de"><head><title>T</title></head><body><h1>First</h1><p>some text</p><h1 style="break-before: page">Second</h1></body></html>`,
		contract.Paper{Outline: true})
	mark := marked(t, printed, pdf, Watermark{Text: "DRAFT", Color: "red", FontSize: "90px"})
	for name, f := range map[string]Finishing{
		"nothing":    {},
		"images":     {ImageQuality: 50},
		"basic":      {Level: 2},
		"objects":    {Level: 5},
		"linear":     {Level: 9},
		"watermark":  {Overlay: mark.Overlay, Over: mark.Over, Tagged: true},
		"everything": {Overlay: mark.Overlay, Over: mark.Over, Tagged: true, ImageQuality: 50, Level: 9, Password: "secret"},
	} {
		out, err := Finish(t.Context(), pdf, f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustQPDF(t, out, "--check", "--password="+f.Password)
		tags := testkit.Tool(t, out, "pdfinfo", "-upw", f.Password, "-struct-text", "-")
		for _, part := range []string{"H1 (block)", `"First"`, `"some text"`, `"Second"`} {
			if !strings.Contains(tags, part) {
				t.Errorf("%s: no %s among the tags:\n%s", name, part, tags)
			}
		}
		if strings.Contains(tags, "DRAFT") {
			t.Errorf("%s: the watermark is read as text of the document:\n%s", name, tags)
		}
		outline := mustQPDF(t, out, "--password="+f.Password, "--json", "--json-key=outlines")
		if !strings.Contains(outline, `"title": "First"`) || !strings.Contains(outline, `"title": "Second"`) {
			t.Errorf("%s: the outline is %s", name, outline)
		}
		if text := pdfText(t, out, "-upw", f.Password); strings.Count(text, "DRAFT") != 2 && f.Overlay != nil {
			t.Errorf("%s: the watermark is not on every page: %s", name, text)
		}
	}
}
