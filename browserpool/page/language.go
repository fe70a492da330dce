package page

import (
	"context"
	_ "embed"
)

// speaking makes a document say its language, or that it says none.
//
//go:embed script/speaking.js
var speaking string

// sayLanguage prepares a document that is to be tagged: without it, the browser claims its own language for it.
func (p press) sayLanguage(ctx context.Context) error {
	_, err := p.run(ctx, speaking, nil, nil)
	return err
}
