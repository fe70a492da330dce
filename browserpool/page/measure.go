package page

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// measurements are the size and kind of a loaded document.
type measurements struct {
	// nodes is the number of nodes in its tree; for HTML, of elements.
	nodes int
	// ran is for how many seconds script has run in the page's process, of documents or ours.
	ran float64
	// pictured means that it may have pictures, styled that it may be wider than the viewport.
	pictured, styled bool
	// content is its size, if it is styled.
	content Size
}

// measure refuses a loaded document that is beyond a limit.
func (p *page) measure(ctx context.Context, limits Limits, html string) (measurements, error) {
	limits = limits.withDefaults()
	m, err := p.count(ctx, html)
	if err != nil {
		return m, err
	}
	if p.kind == forVisit && m.nodes > limits.Nodes {
		return m, exceeded(int64(limits.Nodes), "nodes")
	}
	var calls []func() error
	if m.pictured {
		calls = append(calls, func() error { return p.checkPictures(ctx, limits) })
	}
	if m.styled {
		calls = append(calls, func() (err error) { m.content, err = p.contentSize(ctx); return err })
	}
	err = together(calls) // fills m
	return m, err
}

// count counts what a document has. HTML has no more than its source, whose size the
// caller has checked, and nothing that the source does not name. The page of a URL is
// counted by the browser, without running script: starting a script engine takes
// longer than loading a page that has no script.
func (p *page) count(ctx context.Context, html string) (measurements, error) {
	if p.kind != forVisit {
		return countHTML(html), nil
	}
	counted, err := proto.PerformanceGetMetrics{}.Call(p.session.With(ctx))
	if err != nil {
		return measurements{}, unlessReplaced(err)
	}
	return countMetrics(counted.Metrics)
}

func countHTML(html string) measurements {
	return measurements{
		nodes:    strings.Count(html, "<") - strings.Count(html, "</"),
		pictured: mentions(html, "<img") || mayHavePictures(html), styled: mentions(html, "style") || mentions(html, "height"),
	}
}

func countMetrics(metrics []*proto.PerformanceMetric) (measurements, error) {
	counts := map[string]float64{}
	for _, m := range metrics {
		counts[m.Name] = m.Value
	}
	const nodes, resources, scripts = "Nodes", "Resources", "ScriptDuration"
	for _, name := range []string{nodes, resources, scripts} {
		if _, counted := counts[name]; !counted {
			return measurements{}, fmt.Errorf("this browser does not count %s", name)
		}
	}
	return measurements{
		nodes: int(counts[nodes]), ran: counts[scripts],
		pictured: counts[resources] > 0, styled: true,
	}, nil
}

// mentions reports whether html contains word, regardless of case; word is in lower case.
func mentions(html, word string) bool { return indexFold(html, word) >= 0 }

// indexFold returns where html first mentions word; -1 for nowhere.
func indexFold(html, word string) int {
	for at := 0; at+len(word) <= len(html); at++ {
		if html[at]|0x20 == word[0]|0x20 && strings.EqualFold(html[at:at+len(word)], word) {
			return at
		}
	}
	return -1
}

// weighing returns the pixels of the largest picture and of all pictures.
//
//go:embed script/weighing.js
var weighing string

func (p *page) checkPictures(ctx context.Context, limits Limits) error {
	var pixels [2]float64
	if ran, err := p.run(ctx, weighing, nil, &pixels); err != nil || !ran {
		return err
	}
	switch {
	case pixels[0] > float64(limits.PicturePixels):
		return exceeded(limits.PicturePixels, "pixels in a picture")
	case pixels[1] > float64(limits.Pixels):
		return exceeded(limits.Pixels, "pixels in all pictures")
	}
	return nil
}

// contentSize is the size of everything that can be scrolled to.
func (p *page) contentSize(ctx context.Context) (Size, error) {
	layout, err := proto.PageGetLayoutMetrics{}.Call(p.session.With(ctx))
	if err != nil || layout.CSSContentSize == nil {
		return Size{}, err
	}
	return Size{Width: int(math.Ceil(layout.CSSContentSize.Width)), Height: int(layout.CSSContentSize.Height)}, nil
}
