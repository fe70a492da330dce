package dashboard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// noPreview has a sample; each preview fails with an error.
type noPreview struct {
	Templates
	err error
}

func (noPreview) Sample(string) []byte { return []byte("<a/>") }

func (p noPreview) Preview(context.Context, events.AccountID, Invoice, []byte, bool) (Shown, error) {
	return Shown{}, p.err
}

// Whoever edits a template is told in plain words why there is no preview.
func TestWhyNoPreview(t *testing.T) {
	for name, tc := range map[string]struct {
		err    error
		status int
		text   string
	}{
		"busy":    {ErrPreviewBusy, 429, "Another preview"},
		"slow":    {PreviewError(events.PageTimeout), 422, "longer than 10 seconds"},
		"crashed": {PreviewError(events.BrowserCrashed), 422, page.Cause(events.BrowserCrashed)},
		"broken":  {errors.New("no disk"), 503, "Try again"},
	} {
		d := newTemplatePages(New(Config{Templates: noPreview{err: tc.err}, Logger: testkit.Silent()}).site)
		shown, pdf, status := d.preview(visitor{}, page.Template{}, nil, true)
		if status != tc.status || !strings.Contains(shown.Problem, tc.text) || tc.text == "" || strings.Contains(shown.Problem, "no disk") || pdf != nil {
			t.Errorf("%s: %d %q", name, status, shown.Problem)
		}
	}
	wrong := InvoiceError{"line 1"}
	d := newTemplatePages(New(Config{Templates: noPreview{err: wrong}, Logger: testkit.Silent()}).site)
	if shown, _, status := d.preview(visitor{}, page.Template{}, nil, true); status != 422 || len(shown.Wrong) != 1 {
		t.Errorf("an invalid invoice: %d %+v", status, shown)
	}
}
