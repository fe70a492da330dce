package page

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
)

// Values just within each limit pass, larger ones do not.
func TestLimits(t *testing.T) {
	slot := openSlot(t)
	ten := base64.StdEncoding.EncodeToString(pagetest.BlankPNG(10, 10))
	img := `<img src="data:image/png;base64,` + ten + `">`
	background := `<p style="background: red url(&quot;data:image/png;base64,` + ten + `&quot;)">x`
	attribute := `<table background="data:image/png;base64,` + ten + `"><tr><td>x</table>`
	web := pagetest.NewWeb(t, pagetest.Pages{"/pictures": img + img, "/nodes": `<script>document.write("<b></b>".repeat(2000))</script>`, "/paper": strings.Repeat("<p style='break-after: page'>x", 10) + "<p>x"})
	for name, c := range map[string]struct {
		job    Print
		within bool
	}{
		"11 pages of 11":          {Print{URL: web.URL + "/paper", Limits: Limits{Pages: 11}}, true},
		"11 pages of 10":          {Print{URL: web.URL + "/paper", Limits: Limits{Pages: 10}}, false},
		"1 page of 1":             {Print{HTML: "x", Limits: Limits{Pages: 1}}, true},
		"2 pages of 1":            {Print{HTML: `<p style="break-after: page">x<p>y`, Limits: Limits{Pages: 1}}, false},
		"2,000 nodes of 10,000":   {Print{URL: web.URL + "/nodes", Limits: Limits{Nodes: 10_000}}, true},
		"2,000 nodes of 1,000":    {Print{URL: web.URL + "/nodes", Limits: Limits{Nodes: 1_000}}, false},
		"100 pixels of 100":       {Print{URL: web.URL + "/pictures", Limits: Limits{PicturePixels: 100}}, true},
		"100 pixels of 99":        {Print{URL: web.URL + "/pictures", Limits: Limits{PicturePixels: 99}}, false},
		"200 pixels of 200":       {Print{URL: web.URL + "/pictures", Limits: Limits{Pixels: 200}}, true},
		"200 pixels of 199":       {Print{URL: web.URL + "/pictures", Limits: Limits{Pixels: 199}}, false},
		"HTML, 100 pixels of 100": {Print{HTML: img, Limits: Limits{PicturePixels: 100}}, true},
		"HTML, 100 pixels of 99":  {Print{HTML: img, Limits: Limits{PicturePixels: 99}}, false},
		"a background of 100":     {Print{HTML: background, Limits: Limits{PicturePixels: 100}}, true},
		"a background of 99":      {Print{HTML: background, Limits: Limits{PicturePixels: 99}}, false},
		"an attribute of 99":      {Print{HTML: attribute, Limits: Limits{PicturePixels: 99}}, false},
	} {
		_, err := slot.Print(t.Context(), c.job)
		if c.within && err != nil || !c.within && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v", name, err)
		}
		if c.job.Limits.Pages > 0 {
			continue
		}
		_, err = slot.Capture(t.Context(), Capture{HTML: c.job.HTML, URL: c.job.URL, Limits: c.job.Limits})
		if c.within && err != nil || !c.within && !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s, captured: got %v", name, err)
		}
	}
	if _, err := slot.Print(t.Context(), Print{HTML: "x", Limits: Limits{Pages: -1}}); !errors.Is(err, ErrOptions) {
		t.Errorf("a negative limit: got %v, want ErrOptions", err)
	}
}

// The result reports the network traffic of its own job only.
func TestTraffic(t *testing.T) {
	slot := openSlot(t)
	body := strings.Repeat("x", 10_000)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": body})
	for range 2 {
		if got := mustPrint(t, slot, Print{URL: web.URL}).Traffic; got < 10_000 || got > 20_000 {
			t.Errorf("a page of 10,000 bytes took %d", got)
		}
		if got := mustPrint(t, slot, Print{HTML: "x"}).Traffic; got != 0 {
			t.Errorf("no network took %d bytes", got)
		}
	}
}
