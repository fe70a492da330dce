package page

import (
	"context"
	_ "embed"
	"regexp"
)

// This file mends documents that were made for other programs, before anything is measured.

var (
	// indenting gives room to first lines that hang out of the page.
	//go:embed script/indenting.js
	indenting string
	// transcribing writes what fonts of symbols would show as characters of Unicode.
	//go:embed script/transcribing.js
	transcribing string
)

var (
	// symbolFont matches where a font of symbols is named, in a style or in <font face>.
	symbolFont = regexp.MustCompile(`(?i)\b(?:font(?:-family)?\s*:|face\s*=)(?:[^;{}<>]|&#3[49];){0,200}?\b(?:wingdings|symbol)\b`)
	// hangingLine matches a first line that begins before the others, in sanitised HTML.
	hangingLine = regexp.MustCompile(`(?i)text-indent:\s*-`)
)

// menders returns the scripts that HTML needs: to run script in a document that needs none takes a few milliseconds. Style sheets of full documents keep room
// for what hangs; our own sheets are not asked.
func menders(html string, full bool) (all []string) {
	content := html
	if !full {
		content = afterSheets(html)
	}
	if !full && mentions(content, "text-indent") && hangingLine.MatchString(content) {
		all = append(all, optional(indenting))
	}
	if (mentions(content, "wingdings") || mentions(content, "symbol")) && symbolFont.MatchString(content) {
		all = append(all, optional(transcribing))
	}
	return all
}

// mend runs the scripts that a document needs.
func mend(ctx context.Context, p *page, d document) error {
	if len(d.menders) == 0 {
		return nil
	}
	_, err := p.run(ctx, inTurn(d.menders...), nil, nil)
	return err
}
