package document

import (
	"encoding/xml"
	"strings"
	"testing"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// packetTexts are the texts in a PDF's XMP packet.
type packetTexts struct {
	Title       string `xml:"RDF>Description>title>Alt>li"`
	Author      string `xml:"RDF>Description>creator>Seq>li"`
	Description string `xml:"RDF>Description>description>Alt>li"`
	Keywords    string `xml:"RDF>Description>Keywords"`
	Creator     string `xml:"RDF>Description>CreatorTool"`
}

// Info and XMP agree, whether the file is compressed, encrypted or watermarked; fields that are not given are left unchanged.
func TestMetadata(t *testing.T) {
	printed := newPrinter(t)
	const html = `<!doctype html><html><head><title>Of the page</title></head><body><h1>text</h1></body></html>`
	mark := marked(t, printed, printed(html, contract.Paper{}), Watermark{Text: "DRAFT", Color: "red", FontSize: "90px"})
	full := Metadata{Title: `Größe (a\b) <&> 機密`, Author: "ÀÉ 😀", Subject: " s ", Keywords: "a, b", Creator: strings.Repeat("é", 500)}
	for name, tc := range map[string]struct {
		f    Finishing
		want Metadata
	}{
		"full":       {Finishing{Metadata: full}, full},
		"author":     {Finishing{Metadata: Metadata{Author: "me"}}, Metadata{Title: "Of the page", Author: "me", Creator: "Chromium"}},
		"images":     {Finishing{Metadata: full, ImageQuality: 50}, full},
		"objects":    {Finishing{Metadata: full, Level: 5}, full},
		"encrypted":  {Finishing{Metadata: full, Level: 9, Password: "secret"}, full},
		"watermark":  {Finishing{Metadata: full, Overlay: mark.Overlay, Over: mark.Over}, full},
		"everything": {Finishing{Metadata: full, Overlay: mark.Overlay, Over: mark.Over, Tagged: true, ImageQuality: 50, Level: 9, Password: "secret"}, full},
	} {
		out, err := Finish(t.Context(), printed(html, contract.Paper{Tagged: tc.f.Tagged}), tc.f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustQPDF(t, out, "--check", "--password="+tc.f.Password)
		info := testkit.Tool(t, out, "pdfinfo", "-upw", tc.f.Password, "-enc", "UTF-8", "-")
		for key, text := range tc.want.entries() {
			if !strings.Contains(info, key+":"+strings.Repeat(" ", 16-len(key))+text+"\n") {
				t.Errorf("%s: Info has another %s:\n%s", name, key, info)
			}
		}
		var packet packetTexts
		if err := xml.Unmarshal([]byte(testkit.Tool(t, out, "pdfinfo", "-upw", tc.f.Password, "-meta", "-")), &packet); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := (Metadata{packet.Title, packet.Author, packet.Description, packet.Keywords, packet.Creator, tc.want.Language}); got != tc.want {
			t.Errorf("%s: XMP has %q, want %q", name, got, tc.want)
		}
		if text := pdfText(t, out, "-upw", tc.f.Password); !strings.Contains(text, "text") {
			t.Errorf("%s: the text is %q", name, text)
		}
	}
}
