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

// weight is how large a loaded document is: in nodes, or for HTML in elements, and
// in CSS pixels across and from top to bottom, zeros where that cannot matter.
type weight struct {
	nodes   int
	content Size
	// scripted tells that it has script, which may wait to be seen before it draws.
	scripted bool
}

// weigh refuses a loaded document that is beyond a limit. HTML is no larger than
// its source, which its caller has measured, and has nothing that it does not name.
func (p *page) weigh(ctx context.Context, limits Limits, html string) (weight, error) {
	limits = limits.withDefaults()
	w := weight{nodes: strings.Count(html, "<") - strings.Count(html, "</")}
	var scales []func() error
	if p.visiting != nil {
		scales = append(scales, func() (err error) { w.nodes, err = p.weighNodes(ctx, limits); return err })
	}
	if p.visiting != nil || mentions(html, "<img") {
		scales = append(scales, func() (err error) { w.scripted, err = p.look(ctx, limits); return err })
	}
	if p.visiting != nil || mentions(html, "style") || mentions(html, "height") {
		scales = append(scales, func() (err error) { w.content, err = p.contentSize(ctx); return err })
	}
	err := together(scales) // which fills w
	return w, err
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

func (p *page) weighNodes(ctx context.Context, limits Limits) (int, error) {
	counters, err := proto.MemoryGetDOMCounters{}.Call(p.session.With(ctx))
	if err != nil {
		return 0, unlessRefused(err)
	}
	if counters.Nodes > limits.Nodes {
		return 0, exceeded(int64(limits.Nodes), "nodes")
	}
	return counters.Nodes, nil
}

// seen is how many pixels the largest picture has, and all of them, and how much there
// is that may be script.
const seen = `[...[...document.images].reduce(([most, all], i) => {
	const n = i.naturalWidth * i.naturalHeight
	return [Math.max(most, n), all + n]
}, [0, 0]), document.scripts.length + frames.length + document.querySelectorAll("body[onload]").length]`

// look weighs the pictures, and tells whether there is script.
func (p *page) look(ctx context.Context, limits Limits) (scripted bool, err error) {
	answer, err := p.evaluate(ctx, proto.RuntimeEvaluate{Expression: seen, ReturnByValue: true})
	if err != nil || answer == nil {
		return false, err
	}
	var figures [3]float64
	if err := json.Unmarshal([]byte(answer.Result.Value.JSON("", "")), &figures); err != nil {
		return false, fmt.Errorf("weigh pictures: %w", err)
	}
	switch {
	case figures[0] > float64(limits.PicturePixels):
		return false, exceeded(limits.PicturePixels, "pixels in a picture")
	case figures[1] > float64(limits.Pixels):
		return false, exceeded(limits.Pixels, "pixels in all pictures")
	}
	return figures[2] > 0, nil
}
