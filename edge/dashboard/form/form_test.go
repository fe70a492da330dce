package form_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/dashboard/form"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events/testkit"
)

func anyPlaceholder(string) error { return nil }

// fitting lists valid values for fields whose kind alone does not determine one.
var fitting = map[string][]any{
	"url": {"https://storage.example/put?a=b&c=<d>"}, "webhook_url": {"https://example.com/hooks?a=\"b\""},
	"value": {"user:pass word", "é:`$"}, "top": {"1cm", "0"}, "right": {"20mm"}, "bottom": {"0.5in"}, "left": {"48px"},
	"color": {"#c00", "rgba(200, 200, 200, 0.3)"}, "font_size": {"60px"}, "user_password": {"pass `word` 漢"},
	"headers":        {map[string]any{"X-Tenant": "a \"b\""}},
	"cookies":        {[]any{map[string]any{"name": "a", "value": "b", "secure": true}}, []any{}},
	"hide_selectors": {[]any{"#a", "p > b, c"}, []any{"a\nb", " c "}, []any{"[\"a\"]"}, []any{}},
	"rule_sets":      {[]any{"en16931"}, []any{}},
	"user_agent":     {"Own/1.0 (x)"}, "locale": {"de-AT"}, "time_zone": {"Europe/Berlin"},
	"tags":   {map[string]any{"customer": "4711 <b>", "0": "zero"}},
	"assets": {[]any{map[string]any{"name": "a b.css", "content": "eA=="}}},
	"image":  {"data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"}, "page_ranges": {"1, 3-"}, "pages": {"2-"},
	"watermarks": {[]any{map[string]any{"text": "a \"b\"", "opacity": 0.5}}, []any{}},
	"template":   {map[string]any{"version": 1, "blocks": blocks()}},
}

func blocks() (all []any) {
	for _, name := range []string{
		"invoice-heading", "trading-parties", "line-items", "vat-breakdown", "amounts-due", "payment-instructions", "invoice-notes",
		"additional-invoice-data", "document-footer",
	} {
		all = append(all, map[string]any{"type": name})
	}
	return all
}

var letters = []string{"a", "B", " ", "\n", "\t", `"`, "'", `\`, "<p>", "&amp;", "`", "$", "é", "漢", "\u202e", "\u2028", "\U0001f600", "null", "true", "0"}

// value returns a random value that fits a field. It may still violate a rule over several fields.
func value(r *rand.Rand, p schema.Property) any {
	if all := fitting[p.Name]; len(all) > 0 {
		return all[r.IntN(len(all))]
	}
	switch kind := p.Kind.(type) {
	case schema.String:
		return text(r, kind)
	case schema.Bool:
		return r.IntN(2) == 0
	case schema.Integer:
		return kind.Min + r.Int64N(kind.Max-kind.Min+1)
	case schema.Number:
		return kind.Min + (kind.Max-kind.Min)*float64(r.IntN(17))/16
	}
	return object(r, p.Kind)
}

func text(r *rand.Rand, kind schema.String) (s string) {
	if len(kind.OneOf) > 0 {
		return kind.OneOf[r.IntN(len(kind.OneOf))]
	}
	for s == "" || r.IntN(4) > 0 {
		s += letters[r.IntN(len(letters))]
	}
	return s
}

// object returns a random, non-empty object with the required fields.
func object(r *rand.Rand, k schema.Kind) map[string]any {
	properties, known := schema.Properties(k)
	if !known {
		panic(fmt.Sprintf("fitting has no value of %T", k))
	}
	all := map[string]any{}
	for len(all) == 0 {
		for _, p := range properties {
			if p.Required || r.IntN(3) == 0 {
				all[p.Name] = value(r, p)
			}
		}
	}
	return all
}

func equal(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// Any body that the API accepts, except empty texts and objects, can be typed, and the form produces the same body.
func TestRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for _, op := range request.Operations() {
		f, valid := form.New(op.Kind()), 0
		for range 3000 {
			body, err := json.Marshal(object(r, op.Kind()))
			if err != nil {
				t.Fatal(err)
			}
			if _, wrong := op.Decode(request.Sent{Body: body}, anyPlaceholder); len(wrong) > 0 {
				continue
			}
			valid++
			values, err := f.Values(body)
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			typed := func(path string) string { return strings.ReplaceAll(values[path], "\n", "\r\n") } // as browsers do
			if got := f.Body(typed); !equal(t, got, body) {
				t.Errorf("%s: %s became %s", op.Name, body, got)
			}
		}
		if valid < 100 {
			t.Errorf("%s: only %d of the bodies are valid", op.Name, valid)
		}
	}
}

// The examples in the API description can be typed, and the form has every field of every operation.
func TestEveryField(t *testing.T) {
	for _, op := range request.Operations() {
		f := form.New(op.Kind())
		values, err := f.Values(op.Example)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Body(func(path string) string { return values[path] }); !equal(t, got, op.Example) {
			t.Errorf("%s: %s", op.Name, got)
		}
		var paths []string
		leaves(f, func(field page.Field) { paths = append(paths, field.Path) })
		if want := declared(op.Kind(), "body"); !slices.Equal(paths, want) {
			t.Errorf("%s: fields %q, not %q", op.Name, paths, want)
		}
	}
}

func leaves(f form.Form, visit func(page.Field)) {
	fields, _ := f.Fields(func(string) string { return "" }, nil)
	var walk func([]page.Field)
	walk = func(fields []page.Field) {
		for _, field := range fields {
			if walk(field.Fields); len(field.Fields) == 0 {
				visit(field)
			}
		}
	}
	walk(fields)
}

func declared(k schema.Kind, path string) (all []string) {
	properties, _ := schema.Properties(k)
	for _, p := range properties {
		if _, ok := schema.Properties(p.Kind); ok {
			all = append(all, declared(p.Kind, path+"."+p.Name)...)
			continue
		}
		all = append(all, path+"."+p.Name)
	}
	return all
}

// Wrong values reach the decoder, whose messages are shown at the field.
func TestWrongValues(t *testing.T) {
	pdf, _ := request.ByPath("/html-to-pdf")
	invoice, _ := request.ByPath("/einvoice-to-pdf")
	url, _ := request.ByPath("/url-to-pdf")
	for _, c := range []struct {
		op             *request.Operation
		path, typed    string
		at, text, body string
	}{
		{pdf, "body.options.scale", "one", "body.options.scale", "Input should be a valid number", `"one"`},
		{pdf, "body.options.scale", "true", "body.options.scale", "Input should be a valid number", `"true"`},
		{pdf, "body.options.scale", " 3 ", "body.options.scale", "Input should be less than or equal to 2", `3`},
		{pdf, "body.options.scale", "1,2", "body.options.scale", "Input should be a valid number", `"1,2"`},
		{pdf, "body.options.landscape", "maybe", "body.options.landscape", "Input should be a valid boolean", `"maybe"`},
		{pdf, "body.options.format", "A9", "body.options.format", "Input should be 'A4', 'A3', 'Letter', 'Legal', 'Tabloid', 'A0', 'A1', 'A2', 'A5', 'A6' or 'Ledger'", `"A9"`},
		{pdf, "body.options.margin.top", "far", "body.options.margin.top", "margin must", `"far"`},
		{pdf, "body.tags", "{", "body.tags", "Input should be a valid dictionary", `"{"`},
		{pdf, "body.tags", `{"a b": "x"}`, "body.tags", "a b: String should match", `{"a b":"x"}`},
		{url, "body.render.hide_selectors", "a\r\n\r\n b[c] \n", "", "", `"hide_selectors":["a","b[c]"]`},
		{url, "body.render.hide_selectors", `["a\nb", " c"]`, "", "", `"hide_selectors":["a\nb"," c"]`},
		{url, "body.render.hide_selectors", strings.Repeat("p\n", 21), "body.render.hide_selectors", "List should have at most 20 items", `"p"`},
		{url, "body.render.cookies", `[{"name": "a"}]`, "body.render.cookies", "0.value: Field required", `"name":"a"`},
		{pdf, "body.options.watermark.color", "red", "body.options.watermark.text", "Field required", `"red"`},
		{invoice, "body.template", `{"version": 1, "blocks": [1]}`, "body.template", "blocks: List should have at least 9 items", ``},
		{invoice, "body.template", `{"version": 2, "blocks": []}`, "body.template", "version: Input should be less than", ``},
	} {
		f := form.New(c.op.Kind())
		typed := func(path string) string {
			switch path {
			case c.path:
				return c.typed
			case "body.html", "body.xml", "body.url":
				return "x"
			}
			return ""
		}
		body := f.Body(typed)
		if compact := new(bytes.Buffer); json.Compact(compact, body) != nil || !strings.Contains(compact.String(), c.body) {
			t.Errorf("%s %q: the body is %s", c.path, c.typed, body)
		}
		_, violations := c.op.Decode(request.Sent{Body: body}, anyPlaceholder)
		fields, faults := f.Fields(typed, violations)
		if c.text == "" {
			if len(faults) > 0 {
				t.Errorf("%s %q: %+v", c.path, c.typed, faults)
			}
			continue
		}
		if !slices.ContainsFunc(faults, func(f page.Fault) bool { return f.Field == c.at && strings.HasPrefix(f.Text, c.text) }) {
			t.Errorf("%s %q: %+v", c.path, c.typed, faults)
		}
		if !told(fields, c.at, c.text) {
			t.Errorf("%s %q: it does not stand at the field, or its group is closed", c.path, c.typed)
		}
	}
}

// told reports whether a text is shown at a field, with all groups around it open.
func told(fields []page.Field, path, text string) bool {
	return slices.ContainsFunc(fields, func(f page.Field) bool {
		if f.Path == path {
			return slices.ContainsFunc(f.Wrong, func(s string) bool { return strings.HasPrefix(s, text) })
		}
		return f.Open && told(f.Fields, path, text)
	})
}

// A form can omit fields; values for these are ignored.
func TestWithout(t *testing.T) {
	op, _ := request.ByPath("/html-to-pdf")
	f := form.New(op.Kind(), "wait", "options.toc")
	leaves(f, func(field page.Field) {
		if field.Path == "body.wait" || strings.HasPrefix(field.Path, "body.options.toc") {
			t.Errorf("%s is there", field.Path)
		}
	})
	if body := f.Body(func(path string) string { return "true" }); bytes.Contains(body, []byte(`"wait"`)) || bytes.Contains(body, []byte(`"toc"`)) {
		t.Errorf("%s", body)
	}
	for _, body := range []string{`{"wait": true}`, `{"options": {"x": 1}}`, `{"options": 1}`, `[]`, `x`} {
		if _, err := f.Values([]byte(body)); err == nil {
			t.Errorf("%s can be typed", body)
		}
	}
}

func ExampleForm_Body() {
	op, _ := request.ByPath("/html-to-pdf")
	typed := map[string]string{"body.html": "<p>Hello</p>", "body.options.landscape": "true", "body.options.scale": "0.8"}
	fmt.Println(string(form.New(op.Kind()).Body(func(path string) string { return typed[path] })))
	// Output:
	// {
	//   "html": "<p>Hello</p>",
	//   "options": {
	//     "landscape": true,
	//     "scale": 0.8
	//   }
	// }
}
