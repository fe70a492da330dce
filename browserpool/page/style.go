package page

import (
	"context"
	_ "embed"

	"platen.dev/events/contract"
)

// styling adds a style sheet to the document, and hides elements.
//
//go:embed script/styling.js
var styling string

// restyle adds the job's style to a visit, and hides what it hides. The page may undo it: it is done
// once before the waits and once after them. Each time what it starts to load is waited for.
func (p *page) restyle(ctx context.Context, l contract.Load) error {
	if p.kind != forVisit || l.Style == "" && len(l.Hide) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookTimeout, errBudget)
	defer cancel()
	before := p.progress.mark()
	var wrong *string
	argument := struct {
		Style string   `json:"style"`
		Hide  []string `json:"hide"`
	}{l.Style, append([]string{}, l.Hide...)}
	if _, err := p.run(ctx, styling, argument, &wrong); err != nil {
		return err
	}
	if wrong != nil {
		return notCSS(*wrong)
	}
	if p.progress.begunSince(before) == 0 {
		return nil
	}
	return p.awaitSettled(ctx, before)
}
