package doctor

import (
	"context"
	"time"
)

// Specimen is a page with the main scripts that a node must be able to print.
const Specimen = `<!doctype html><meta charset=utf-8><title>Specimen</title>
<p>Latin: Zwölf Boxkämpfer. Ελληνικά. Русский. العربية. עברית. 中文. 日本語. 한국어. हिन्दी. ไทย. 🙂</p>`

// Browser checks that the browser starts, as the node starts it, and prints. prints prints Specimen and returns the number of sheets.
func Browser(prints func(context.Context) (sheets int, err error)) Check {
	return Check{"browser", func(ctx context.Context) []Finding {
		began := time.Now()
		sheets, err := prints(ctx)
		switch {
		case err != nil:
			return []Finding{fail("mend what the error names; the findings about the kernel may say why (docs/SECURITY.md)", "the browser does not print: %s", err)}
		case sheets != 1:
			return []Finding{fail("install Debian's chromium-headless-shell", "the browser prints %d sheets instead of one", sheets)}
		}
		return []Finding{ok("starts and prints, in %s", time.Since(began).Round(10*time.Millisecond))}
	}}
}
