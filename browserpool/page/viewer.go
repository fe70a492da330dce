package page

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// viewing takes away what the browser adds to a document that is not HTML.
//
//go:embed script/viewing.js
var viewing string

// hypertext are the media types that the browser shows as they are; for others it has viewers.
var hypertext = []string{"", "text/html", "application/xhtml+xml"}

// isShown reports whether the browser shows documents of a media type, as they are or by a viewer. In a frame, an aborted one of them was replaced by
// another; one of another type is a download.
func isShown(kind string) bool {
	return slices.Contains(hypertext, kind) || kind == "text/plain" || strings.HasSuffix(kind, "xml") || strings.HasSuffix(kind, "json") || strings.HasPrefix(kind, "image/")
}

// unview takes away from a visit's document what the browser's viewer has added, and warns of XML that is shown up to an error.
func (p visit) unview(ctx context.Context) error {
	shown, _ := p.progress.responses()
	if shown.media == "" || shown.media == "text/html" {
		return nil
	}
	var broken string
	_, err := p.run(ctx, viewing, nil, &broken)
	if broken != "" {
		p.warnOfCut(fmt.Sprintf("The document is not well-formed XML, and is shown only up to the error: %s.", clip(strings.TrimSuffix(broken, "."))))
	}
	return err
}
