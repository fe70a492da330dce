package browserpool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// What a document may ask for when its job does not say.
const (
	DefaultMaxPages         = 5_000
	DefaultMaxNodes         = 1_000_000
	DefaultMaxPicturePixels = 100_000_000
	DefaultMaxPixels        = 1_000_000_000
)

// Limits bound what a document may ask of the browser; beyond them its job ends
// with ErrTooLarge, before it costs what it asks for. Zero fields mean the defaults.
type Limits struct {
	// Pages is the most that a PDF may have.
	Pages int
	// Nodes is how large a visited page may grow, in nodes of its tree, those that it
	// keeps without showing them included.
	Nodes int
	// PicturePixels is the most that one picture in the main document may have, Pixels
	// all of them together, decoded.
	PicturePixels, Pixels int64
}

func (l Limits) withDefaults() Limits {
	l.Pages = orElse(l.Pages, DefaultMaxPages)
	l.Nodes = orElse(l.Nodes, DefaultMaxNodes)
	l.PicturePixels = orElse(l.PicturePixels, DefaultMaxPicturePixels)
	l.Pixels = orElse(l.Pixels, DefaultMaxPixels)
	return l
}

func (l Limits) validate() error {
	if l.Pages < 0 || l.Nodes < 0 || l.PicturePixels < 0 || l.Pixels < 0 {
		return fmt.Errorf("%w: a limit below zero", ErrOptions)
	}
	return nil
}

// exceeded names the limit that a document is beyond.
func exceeded(limit int64, what string) error {
	return fmt.Errorf("%w: more than %d %s", ErrTooLarge, limit, what)
}

// weight is how large a loaded document is.
type weight struct {
	// nodes are those of its tree, or for HTML its elements.
	nodes int
	// scripted tells that script has run, which may wait to be seen before it draws.
	scripted bool
	// pictured tells that it may have pictures, styled that it may be wider than its window.
	pictured, styled bool
	// content is its size in CSS pixels, if it is styled.
	content Size
}

// weigh refuses a loaded document that is beyond a limit.
func (p *page) weigh(ctx context.Context, limits Limits, html string) (weight, error) {
	limits = limits.withDefaults()
	w, err := p.census(ctx, html)
	if err != nil {
		return w, err
	}
	if p.visiting != nil && w.nodes > limits.Nodes {
		return w, exceeded(int64(limits.Nodes), "nodes")
	}
	var scales []func() error
	if w.pictured {
		scales = append(scales, func() error { return p.weighPictures(ctx, limits) })
	}
	if w.styled {
		scales = append(scales, func() (err error) { w.content, err = p.contentSize(ctx); return err })
	}
	err = together(scales) // which fills w
	return w, err
}

// census counts what a document has. HTML has no more than its source, which its caller
// has measured, and nothing that it does not name. The counts of a visit are the
// browser's, and include what is kept without being shown; they are taken without
// running script, as starting that takes longer than a page that has none.
func (p *page) census(ctx context.Context, html string) (weight, error) {
	if p.visiting == nil {
		return weight{
			nodes:    strings.Count(html, "<") - strings.Count(html, "</"),
			pictured: mentions(html, "<img"), styled: mentions(html, "style") || mentions(html, "height"),
		}, nil
	}
	counted, err := proto.PerformanceGetMetrics{}.Call(p.session.With(ctx))
	if err != nil {
		return weight{}, unlessRefused(err)
	}
	counts := map[string]float64{}
	for _, m := range counted.Metrics {
		counts[m.Name] = m.Value
	}
	const nodes, frames, files, scripts = "Nodes", "Frames", "Resources", "V8PerContextDatas"
	for _, name := range []string{nodes, frames, files, scripts} {
		if _, counted := counts[name]; !counted {
			return weight{}, fmt.Errorf("this browser does not count %s", name)
		}
	}
	return weight{
		nodes:    int(counts[nodes]),
		scripted: counts[scripts] > 0 || counts[frames] > 1, // the script of other sites runs elsewhere
		pictured: counts[files] > 0, styled: true,
	}, nil
}

// mentions tells whether a document contains a word, in lower case, in any case.
func mentions(html, word string) bool {
	for at := 0; at+len(word) <= len(html); at++ {
		if html[at]|0x20 == word[0]|0x20 && strings.EqualFold(html[at:at+len(word)], word) {
			return true
		}
	}
	return false
}

// pictured tells how many pixels the largest picture has, and all of them.
const pictured = `[...document.images].reduce(([most, all], i) => {
	const n = i.naturalWidth * i.naturalHeight
	return [Math.max(most, n), all + n]
}, [0, 0])`

func (p *page) weighPictures(ctx context.Context, limits Limits) error {
	answer, err := p.evaluate(ctx, proto.RuntimeEvaluate{Expression: pictured, ReturnByValue: true})
	if err != nil || answer == nil {
		return err
	}
	var figures [2]float64
	if err := json.Unmarshal([]byte(answer.Result.Value.JSON("", "")), &figures); err != nil {
		return fmt.Errorf("weigh pictures: %w", err)
	}
	switch {
	case figures[0] > float64(limits.PicturePixels):
		return exceeded(limits.PicturePixels, "pixels in a picture")
	case figures[1] > float64(limits.Pixels):
		return exceeded(limits.Pixels, "pixels in all pictures")
	}
	return nil
}
