package page

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"platen.dev/events/contract"
)

// milliseconds is a duration of n milliseconds.
func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func validateLoad(l contract.Load) error {
	switch {
	case l.Timeout < 0 || milliseconds(l.Timeout) > contract.MaxLoadTimeout:
		return fmt.Errorf("%w: load timeout %d ms is not within %v", ErrOptions, l.Timeout, contract.MaxLoadTimeout)
	case l.WaitAfter < 0 || milliseconds(l.WaitAfter) > contract.MaxWaitAfter:
		return fmt.Errorf("%w: wait after load %d ms is not within %v", ErrOptions, l.WaitAfter, contract.MaxWaitAfter)
	}
	if l.Media != "" && !slices.Contains(contract.MediaTypes(), l.Media) {
		return fmt.Errorf("%w: media %q", ErrOptions, l.Media)
	}
	switch {
	case utf8.RuneCountInString(l.WaitForFunction) > contract.MaxFunction, len(l.Style) > contract.MaxStyle, len(l.Hide) > contract.MaxHidden:
		return fmt.Errorf("%w: a function, a style or selectors beyond their limits", ErrOptions)
	case l.ColorScheme != "" && !slices.Contains(contract.ColorSchemes(), l.ColorScheme):
		return fmt.Errorf("%w: color scheme %q", ErrOptions, l.ColorScheme)
	}
	switch l.WaitUntil {
	case "", contract.UntilCommit, contract.UntilDOM, contract.UntilLoad, contract.UntilIdle:
		return nil
	default:
		return fmt.Errorf("%w: wait until %q", ErrOptions, l.WaitUntil)
	}
}

// document is the common part of prints and captures: the content, how to load it, and the view in which it is shown.
type document struct {
	html, url string
	full      bool
	assets    []contract.Asset
	site      *site // of a full document, nil for others
	access    Access
	load      contract.Load
	limits    Limits
	media     string // the CSS medium: print or screen
	viewport  Size
	scale     float64 // device pixels per CSS pixel
	// menders are the scripts that its HTML needs.
	menders []string
	// below is the height of the part of a visit, in pixels from its top, that is brought into view after loading; 0 for nothing.
	below int
}

// resolve makes the site of a full document, or refuses the job with ErrOptions.
func (d document) resolve() (document, error) {
	err := d.validate()
	d.menders = menders(d.html, d.full)
	if d.full && err == nil {
		d.site, d.html, d.url = newSite(d.html, d.assets), "", siteURL
	}
	return d, err
}

// isSeenBelowFold reports whether more of a visit is brought into view than the window of the job shows.
func (d document) isSeenBelowFold() bool { return d.below > d.viewport.Height }

func (d document) validate() error {
	if err := errors.Join(validateLoad(d.load), d.limits.validate()); err != nil {
		return err
	}
	if !d.full && len(d.assets) > 0 {
		return fmt.Errorf("%w: assets of HTML that is sanitised", ErrOptions)
	}
	if d.url == "" {
		return nil
	}
	if d.html != "" {
		return fmt.Errorf("%w: both HTML and URL", ErrOptions)
	}
	// Other schemes would bypass the egress proxy: a browser under control of DevTools opens local files too.
	if _, err := contract.ParsePageURL(d.url); err != nil {
		return fmt.Errorf("%w: URL %w", ErrOptions, err)
	}
	return d.access.validate()
}
