package page

import (
	"context"
	_ "embed"
	"slices"
)

// viewing takes away what the browser adds to a document that is not HTML.
//
//go:embed script/viewing.js
var viewing string

// hypertext are the media types that the browser shows as they are; for others it has viewers.
var hypertext = []string{"", "text/html", "application/xhtml+xml"}

// unview takes away from a visit's document what the browser's viewer has added.
func (p visit) unview(ctx context.Context) error {
	shown, _ := p.progress.responses()
	if slices.Contains(hypertext, shown.media) {
		return nil
	}
	_, err := p.run(ctx, viewing, nil, nil)
	return err
}
