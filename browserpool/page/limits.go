package page

import (
	"cmp"
	"fmt"
)

// The limits of a document whose job sets none.
const (
	defaultMaxPages         = 5_000
	defaultMaxNodes         = 1_000_000
	defaultMaxPicturePixels = 100_000_000
	defaultMaxPixels        = 1_000_000_000
)

// Limits bound what a document may ask of the browser. A job whose document is beyond
// one of them ends with ErrTooLarge before the browser does the work. Zero fields mean
// the defaults.
type Limits struct {
	// Pages is the most pages that a PDF may have, by default 5,000.
	Pages int
	// Nodes is the most nodes that the page of a URL may hold, by default 1,000,000;
	// nodes that it keeps without showing them count too.
	Nodes int
	// PicturePixels is the most pixels that one picture in the main document may have
	// when it is decoded, by default 100 million.
	PicturePixels int64
	// Pixels is the most that all of those pictures may have together, by default 1,000 million.
	Pixels int64
}

func (l Limits) withDefaults() Limits {
	l.Pages = cmp.Or(l.Pages, defaultMaxPages)
	l.Nodes = cmp.Or(l.Nodes, defaultMaxNodes)
	l.PicturePixels = cmp.Or(l.PicturePixels, defaultMaxPicturePixels)
	l.Pixels = cmp.Or(l.Pixels, defaultMaxPixels)
	return l
}

func (l Limits) validate() error {
	if l.Pages < 0 || l.Nodes < 0 || l.PicturePixels < 0 || l.Pixels < 0 {
		return fmt.Errorf("%w: a limit is negative", ErrOptions)
	}
	return nil
}

// exceeded names the limit that a document is beyond.
func exceeded(limit int64, what string) error {
	return Because(fmt.Errorf("%w: more than %d %s", ErrTooLarge, limit, what), "The document has more than %d %s.", limit, what)
}
