package page

import (
	"context"
	_ "embed"
)

// speaking makes a document declare its language, or that it has none.
//
//go:embed script/speaking.js
var speaking string

// sayLanguage prepares a document for tagging: otherwise the browser declares its own language for it.
func (p press) sayLanguage(ctx context.Context) error {
	_, err := p.run(ctx, speaking, nil, nil)
	return err
}
