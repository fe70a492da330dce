package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events/testkit"
)

// legal are values of fields of which the declaration does not say one, by the path or by its last part.
var legal = map[string]string{
	"url": "http://93.184.216.34/", "html": "<h1>Two</h1>\n<p>lines</p>", "markdown": "# Two\n\nparts", "template_id": "",
	"webhook_url": "https://example.com/hooks?a=\"b\"", "tags": `{"customer": "4711 <b>"}`, "body.delivery.url": "https://storage.example/put?a=b&c=<d>",
	"body.auth.value": "it's a `token`", "body.options.width": "4in", "body.options.height": "120mm", "page_ranges": "1-3, 5, 8-",
	"top": "20mm", "right": "0.5in", "bottom": "0", "left": "48px",
	"header_template": `<b class="title"></b>`, "footer_template": "Page <span class=\"pageNumber\"></span>\nof many",
	"first_page_header_template": "FIRST", "first_page_footer_template": "FIRST", "last_page_header_template": "LAST", "last_page_footer_template": "LAST",
	"body.options.toc.title": "What’s in it", "title": "漢 \"title\"", "author": "Ada", "subject": "Numbers", "keywords": "a, <b>", "creator": "A test", "language": "en-GB",
	"text": "DRAFT", "image": "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E", "color": "rgba(200, 0, 0, 0.5)", "font_size": "2cm", "pages": "2-",
	"watermarks": `[{"text": "a \"b\"", "opacity": 0.5}]`, "user_password": "pass `word` é", "owner_password": "another one",
	"selector": "#chart > p", "wait_for_selector": "#chart.ready", "wait_for_function": "window.chart?.ready", "user_agent": "Own/1.0 (x)",
	"locale": "de-AT", "time_zone": "Europe/Berlin",
	"hide_selectors": "#banner\np > b, c", "style": "nav { display: none }", "headers": `{"X-Tenant": "7 \"x\""}`, "cookies": `[{"name": "a", "value": "b", "path": "/x"}]`,
	"assets": `[{"name": "a b.css", "content": "eA=="}]`, "rule_sets": "en16931", "template": "",
	// Of the examples of e-invoices, only this one is small enough to be shown as a program.
	"xml": "", "body.format": "factur-x", "body.einvoice.format": "factur-x", "body.profile": "en16931", "body.einvoice.profile": "en16931", "rules": "warn", "match": "warn",
}

// company lists the fields that a field needs, beside the required fields of its object.
var company = map[string][]string{
	"body.options.width": {"body.options.height"}, "body.options.height": {"body.options.width"},
	"body.options.permissions": {"body.options.user_password"}, "body.options.toc": {"body.html_mode"}, "body.options.quality": {"body.options.format"},
	"body.assets": {"body.html_mode"}, "body.render": {"body.html_mode"}, "body.rule_sets": {"body.rules"}, "body.einvoice.rule_sets": {"body.einvoice.rules"},
}

// typing is what somebody types into a field, or chooses.
type typing struct {
	page.Field
	text string
}

// fieldTest types into the fields of an operation.
type fieldTest struct {
	t    *testing.T
	op   *request.Operation
	p    *person
	all  []typing
	with map[string][]string // the required fields beside a field
}

// Each field of each operation can be reached, typed into or chosen by hand, and is then in the request as it was typed. Fields
// that exclude one another are typed into several forms.
func fieldsFlow(t *testing.T, n *inProcessNode, s *screen) {
	p := n.demo(t, "business")
	legal := maps.Clone(legal)
	legal["template_id"], legal["template"] = p.save("Every field"), template(t)
	legal["xml"] = exampleXML(t)
	for _, op := range request.Operations() {
		t.Run(string(op.Name), func(t *testing.T) {
			f := fieldTest{t: t, op: op, p: p, with: map[string][]string{}}
			f.list(playgroundFields(op), legal)
			w := s.open(t)
			w.signInDemo()
			for i, typed := range f.forms() {
				f.try(w, i, typed)
			}
			w.quiet([]string{"/dashboard/playground/" + string(op.Name)}, "status of 422") // what is half typed is asked for too
		})
	}
}

func exampleXML(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../edge/dashboard/example.xml")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// list fills all and with.
func (f *fieldTest) list(fields []page.Field, legal map[string]string) {
	f.t.Helper()
	var required []string
	for _, field := range fields {
		if field.Required {
			required = append(required, field.Path)
		}
	}
	for _, field := range fields {
		if field.Kind == page.FieldGroup {
			f.list(field.Fields, legal)
			continue
		}
		text, ok := legal[field.Path]
		if !ok {
			text, ok = legal[field.Name]
		}
		if !ok || field.Kind == page.FieldNumber || field.Kind == page.FieldTruth {
			text, ok = declared(field)
		}
		if !ok {
			f.t.Errorf("%s: this test has no legal value for %s", f.op.Name, field.Path)
			continue
		}
		f.all, f.with[field.Path] = append(f.all, typing{field, text}), required
	}
}

// declared is a legal value by the declaration, another one than the default if there is one.
func declared(field page.Field) (text string, ok bool) {
	options := field.Options
	switch field.Kind {
	case page.FieldTruth:
		options = []string{"true", "false"}
	case page.FieldNumber:
		least, _ := strconv.ParseFloat(field.Least, 64)
		most, _ := strconv.ParseFloat(field.Most, 64)
		return strconv.FormatFloat(max(least, math.Floor((least+most)/2)), 'f', -1, 64), true
	}
	for _, text = range slices.Backward(options) {
		if text != field.Default {
			break
		}
	}
	return text, text != ""
}

// forms are sets of fields that go together, in which every field is.
func (f *fieldTest) forms() (all [][]typing) {
	f.t.Helper()
	var base []typing
	for _, field := range f.all {
		if field.Required && strings.Count(field.Path, ".") == 1 {
			base = append(base, field)
		}
	}
	for _, field := range f.all {
		if slices.ContainsFunc(all, func(set []typing) bool { return has(set, field.Path) }) {
			continue
		}
		i := slices.IndexFunc(all, func(set []typing) bool { return f.accepted(f.together(set, field)) })
		if i < 0 {
			if !f.accepted(f.together(base, field)) {
				f.t.Errorf("%s: the value of %s, %q, is not legal", f.op.Name, field.Path, field.text)
				continue
			}
			i, all = len(all), append(all, base)
		}
		all[i] = f.together(all[i], field)
	}
	return all
}

func has(set []typing, path string) bool {
	return slices.ContainsFunc(set, func(other typing) bool { return other.Path == path })
}

// together is a set with one more field, and with what that needs.
func (f *fieldTest) together(set []typing, field typing) []typing {
	if has(set, field.Path) {
		return set
	}
	set = append(slices.Clone(set), field)
	needs := slices.Clone(f.with[field.Path])
	for path, more := range company {
		if field.Path == path || strings.HasPrefix(field.Path, path+".") {
			needs = append(needs, more...)
		}
	}
	if strings.HasSuffix(field.Path, ".watermark.image") {
		needs = nil // it is in place of the text, which is required otherwise
	}
	for _, path := range needs {
		for _, other := range f.all {
			if other.Path == path {
				set = f.together(set, other)
			}
		}
	}
	return set
}

// accepted asks the API.
func (f *fieldTest) accepted(set []typing) bool {
	f.t.Helper()
	fields := []string{"do", "show", "mode", mode(set)}
	for _, field := range set {
		fields = append(fields, field.Path, field.text)
	}
	return f.p.act("/dashboard/playground/"+string(f.op.Name), fields...).status == 200
}

// mode is live where a test is refused.
func mode(set []typing) string {
	if has(set, "body.delivery.url") {
		return "live"
	}
	return "test"
}

// try types a set into a new form by hand, and submits it.
func (f *fieldTest) try(w *window, number int, set []typing) {
	f.t.Helper()
	w.visit("/dashboard/playground/" + string(f.op.Name))
	for _, field := range f.all {
		if has(set, field.Path) {
			w.put(field.Field, field.text)
		} else if w.eval(`(name) => document.getElementsByName(name)[0].value`, field.Path) != "" { // of the example
			w.put(field.Field, "")
		}
	}
	w.click(`label:has([name=mode][value=`+mode(set)+`])`, "")
	f.keep(w, fmt.Sprintf("%s-%d.png", f.op.Name, number+1))
	want := f.wanted(set)
	testkit.Eventually(f.t, "the request is shown as it is typed", func() bool { return reflect.DeepEqual(w.request(), want) })
	do := map[string]string{"test": "run", "live": "show"}[mode(set)] // nothing is to be delivered
	w.follow("button[value="+do+"]", "")
	if do == "run" {
		w.shows(".notice.good", "accepted")
	}
	if got := w.request(); !reflect.DeepEqual(got, want) {
		f.t.Errorf("%s: the request is\n%v, not\n%v\n%s", f.op.Name, got, want, w.text())
	}
}

// request is the request in the program that the page shows; nil for none.
func (w *window) request() (body map[string]any) {
	w.t.Helper()
	_, text, _ := strings.Cut(w.value(".program[open] code"), "<<'JSON'\n")
	text, _, _ = strings.Cut(text, "\nJSON\n")
	if json.Unmarshal([]byte(text), &body) != nil {
		return nil
	}
	return body
}

// put types a text into a field in place of what is in it, or chooses it from a list, after opening the groups around it.
func (w *window) put(field page.Field, text string) {
	w.t.Helper()
	const closed = `(name) => {
		let e = document.getElementsByName(name)[0], outer = '';
		while (e = e.parentElement.closest('details:not([open])')) outer = e.id;
		return outer;
	}`
	for id := w.eval(closed, field.Path); id != ""; id = w.eval(closed, field.Path) {
		w.click("#"+id+" > summary", "")
	}
	id := w.eval(`(name) => document.getElementsByName(name)[0].id`, field.Path)
	if field.Kind == page.FieldChoice || field.Kind == page.FieldTruth {
		w.eval(aim, "#"+id, "")            // it can be seen
		w.click(`label[for="`+id+`"]`, "") // opens no list, which the browser would draw outside of the page
		w.press(input.Home)
		for w.eval(`() => document.activeElement.value`) != text {
			before := w.eval(`() => document.activeElement.id + document.activeElement.selectedIndex`)
			w.press(input.ArrowDown)
			if w.eval(`() => document.activeElement.id + document.activeElement.selectedIndex`) == before {
				w.t.Fatalf("%s cannot be chosen for %s, but %s", text, field.Path, before)
			}
		}
		return
	}
	w.click("#"+id, "")
	w.must(w.KeyActions().Press(input.ControlLeft).Type(input.KeyA).Do())
	w.press(input.Delete)
	if text != "" {
		w.must(w.InsertText(text))
	}
}

// keep writes a picture of the form to where PLATEN_KEEP says, for a person to look at.
func (f *fieldTest) keep(w *window, name string) {
	f.t.Helper()
	dir := os.Getenv("PLATEN_KEEP")
	if dir == "" {
		return
	}
	picture, err := w.Screenshot(true, nil)
	w.must(err)
	w.must(os.WriteFile(filepath.Join(dir, name), picture, 0o600))
}

// wanted is the request with what was typed.
func (f *fieldTest) wanted(set []typing) map[string]any {
	f.t.Helper()
	all := map[string]any{}
	if mode(set) == "test" {
		all["test"] = true
	}
	for _, field := range set {
		at, steps := all, strings.Split(field.Path, ".")[1:]
		for _, step := range steps[:len(steps)-1] {
			if at[step] == nil {
				at[step] = map[string]any{}
			}
			at = at[step].(map[string]any)
		}
		at[steps[len(steps)-1]] = f.value(field)
	}
	return all
}

// value is what a request has for a text that was typed.
func (f *fieldTest) value(field typing) (value any) {
	f.t.Helper()
	switch field.Kind {
	case page.FieldNumber, page.FieldTruth, page.FieldJSON:
		if err := json.Unmarshal([]byte(field.text), &value); err != nil {
			f.t.Fatalf("%s: %v", field.Path, err)
		}
		return value
	case page.FieldLines:
		all := []any{}
		for line := range strings.SplitSeq(field.text, "\n") {
			all = append(all, line)
		}
		return all
	}
	return field.text
}
