package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/document"
)

// translated is the body that a call of wkhtmltopdf makes, but for the page itself.
func translated(t *testing.T, input string, args ...string) (body map[string]any, err error) {
	t.Helper()
	p, err := object{input: input, options: joinPairs(args)}.translate(settings{problem: terminal.To(io.Discard)})
	if err != nil {
		return nil, err
	}
	text, err := p.options.body(p.conversion, "INPUT", nil)
	if err == nil {
		err = json.Unmarshal(text, &body)
	}
	return body, err
}

// The options of wkhtmltopdf become ours, with its defaults.
func TestWkhtmltopdf(t *testing.T) {
	const margin = `"margin":{"top":"10mm","bottom":"10mm","left":"10mm","right":"10mm"}`
	const rest = `"print_background":true,"outline":true,"scale":1`
	for name, tc := range map[string]struct {
		input string
		args  []string
		want  string
	}{
		"defaults": {"a.html", nil, `{"html":"INPUT","html_mode":"full","options":{"format":"A4",` + margin + `,` + rest + `},"render":{"media":"screen","wait_after_load_ms":200}}`},
		"page": {
			"https://example.com/",
			[]string{
				"-s", "Letter", "-O", "landscape", "-T", "1", "--margin-left", "2cm", "--title", "T", "--zoom", "1.5", "--javascript-delay", "500", "--no-background", "--no-outline",
				"--print-media-type", "-n", "--window-status", `a"b`, "--custom-header", "X-A", "b=c", "--cookie", "n", "v", "--username", "u", "--password", "p", "-q", "--dpi", "300", "--enable-local-file-access",
			},
			`{"url":"INPUT","auth":{"type":"basic","value":"u:p"},"options":{"format":"Letter","landscape":true,"margin":{"top":"1mm","bottom":"10mm","left":"2cm","right":"10mm"},
				"metadata":{"title":"T"},"scale":1.5,"print_background":false,"outline":false},
			  "render":{"media":"print","wait_after_load_ms":500,"javascript":false,"wait_for_function":"window.status === \"a\\\"b\"","headers":{"X-A":"b=c"},
				"cookies":[{"name":"n","value":"v","domain":"example.com"}]}}`,
		},
		"size": {
			"a.html",
			[]string{"--page-width", "100", "--page-height", "5in", "-O", "Landscape"},
			`{"html":"INPUT","html_mode":"full","options":{"width":"100mm","height":"5in",` + margin + `,` + rest + `},"render":{"media":"screen","wait_after_load_ms":200}}`,
		},
		"texts": {
			"a.html",
			[]string{"--header-left", "<[title]>", "--header-line", "--footer-right", "[page]/[toPage]", "--footer-font-size", "8"},
			`{"html":"INPUT","html_mode":"full","options":{"format":"A4",` + margin + `,` + rest + `,"display_header_footer":true,
				"header_template":"<div style=\"display: flex; justify-content: space-between; font-size: 12pt; border-bottom: 1px solid black\"><div style=\"flex: 1; text-align: left\">&lt;<span class=\"title\"></span>&gt;</div><div style=\"flex: 1; text-align: center\"></div><div style=\"flex: 1; text-align: right\"></div></div>",
				"footer_template":"<div style=\"display: flex; justify-content: space-between; font-size: 8pt\"><div style=\"flex: 1; text-align: left\"></div><div style=\"flex: 1; text-align: center\"></div><div style=\"flex: 1; text-align: right\"><span class=\"pageNumber\"></span>/<span class=\"totalPages\"></span></div></div>"},
			  "render":{"media":"screen","wait_after_load_ms":200}}`,
		},
	} {
		got, err := translated(t, tc.input, tc.args...)
		var want map[string]any
		if err := json.Unmarshal([]byte(tc.want), &want); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n got %v\nwant %v", name, err, got, want)
		}
	}
}

func TestWkhtmltopdfRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"--orientation: it is Landscape or Portrait":   {"-O", "upright"},
		"--custom-header X: write NAME VALUE":          {"--custom-header", "X"},
		"--cookie X: write NAME VALUE":                 {"--cookie", "X"},
		"--header-html: open /nowhere":                 {"--header-html", "/nowhere"},
		"--encoding klingon: it is not known":          {"--encoding", "klingon"},
		"--footer-…: [section] is not known here":      {"--footer-right", "In [section]"},
		"--footer-html: file://host/a: it names no":    {"--footer-html", "file://host/a"},
		"--user-style-sheet: open /nowhere":            {"--user-style-sheet", "/nowhere"},
		"unknown flag: --toc-depth":                    {"--toc-depth", "3"},
		`invalid argument "x" for "--header-font-size`: {"--header-font-size", "x"},
	} {
		if _, err := translated(t, "a.html", args...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}

// Options hold for all objects before the first and after the output, and else for the object before them.
func TestObjects(t *testing.T) {
	for call, want := range map[string][]object{
		"a out":                                {{input: "a"}},
		"-q --zoom 2 page a --cookie n v - -n": {{input: "a", options: []string{"-q", "--zoom", "2", "-n", "--cookie=n=v"}}},
		"-s A5 cover c -n toc --toc-header-text T a o": {{input: "c", cover: true, options: []string{"-s", "A5", "-n"}}, {input: "a", contents: true, options: []string{"-s", "A5", "--toc-header-text", "T"}}},
		"-q -- a o -s A5":             {{input: "a", options: []string{"-q", "-s", "A5"}}},
		"a -O Landscape b page c out": {{input: "a", options: []string{"-O", "Landscape"}}, {input: "b"}, {input: "c"}},
	} {
		got, _, err := objectsOf(joinPairs(strings.Fields(call)))
		if fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
			t.Errorf("%s: %v %v, want %v", call, got, err, want)
		}
	}
	for call, want := range map[string]string{
		"": "name an input and an output", "a": "name an input and an output", "cover a": "name an input and an output", "a cover": "name an input and an output",
		"a toc": "name an input and an output", "a cover b": "name an input and an output", "a toc out": "toc: it goes before an input",
		"toc cover c a out": "toc: it goes after the cover",
		"toc a b out":       "toc: a table of contents of several", "a --nope b out": "unknown flag: --nope",
	} {
		if got, _, err := objectsOf(strings.Fields(call)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v %v, want %s", call, got, err, want)
		}
	}
}

// A cover has neither header nor footer nor bookmarks.
func TestCover(t *testing.T) {
	options := []string{"--header-left", "H", "--footer-right", "[page]"}
	p, err := object{input: "a.html", cover: true, options: options}.translate(settings{problem: terminal.To(io.Discard)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.options.body(p.conversion, "", nil)
	if err != nil || strings.Contains(string(text), "template") || !strings.Contains(string(text), `"outline": false`) {
		t.Errorf("%s %v", text, err)
	}
}

// A value that begins with @ is the value: wkhtmltopdf has none in files.
func TestValuesOfWkhtmltopdfAreLiteral(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"ada:secret", "TITLE"} {
		if err := os.WriteFile(name, []byte("THE FILE"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	body, err := translated(t, "https://example.com/", "--username", "@ada", "--password", "secret", "--title", "@TITLE", "--header-center", "@TITLE")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(body)
	if got := string(text); err != nil || !strings.Contains(got, `"value":"@ada:secret"`) || !strings.Contains(got, `"title":"@TITLE"`) || strings.Contains(got, "THE FILE") {
		t.Errorf("%s, %v", got, err)
	}
}

// A style sheet, and shades of grey, are a style of an address, and are added to a document.
func TestStyles(t *testing.T) {
	const sheet, grey = "@page { margin: 0 }", "html { filter: grayscale(1) }"
	name := filepath.Join(t.TempDir(), "style.css")
	if err := os.WriteFile(name, []byte(sheet+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"": "", "-g": grey, "--user-style-sheet " + name: sheet, "--grayscale --user-style-sheet " + name: sheet + "\n" + grey} {
		for _, input := range []string{"https://example.com/", "a.html"} {
			p, err := object{input: input, options: strings.Fields(args)}.translate(settings{problem: terminal.To(io.Discard)})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSuffix(strings.TrimPrefix(p.added, "<style>"), "</style>")
			if input != "a.html" {
				body, err := translated(t, input, strings.Fields(args)...)
				if err != nil {
					t.Fatal(err)
				}
				got, _ = body["render"].(map[string]any)["style"].(string)
			}
			if strings.TrimSpace(got) != want {
				t.Errorf("%s of %s: %q, want %q", args, input, got, want)
			}
		}
	}
}

// Errors end the process as wkhtmltopdf does.
func TestExitCodes(t *testing.T) {
	for text, want := range map[string]int{
		"NAVIGATION_FAILED: https://a/ answered with HTTP status 404.": 2, "NAVIGATION_FAILED: https://a/ answered with HTTP status 401.": 3, "PAGE_TIMEOUT: late": 1,
	} {
		var e *ExitError
		if err := exitOf(fmt.Errorf("%s", text)); !errors.As(err, &e) || e.Status != want || err.Error() != text {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := exitOf(nil); err != nil {
		t.Error(err)
	}
}

// The calls of programs that use wkhtmltopdf (pdfkit, wicked_pdf, snappy, Odoo) are understood.
func TestCallsOfLibraries(t *testing.T) {
	header := filepath.Join(t.TempDir(), "header.html")
	if err := os.WriteFile(header, []byte("<p>Head</p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]string{
		"pdfkit": "--quiet --page-size Letter --margin-top 0.75in --margin-right 0.75in --margin-bottom 0.75in --margin-left 0.75in --encoding UTF-8 " +
			"--custom-header Accept-Encoding gzip --cookie cookie-empty-value  --cookie cookie-name1 cookie-value1 --no-outline",
		"wicked_pdf": "-q --encoding utf8 --orientation Landscape --page-size Letter --header-html file://" + header + " --header-spacing 5 --footer-right [page] --footer-font-name Arial " +
			"--footer-font-size 8 --footer-line --disable-smart-shrinking --print-media-type --dpi 75 --zoom 1 --javascript-delay 500 --window-status ready",
		"snappy": "--lowquality --enable-javascript --enable-smart-shrinking --header-html " + header + " --footer-html " + header + " --load-error-handling ignore --image-dpi 300",
		"Odoo": "--disable-local-file-access --quiet --page-size A4 --margin-top 40.0 --dpi 90 --zoom 1.0666666666666667 --header-spacing 35 --margin-left 7.0 --margin-bottom 28.0 " +
			"--margin-right 7.0 --javascript-delay 1000 --orientation Portrait --header-html " + header + " --footer-html " + header,
	} {
		for _, input := range []string{"https://example.com/", "a.html"} {
			if body, err := translated(t, input, strings.Split(call, " ")...); err != nil {
				t.Errorf("%s of %s: %v, %v", name, input, body, err)
			}
		}
	}
}

// A header of HTML becomes a template that loses nothing when the server sanitises it.
func TestHeaderOfHTML(t *testing.T) {
	name := filepath.Join(t.TempDir(), "header.html")
	for source, want := range map[string]string{
		`<!DOCTYPE html><html><head><title>T</title><script>subst()</script></head><body style="margin: 0" onload="subst()"><b>Ä &amp; B</b> <span class="page"></span>/<span class="topage">9</span></body></html>`: `<div style="width: 100%; margin: 0"><b>Ä &amp; B</b> ` +
			`<span><span class="pageNumber"></span></span>/<span><span class="totalPages"></span></span></div>`,
		`<table width="50"><tr><td align="right" class="x title">?</td></tr></table>`: `<div style="width: 100%"><div style="display: table; width: 50px"><div style="display: table-row-group"><div style="display: table-row">` +
			`<div style="display: table-cell; text-align: right"><span class="title"></span></div></div></div></div></div>`,
		`<h1 dir="rtl" lang="he">A<br>B</h1><hr>`: `<div style="width: 100%"><div style="font-weight: bold" dir="rtl" lang="he">A<br>B</div><div style="border-top: 1px solid"></div></div>`,
	} {
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		body, err := translated(t, "a.html", "--header-html", name)
		options, _ := body["options"].(map[string]any)
		if got := options["header_template"]; err != nil || got != want {
			t.Errorf("%s: %v\n got %v\nwant %s", source, err, got, want)
		}
		if got := document.SanitizeTemplate(want); got != want {
			t.Errorf("%s is sanitised to\n%s", want, got)
		}
	}
	for source, want := range map[string]string{
		`<img src="logo.png">`:               "header.html has pictures; headers and footers have none here",
		strings.Repeat("x", maxMarginFile+1): "header.html has more than 1048576 bytes",
	} {
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := translated(t, "a.html", "--header-html", "file://"+name); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", source, err, want)
		}
	}
}
