package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// translated is the body that a call of wkhtmltopdf makes, but for the page itself.
func translated(t *testing.T, input string, args ...string) (body map[string]any, err error) {
	t.Helper()
	w := wkhtmltopdf{}
	w.options = declare(pflag.NewFlagSet("convert", pflag.ContinueOnError))
	f := pflag.NewFlagSet("wkhtmltopdf", pflag.ContinueOnError)
	w.declare(f)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	all, err := plan([]string{input}, "html", "pdf", func(string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.translate(all[0])...); err != nil {
		return nil, err
	}
	if err := w.options.fits(all[0]); err != nil {
		return nil, err
	}
	text, err := w.options.body(all[0], "INPUT", nil)
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
				"--print-media-type", "-n", "--window-status", `a"b`, "--custom-header", "X-A=b=c", "--cookie", "n=v", "--username", "u", "--password", "p", "-q", "--dpi", "300", "--enable-local-file-access",
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
		"--custom-header X: write NAME=VALUE":          {"--custom-header", "X"},
		"--cookie: the input is no address":            {"--cookie", "a=b"},
		"--style is no option for html-to-pdf":         {"--user-style-sheet", "a.css"},
		"unknown flag: --toc-depth":                    {"--toc-depth", "3"},
		`invalid argument "x" for "--header-font-size`: {"--header-font-size", "x"},
	} {
		if _, err := translated(t, "a.html", args...); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
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
