package dashboard

import (
	"testing"

	"github.com/valyala/fasthttp"
)

// Browsers write the host of an address in lower case, and leave out the usual port, however the operator has written them.
func TestSafeHosts(t *testing.T) {
	for url, host := range map[string]string{
		"https://pdf.example": "pdf.example", "https://PDF.example": "pdf.example", "https://pdf.example:443": "pdf.example", "HTTPS://pdf.example/platen": "pdf.example",
		"https://pdf.example:8443": "pdf.example:8443", "https://[2001:DB8::1]:443": "[2001:db8::1]",
	} {
		d := &site{cfg: Config{Place: Place{URL: url, ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return "192.0.2.1", false }}}}
		for asked, safe := range map[string]bool{host: true, "evil.example": false} {
			var ctx fasthttp.RequestCtx
			ctx.Request.Header.SetHost(asked)
			if d.safe(&ctx) != safe {
				t.Errorf("%s: a request to %s is safe: %t", url, asked, !safe)
			}
		}
	}
}
