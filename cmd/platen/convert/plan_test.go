package convert

import (
	"slices"
	"strings"
	"testing"
)

// What is converted to what follows from the names, and what cannot be is refused with what to do.
func TestPlan(t *testing.T) {
	directories := func(path string) bool { return path == "pdfs" || path == "." }
	for call, want := range map[string]string{
		"page.html page.pdf":                  "page.html html-to-pdf page.pdf",
		"PAGE.HTM":                            "PAGE.HTM html-to-pdf PAGE.pdf",
		"page.html shot.png":                  "page.html html-to-image shot.png",
		"page.html a/b.JPEG":                  "page.html html-to-image a/b.JPEG",
		"https://a.example/x.html?y shot.png": "https://a.example/x.html?y url-to-image shot.png",
		"https://a.example":                   "https://a.example url-to-pdf a.example.pdf",
		"https://a.example/docs/report.html":  "https://a.example/docs/report.html url-to-pdf report.pdf",
		"https://a.example/file.pdf":          "https://a.example/file.pdf url-to-pdf file.pdf",
		"notes.md invoice.xml":                "notes.md markdown-to-pdf notes.pdf|invoice.xml einvoice-to-pdf invoice.pdf",
		"a/notes.md b/more.markdown pdfs":     "a/notes.md markdown-to-pdf pdfs/notes.pdf|b/more.markdown markdown-to-pdf pdfs/more.pdf",
		"notes.md new/":                       "notes.md markdown-to-pdf new/notes.pdf",
		"page.html pdfs --to jpeg":            "page.html html-to-image pdfs/page.jpg",
		"- --from html":                       "- html-to-pdf -",
		"- - --from markdown":                 "- markdown-to-pdf -",
		"- page.png --from html":              "- html-to-image page.png",
		"page.html - --to png":                "page.html html-to-image -",
		"text.txt --from markdown":            "text.txt markdown-to-pdf text.pdf",
		"a.html b.html c.pdf":                 "2 inputs cannot all become c.pdf",
		"a/x.html b/x.html":                   "a/x.html and b/x.html would both become x.pdf",
		"text.txt":                            "say so with --from html, markdown or xml",
		"m.eml":                               "m.eml: it is an e-mail: save its HTML part, and convert that",
		"M.MHT a.mhtml pdfs":                  "M.MHT: it is a web archive: save the page as HTML, or convert its address",
		"m.msg m.pdf":                         "m.msg: it is an e-mail of Outlook: save it as HTML there",
		"a.docx a.pdf":                        "a.docx: it is an office document: save it as PDF",
		"a.odt pdfs":                          "a.odt: it is an office document: save it as PDF",
		"a.pdf":                               "a.pdf: it is a PDF already",
		"a.pdf b.pdf":                         "a.pdf: it is a PDF already",
		"m.eml m.pdf --from html":             "m.eml html-to-pdf m.pdf",
		"-":                                   "say so with --from html, markdown or xml",
		"page.html --from url":                "say so with --from html, markdown or xml",
		"notes.md notes.png":                  "markdown becomes a PDF, no image",
		"invoice.xml invoice.jpg":             "xml becomes a PDF, no image",
		"page.html a.png --to pdf":            "--to pdf does not match a.png",
		"page.html a.jpg --to jpeg":           "page.html html-to-image a.jpg",
		"page.html report.docx":               "report.docx: it is neither an input, without --from, nor an output: an output ends in",
		"page.html -o a.png":                  "page.html html-to-image a.png",
		"a.html notes.md -o pdfs":             "a.html html-to-pdf pdfs/a.pdf|notes.md markdown-to-pdf pdfs/notes.pdf",
		"a.html b.pdf -o c.pdf":               "2 inputs cannot all become c.pdf",
		"a.html notes.rst -o pdfs":            "notes.rst: it is not clear what this is",
		"page.html -o report.docx":            "--output report.docx: an output ends in",
		"page.html pdfs --to gif":             "it is one of pdf, png, jpeg and webp",
		"https://a.example/x https://a.example/x.png y/": "https://a.example/x and https://a.example/x.png would both become y/x.pdf",
	} {
		words := strings.Fields(call)
		from, to, output := "", "", ""
		flags := map[string]*string{"--from": &from, "--to": &to, "-o": &output}
		for i := 0; i < len(words); i++ {
			if flag := flags[words[i]]; flag != nil {
				*flag = words[i+1]
				words = slices.Delete(words, i, i+2)
				i--
			}
		}
		all, err := plan(words, from, to, output, directories)
		var got []string
		for _, c := range all {
			got = append(got, c.input+" "+string(c.op.Name)+" "+c.output)
		}
		if text := strings.Join(got, "|"); err == nil && text != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", call, text, err, want)
		}
	}
}
