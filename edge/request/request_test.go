package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// knows rejects the placeholder {unknown}.
func knows(text string) error {
	if strings.Contains(text, "{unknown}") {
		return errors.New("unknown placeholder {unknown}")
	}
	return nil
}

func decode(t *testing.T, path, body string, keys ...string) (Request, []schema.Violation) {
	t.Helper()
	op, ok := ByPath(path)
	if !ok {
		t.Fatalf("no operation at %s", path)
	}
	lines := make([][]byte, len(keys))
	for i, key := range keys {
		lines[i] = []byte(key)
	}
	return op.Decode(Sent{Body: []byte(body), Keys: lines}, knows)
}

func mustDecode(t *testing.T, path, body string, keys ...string) Request {
	t.Helper()
	r, violations := decode(t, path, body, keys...)
	if len(violations) > 0 {
		t.Fatalf("%s %s: %v", path, body, violations)
	}
	return r
}

// A missing field gets its default, or is missing in the request, too.
func TestDefaults(t *testing.T) {
	pdf := &PDFOptions{Print: events.PrintOptions{Paper: contract.Paper{Format: "A4"}}}
	image := &contract.Image{Format: "png", Width: 1024, Height: 768}
	for _, tc := range []struct {
		path, body string
		want       Body
	}{
		{"/url-to-pdf", `{"url":"u"}`, Body{URL: "u", PDF: pdf}},
		{"/html-to-pdf", `{"html":"h","options":null,"test":null}`, Body{HTML: "h", PDF: pdf}},
		{"/html-to-pdf", `{"html":"h","options":{"margin":{}}}`, Body{HTML: "h", PDF: pdf}},
		{"/markdown-to-pdf", `{"markdown":"m","options":{}}`, Body{Markdown: "m", PDF: pdf}},
		{"/url-to-image", `{"url":"u"}`, Body{URL: "u", Image: image}},
		{"/html-to-image", `{"html":"h","options":{"viewport":null}}`, Body{HTML: "h", Image: image}},
		{"/einvoice-to-pdf", `{"xml":"x"}`, Body{PDF: pdf, Invoice: &Invoice{XML: "x", Profile: "en16931"}}},
		{"/html-to-pdf", `{"html":"h","einvoice":{"xml":"x"}}`, Body{HTML: "h", PDF: pdf, Invoice: &Invoice{XML: "x", Profile: "en16931"}}},
		{"/html-to-pdf", `{"html":"h","render":{}}`, Body{HTML: "h", PDF: pdf, Render: &Render{Load: contract.Load{Timeout: 30_000, WaitUntil: "load"}}}},
		{"/html-to-pdf", `{"html":"h","options":{"watermark":{"text":"t"},"compression":{}}}`, Body{HTML: "h", PDF: &PDFOptions{Print: events.PrintOptions{
			Paper:       contract.Paper{Format: "A4"},
			Compression: &events.Compression{},
			Watermark:   &events.Watermark{Text: "t", Color: "rgba(200, 200, 200, 0.3)", FontSize: "60px", Rotation: -45},
		}}}},
	} {
		if r := mustDecode(t, tc.path, tc.body); !reflect.DeepEqual(r.Body, tc.want) || r.Idempotency() != nil || "/"+string(r.Operation) != tc.path {
			t.Errorf("%s %s:\n got %+v\nwant %+v", tc.path, tc.body, r, tc.want)
		}
	}
}

// Every field of a body is assigned to its place.
func TestValues(t *testing.T) {
	r := mustDecode(t, "/url-to-pdf", `{"url":"u","tags":{"b":"2","a":""},"webhook_url":"https://hooks.test/","delivery":{"url":"https://store.test/x"},
		"auth":{"type":"basic","value":"a:b"},"render":{"page_load_timeout_ms":1e3,"wait_until":"networkidle","wait_for_selector":"#a","wait_after_load_ms":5,"media":"screen",
		"wait_for_function":"f","scroll":true,"user_agent":"a","locale":"DE-at","time_zone":"UTC","color_scheme":"dark","javascript":false,"style":"s","hide_selectors":["a","b"],
		"fail_on_resource_error":true,"fail_on_script_error":true,"headers":{"b":"2","a":"1"},"cookies":[{"name":"n","value":"v","domain":"u","path":"/p","secure":true,"http_only":true,"same_site":"lax"},{"name":"m","value":""}]},
		"einvoice":{"format":"factur-x","profile":"basic","xml":"x","rules":"warn","rule_sets":["en16931"],"match":"enforce"},
		"options":{"format":"letter","single_page":true,"prefer_css_page_size":true,"page_ranges":"1, 3-","outline":true,"tagged":true,"metadata":{"title":"t","author":"a","subject":"s","keywords":"k","creator":"c","language":"de"},"landscape":true,"margin":{"top":"1cm","right":"2cm","bottom":"3cm","left":"4cm"},"print_background":false,
		"display_header_footer":true,"header_template":"h","footer_template":"f","first_page_header_template":"1h","first_page_footer_template":"","last_page_header_template":"lh","last_page_footer_template":"lf","user_password":"p","owner_password":"o","permissions":{"printing":false,"copying":false,"modifying":false,"annotating":false,"filling_forms":false,"assembling":false},"scale":1.5,
		"watermark":{"text":"t","color":"red","font_size":"1cm","rotation_degrees":5,"position":"top-left","pages":"1, 3-","opacity":0.5,"behind":true},"compression":{"level":9,"image_quality":80}}}`)
	want := Body{
		URL: "u", Tags: []events.Tag{{Name: "a"}, {Name: "b", Value: "2"}}, Webhook: "https://hooks.test/", Delivery: &Delivery{URL: "https://store.test/x"}, Auth: &Auth{"basic", "a:b"},
		Render: &Render{
			Load: contract.Load{
				Timeout: 1000, WaitUntil: "networkidle", WaitFor: "#a", WaitAfter: 5, Media: "screen",
				WaitForFunction: "f", Scroll: true, UserAgent: "a", Locale: "de-AT", TimeZone: "UTC", ColorScheme: "dark", NoScript: true, Style: "s", Hide: []string{"a", "b"},
				FailOnResourceError: true, FailOnScriptError: true,
			},
			Headers: []contract.Header{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}},
			Cookies: []contract.Cookie{{Name: "n", Value: "v", Domain: "u", Path: "/p", Secure: true, HTTPOnly: true, SameSite: "lax"}, {Name: "m", Path: "/"}},
		},
		Invoice: &Invoice{XML: "x", Profile: "basic", Rules: "warn", RuleSets: []string{"en16931"}, Match: "enforce"},
		PDF: &PDFOptions{Header: "h", Footer: "f", FirstHeader: new("1h"), FirstFooter: new(""), LastHeader: new("lh"), LastFooter: new("lf"), Password: "p", OwnerPassword: "o", Print: events.PrintOptions{
			Paper:       contract.Paper{Format: "Letter", Landscape: true, SizeGiven: true, MarginTop: "1cm", MarginRight: "2cm", MarginBottom: "3cm", MarginLeft: "4cm", SinglePage: true, PreferCSS: true, PageRanges: "1, 3-", Outline: true, Tagged: true, OmitBackground: true, HeaderFooter: true, Scale: 1.5},
			Watermark:   &events.Watermark{Text: "t", Color: "red", FontSize: "1cm", Rotation: 5, Position: "top-left", Pages: "1, 3-", Opacity: new(0.5), Behind: true},
			Compression: &events.Compression{Level: 9, ImageQuality: 80},
			Denied:      &events.Denied{Printing: true, Copying: true, Modifying: true, Annotating: true, FillingForms: true, Assembling: true},
			Metadata:    &events.Metadata{Title: "t", Author: "a", Subject: "s", Keywords: "k", Creator: "c", Language: "de"},
		}},
	}
	if !reflect.DeepEqual(r.Body, want) {
		t.Errorf("got %+v\nwant %+v", r.Body, want)
	}
	r = mustDecode(t, "/html-to-pdf", `{"html":"h","options":{"width":"6in","height":"100mm"}}`)
	if want := (contract.Paper{Format: "A4", Width: "6in", Height: "100mm"}); r.PDF.Print.Paper != want {
		t.Errorf("got %+v, want %+v", r.PDF.Print.Paper, want)
	}
	if r = mustDecode(t, "/markdown-to-pdf", `{"markdown":"h","options":{"toc":{"title":"Inhalt","depth":2}}}`); *r.PDF.Print.TOC != (contract.TOC{Title: "Inhalt", Depth: 2}) {
		t.Errorf("got %+v", r.PDF.Print.TOC)
	}
	if r = mustDecode(t, "/html-to-pdf", `{"html":"h","options":{"pdfa":"3b","pdfua":true}}`); r.PDF.Print.PDFA != "3b" || !r.PDF.Print.PDFUA {
		t.Errorf("got %+v", r.PDF.Print)
	}
	r = mustDecode(t, "/html-to-image", `{"html":"h","test":true,"options":{"format":"JPG","full_page":true,"quality":1e1,"viewport":{"width":320,"height":8192}}}`)
	if want := (contract.Image{Format: "jpeg", FullPage: true, Quality: 10, Width: 320, Height: 8192}); *r.Image != want || !r.Test || r.PDF != nil {
		t.Errorf("got %+v, want image %+v", r, want)
	}
	r = mustDecode(t, "/html-to-image", `{"html":"h","options":{"format":"webp","clip":{"x":1,"y":2,"width":3,"height":4},"device_scale_factor":1.5,"transparent":true}}`)
	if want := (contract.Image{Format: "webp", Width: 1024, Height: 768, Clip: contract.Box{X: 1, Y: 2, Width: 3, Height: 4}, Scale: 1.5, Transparent: true}); *r.Image != want {
		t.Errorf("got %+v, want %+v", *r.Image, want)
	}
	if r = mustDecode(t, "/html-to-image", `{"html":"h","options":{"selector":"#a","device_scale_factor":1}}`); r.Image.Selector != "#a" || r.Image.Scale != 0 {
		t.Errorf("got %+v", *r.Image)
	}
}

func nineBlocks(first string) string {
	return `[{"type":"invoice-heading"` + first + `},{"type":"trading-parties"},{"type":"line-items"},{"type":"vat-breakdown"},{"type":"amounts-due"},` +
		`{"type":"payment-instructions","text":"{unknown} {due_date}"},{"type":"invoice-notes"},{"type":"additional-invoice-data"},{"type":"document-footer","text":"{due_date}"}]`
}

// Unknown placeholders are violations at their texts, block by block and label by label. They are checked once the body is otherwise valid.
func TestPlaceholders(t *testing.T) {
	template := `{"version":1,"blocks":` + nineBlocks(`,"labels":{"title":"{unknown}","due_date":"{unknown}","number":"{number}"}`) + `}`
	const unknown = "value_error Value error, unknown placeholder {unknown}"
	want := []string{
		"[header Idempotency-Key] string_too_short String should have at least 1 character",
		"[body template blocks 0 labels due_date] " + unknown, "[body template blocks 0 labels title] " + unknown, "[body template blocks 5 text] " + unknown,
	}
	_, violations := decode(t, "/einvoice-to-pdf", `{"xml":"x","template":`+template+`}`, "")
	if got := told(violations); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	_, violations = decode(t, "/einvoice-to-pdf", `{"xml":1,"template":`+template+`}`)
	if got := told(violations); len(got) != 1 {
		t.Errorf("beside another violation: got %q", got)
	}
	want = []string{"[body blocks 0 labels due_date] " + unknown, "[body blocks 0 labels title] " + unknown, "[body blocks 5 text] " + unknown}
	if got := told(CheckTemplate([]byte(template), knows)); !slices.Equal(got, want) {
		t.Errorf("by itself: got %q, want %q", got, want)
	}
	if got := told(CheckTemplate([]byte(`{"version":1}`), knows)); !slices.Equal(got, []string{"[body blocks] missing Field required"}) {
		t.Errorf("without blocks: got %q", got)
	}
}

func told(violations []schema.Violation) (all []string) {
	for _, v := range violations {
		all = append(all, fmt.Sprint(v.Loc, " ", v.Type, " ", v.Msg))
	}
	return all
}

// A wrong header is reported together with the violations of the body.
func TestIdempotencyKey(t *testing.T) {
	r := mustDecode(t, "/html-to-pdf", `{"html":"x"}`, "order-4711")
	again := mustDecode(t, "/html-to-pdf", ` { "options": null, "html": "\u0078" } `, "order-4711")
	if r.Idempotency() == nil || r.Idempotency().Key != "order-4711" || *r.Idempotency() != *again.Idempotency() {
		t.Errorf("got %+v and %+v", r.Idempotency(), again.Idempotency())
	}
	for _, other := range []Request{
		mustDecode(t, "/html-to-image", `{"html":"x"}`, "order-4711"), mustDecode(t, "/html-to-pdf", `{"html":"x","test":false}`, "order-4711"),
	} {
		if other.Idempotency().Fingerprint == r.Idempotency().Fingerprint {
			t.Errorf("%+v has the same fingerprint", other)
		}
	}
	for want, keys := range map[string][]string{
		"string_too_short":        {""},
		"string_pattern_mismatch": {"a b"},
		"string_too_long":         {strings.Repeat("a", 256)},
		"value_error":             {"a", "a"},
	} {
		_, violations := decode(t, "/html-to-pdf", `{}`, keys...)
		if len(violations) != 2 || violations[0].Type != "missing" || violations[1].Type != want {
			t.Errorf("%q: got %v", keys, violations)
		}
	}
}

// A request needs the highest plan among its fields; the first field that the account's plan lacks is named.
func TestGates(t *testing.T) {
	for body, want := range map[string]struct {
		plan          events.Plan
		free, starter string
	}{
		`{"html":"x"}`: {"", "", ""},
		`{"html":"x","options":{"watermark":{"text":"a"}}}`:                          {"starter", "options.watermark", ""},
		`{"html":"x","options":{"watermark":{"text":"a"},"user_password":"p"}}`:      {"pro", "options.watermark", "options.user_password"},
		`{"html":"x","options":{"watermark":null,"compression":{"level":null}}}`:     {"pro", "options.compression", "options.compression"},
		`{"html":"x","options":{"compression":{"image_quality":1}},"delivery":null}`: {"pro", "options.compression", "options.compression"},
		`{"html":"x","delivery":{"url":"https://a.test/"}}`:                          {"pro", "delivery", "delivery"},
	} {
		gates := mustDecode(t, "/html-to-pdf", body).Gates
		free, _ := gates.FirstMissing(events.PlanFree)
		starter, _ := gates.FirstMissing(events.PlanStarter)
		if gates.Required() != want.plan || free.Path != want.free || starter.Path != want.starter {
			t.Errorf("%s: got %q, %v and %v; want %+v", body, gates.Required(), free, starter, want)
		}
		if gate, missing := gates.FirstMissing(events.PlanBusiness); missing {
			t.Errorf("%s: %v is missing on the largest plan", body, gate)
		}
	}
}

// The examples of the API description are accepted on every plan.
func TestExamples(t *testing.T) {
	for _, op := range Operations() {
		if !json.Valid(op.Example) {
			t.Errorf("%s: %s is not valid JSON", op.Name, op.Example)
		}
		r, violations := op.Decode(Sent{Body: op.Example}, knows)
		if len(violations) > 0 || len(r.Gates) > 0 {
			t.Errorf("%s: %v, gates %v", op.Name, violations, r.Gates)
		}
	}
}

// Every operation has an endpoint.
func TestEveryOperationIsDeclared(t *testing.T) {
	var declared []events.Operation
	for _, o := range Operations() {
		declared = append(declared, o.Name)
	}
	if want := events.Operations(); !reflect.DeepEqual(slices.Sorted(slices.Values(declared)), slices.Sorted(slices.Values(want))) {
		t.Errorf("declared are %v, want %v", declared, want)
	}
}

// A format that the caller gave is told from the default, even if it is the same.
func TestSizeGiven(t *testing.T) {
	for options, want := range map[string]bool{
		`{}`: false, `{"format":null}`: false, `{"margin":{"top":"1cm"}}`: false, `{"format":"A4"}`: true, `{"landscape":false}`: true,
	} {
		r := mustDecode(t, "/url-to-pdf", `{"url":"u","options":`+options+`}`)
		if r.PDF.Print.SizeGiven != want || r.PDF.Print.Format != "A4" {
			t.Errorf("%s: %+v", options, r.PDF)
		}
	}
}

// A text in the middle is rotated by default; elsewhere it is upright, and so are pictures. Pictures are kept as base64, whatever type their URI declares.
func TestWatermarks(t *testing.T) {
	const svg = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnLz4="
	base := events.Watermark{Color: "rgba(200, 200, 200, 0.3)", FontSize: "60px"}
	for text, want := range map[string]events.Watermark{
		`{"text":"t"}`: {Text: "t", Rotation: -45},
		`{"text":"t","image":null,"position":"center"}`:                                                 {Text: "t", Rotation: -45},
		`{"text":"t","position":"top"}`:                                                                 {Text: "t", Position: "top"},
		`{"text":"t","position":"top","rotation_degrees":-45}`:                                          {Text: "t", Position: "top", Rotation: -45},
		`{"image":"data:image/svg+xml;utf8,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E","text":null}`: {Image: svg},
		`{"image":"DATA:image/png;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnLz4="}`:    {Image: svg},
	} {
		want.Color, want.FontSize = base.Color, base.FontSize
		one := mustDecode(t, "/html-to-pdf", `{"html":"h","options":{"watermark":`+text+`}}`).PDF.Print
		several := mustDecode(t, "/html-to-pdf", `{"html":"h","options":{"watermarks":[`+text+`,`+text+`]}}`).PDF.Print
		if *one.Watermark != want || len(several.Watermarks) != 2 || several.Watermarks[0] != want || several.Watermarks[1] != want || several.Watermark != nil {
			t.Errorf("%s: got %+v and %+v", text, one.Watermark, several.Watermarks)
		}
	}
}
