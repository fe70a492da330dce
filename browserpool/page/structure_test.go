package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

var structured = `<!doctype html><html lang="de"><head><meta charset="utf-8"><title>Bericht</title></head><body>
<h1>Erstes Kapitel</h1><p>Text</p><h2>Über Äpfel</h2><img alt="Ein Apfel" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(pagetest.Pixel) + `"><ul><li>Punkt</li></ul>
<h1 style="break-before: page">Zweites Kapitel</h1><table><tr><th>Kopf</th></tr><tr><td>Zelle</td></tr></table></body></html>`

// bookmarks returns the titles in a PDF's outline with their target pages, indented by level.
func bookmarks(t *testing.T, pdf []byte) (all []string) {
	t.Helper()
	type bookmark struct {
		Title string
		Page  int `json:"destpageposfrom1"`
		Kids  []json.RawMessage
	}
	var read struct{ Outlines []json.RawMessage }
	if err := json.Unmarshal([]byte(testkit.QPDF(t, pdf, "--json", "--json-key=outlines")), &read); err != nil {
		t.Fatal(err)
	}
	var walk func(indent string, in []json.RawMessage)
	walk = func(indent string, in []json.RawMessage) {
		for _, raw := range in {
			var b bookmark
			if err := json.Unmarshal(raw, &b); err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%s%s %d", indent, b.Title, b.Page))
			walk(indent+" ", b.Kids)
		}
	}
	walk("", read.Outlines)
	return all
}

// Outline and tags are written if requested, whether the document is sent or visited, and however often it is printed.
func TestStructure(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": structured})
	wide := strings.Replace(structured, "<p>Text", "<pre>"+strings.Repeat("Text", 60)+"</pre><p>Text", 1)
	plain := strings.Replace(wide, ` style="break-before: page"`, "", 1)
	for name, job := range map[string]Print{
		"sent": {HTML: structured}, "visited": {URL: web.URL}, "fitted": {HTML: wide}, "printed twice": {HTML: plain}, "counted": {HTML: structured, Limits: Limits{Pages: 2}},
	} {
		for _, o := range []contract.Paper{{}, {Outline: true}, {Tagged: true}, {Outline: true, Tagged: true}} {
			job.Options = o
			pdf := mustPrint(t, slot, job).PDF
			second := " 2"
			if name == "printed twice" {
				second = " 1"
			}
			want := []string{"Erstes Kapitel 1", " Über Äpfel 1", "Zweites Kapitel" + second}
			if !o.Outline {
				want = nil
			}
			if got := bookmarks(t, pdf); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %+v: bookmarks %q, want %q", name, o, got, want)
			}
			tags := testkit.Tool(t, pdf, "pdfinfo", "-struct-text", "-")
			for _, part := range []string{"H1 (block)", "Erstes Kapitel", "Figure", "L (block)", "TH", "Zelle"} {
				if strings.Contains(tags, part) != (o.Tagged || o.Outline) {
					t.Errorf("%s, %+v: %s is a tag, or is not:\n%s", name, o, part, tags)
				}
			}
			shown := testkit.QPDF(t, pdf, "--json", "--json-key=qpdf")
			if strings.Contains(shown, `"/Lang": "u:de"`) != (o.Tagged || o.Outline) || !strings.Contains(shown, `"/DisplayDocTitle": true`) {
				t.Errorf("%s, %+v: without the language, or the title is not shown", name, o)
			}
		}
	}
}

// A tagged PDF has the language that the document declares, if any.
func TestLanguage(t *testing.T) {
	slot := openSlot(t)
	for html, want := range map[string]string{
		`<html lang="fr"><body><p>x</p></body></html>`:                                                         `"/Lang": "u:fr"`,
		`<html><body lang="es"><p>x</p></body></html>`:                                                         `"/Lang": "u:es"`,
		`<html><head><meta http-equiv="Content-Language" content="it, de"></head><body><p>x</p></body></html>`: `"/Lang": "u:it"`,
		`<html><body><p>x</p></body></html>`:                                                                   "",
		`<html lang=""><body><p>x</p></body></html>`:                                                           "",
	} {
		shown := testkit.QPDF(t, mustPrint(t, slot, Print{HTML: html, Options: contract.Paper{Tagged: true}}).PDF, "--json", "--json-key=qpdf")
		if want == "" && strings.Contains(shown, `"/Lang"`) || !strings.Contains(shown, want) {
			t.Errorf("%s: the language is another", html)
		}
	}
}
