package match

import (
	"fmt"

	"platen.dev/document/markup"
)

// String is one sentence that may be shown.
func (f Finding) String() string {
	if f.State == Contradicted {
		return fmt.Sprintf("%s: the XML has %q, and the page shows %q in its place.", f.Name, markup.Excerpt(f.Value), markup.Excerpt(f.Shown))
	}
	return fmt.Sprintf("%s: the XML has %q, and no page shows it.", f.Name, markup.Excerpt(f.Value))
}
