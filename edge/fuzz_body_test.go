package edge

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// bodySeeds are bodies of every operation, most of them valid.
var bodySeeds = []string{
	``, `{}`, `null`, `[[[[`, "\xff", `{"html":"x"}`, `{"html":null}`, `{"html":"x","html":1}`, `{"markdown":"# x","options":{"scale":1}}`,
	`{"html":"x","options":{"format":"letter","landscape":true,"margin":{"top":"1in","left":null},"print_background":false,"display_header_footer":true,"header_template":"<b>","footer_template":"","scale":1e0}}`,
	`{"html":"x","options":{"watermark":{"text":"DRAFT","color":"#c00","font_size":"60px","rotation_degrees":-4.5e1},"user_password":"p","compression":{"level":9,"image_quality":100}}}`,
	`{"url":"https://example.com/","render":{"page_load_timeout_ms":1,"wait_until":"networkidle","wait_for_selector":"#a","wait_after_load_ms":0},"auth":{"type":"basic","value":"a:b"},"test":true}`,
	`{"url":"http://intranet.test/","webhook_url":"https://a.test/","delivery":{"mode":"presigned_put","url":"https://a.test:443/x"}}`,
	`{"url":"http://nowhere.test/","options":{"format":"jpg","full_page":true,"quality":1,"viewport":{"width":320,"height":8192}}}`,
	`{"xml":"<x/>","profile":"minimum","template_id":"t"}`, `{"xml":"<x/>","einvoice":1}`, `{"html":"x","einvoice":{"format":"factur-x","profile":"basicwl","xml":"<x/>"}}`,
	`{"xml":"<x/>","template":{"version":1,"locale":"de-DE","branding":{"accent_color":"#0a5c8c","font":"x"},"page":{"format":"a4","margin":"1cm 2cm"},"blocks":[{"type":"invoice-heading","labels":{"title":"{profile}"}},{"type":"trading-parties"},{"type":"line-items","show_vat_column":false},{"type":"vat-breakdown"},{"type":"amounts-due"},{"type":"payment-instructions","text":"x"},{"type":"invoice-notes","enabled":false},{"type":"additional-invoice-data"},{"type":"document-footer"}]}}`,
	`{"html":"x","options":{"scale":1e999999999}}`, `{"html":"x","options":{"scale":NaN}}`, `{"url":"https://e.test","options":{"viewport":{"width":1e3}}}`,
}

// Every body is either refused with a bounded list of reasons, or becomes content
// within the limits of the pipeline.
func FuzzBodies(f *testing.F) {
	for _, s := range bodySeeds {
		f.Add([]byte(s))
	}
	cfg, _ := fakeConfig(testkit.Silent())
	s := New(cfg)
	f.Fuzz(func(t *testing.T, b []byte) {
		before := testkit.Allocated()
		for _, op := range request.Operations() {
			r, violations := op.Decode(request.Sent{Body: b}, cfg.Documents.Placeholders)
			if (r.Operation == "") == (len(violations) == 0) {
				t.Fatalf("neither value nor violations, or both, for %q", b)
			}
			if len(violations) > 0 {
				checkViolations(t, b, violations)
				continue
			}
			checkContent(t, s, r)
		}
		if used := testkit.Allocated() - before; used > 64<<20+uint64(1000*len(b)) {
			t.Errorf("%d bytes took %d MiB of memory", len(b), used>>20)
		}
	})
}

func checkViolations(t *testing.T, b []byte, violations []schema.Violation) {
	t.Helper()
	answer, err := json.Marshal(violations)
	if err != nil {
		t.Fatal(err)
	}
	if len(violations) > schema.MaxViolations || len(answer) > 100<<10+10*len(b) {
		t.Errorf("%q gets %d violations in %d bytes", b, len(violations), len(answer))
	}
}

func checkContent(t *testing.T, s *Server, r request.Request) {
	t.Helper()
	for _, gate := range r.Gates {
		if !slices.Contains(events.Plans(), events.Plan(gate.Plan)) || gate.Path == "" {
			t.Errorf("gate %+v", gate)
		}
	}
	if conflict(r.Body) != nil {
		return
	}
	c, wrong := s.submissions.content(s.submissions.turns.Begin("acc"), events.JobID{1}, r)
	if wrong != nil {
		if wrong.status < 400 || wrong.status > 499 || wrong.detail == "" || len(wrong.detail) > 1_000 {
			t.Errorf("refused with %+v", *wrong)
		}
		return
	}
	if len(c.HTML) > contract.MaxContent || c.HTML == "" && c.URL == "" && c.Invoice == nil {
		t.Errorf("%s: %d bytes of HTML, URL %q", r.Operation, len(c.HTML), c.URL)
	}
	if i := c.Image; (i != nil) != r.Operation.Image() || i != nil && !sound(*i) {
		t.Errorf("%s: image %+v", r.Operation, i)
	}
	if !r.Operation.Image() && !printable(c.Print) {
		t.Errorf("%s: print %+v", r.Operation, c.Print)
	}
	if l := c.Load; l != nil && (l.Timeout < 0 || l.Timeout > 120_000 || l.WaitAfter < 0 || l.WaitAfter > 10_000) {
		t.Errorf("%s: load %+v", r.Operation, *l)
	}
}

func sound(i contract.Image) bool {
	return (i.Format == "png" && i.Quality == 0 || i.Format == "jpeg" && i.Quality >= 0 && i.Quality <= 100) &&
		i.Width >= 320 && i.Width <= 1920 && i.Height >= 320 && i.Height <= 8192
}

func printable(p events.PrintOptions) bool {
	for _, margin := range []string{p.MarginTop, p.MarginRight, p.MarginBottom, p.MarginLeft} {
		if _, err := contract.ParseLength(margin); margin != "" && err != nil {
			return false
		}
	}
	if w := p.Watermark; w != nil && (w.Text == "" || w.Rotation < -360 || w.Rotation > 360 || !acceptable(*w)) {
		return false
	}
	if c := p.Compression; c != nil && (c.Level < 0 || c.Level > 9 || c.ImageQuality < 0 || c.ImageQuality > 100) {
		return false
	}
	return slices.Contains(contract.PaperFormats(), p.Format) && (p.Scale == 0 || p.Scale >= 0.5 && p.Scale <= 2) && !math.IsNaN(p.Scale)
}

// acceptable reports whether a request may ask for this watermark.
func acceptable(w events.Watermark) bool {
	options, err := json.Marshal(map[string]string{"text": "x", "color": w.Color, "font_size": w.FontSize})
	if err != nil {
		return false
	}
	html, _ := request.ByPath("/html-to-pdf")
	_, violations := html.Decode(request.Sent{Body: []byte(`{"html":"x","options":{"watermark":` + string(options) + `}}`)}, nil)
	return len(violations) == 0
}
