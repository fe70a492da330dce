package edge

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/request"
	"platen.dev/events/testkit"
)

// typicalBody is an ordinary invoice of 12 KB with a handful of options.
func typicalBody() string {
	row := `<tr><td style=\"padding: 4px\">Maintenance &amp; support</td><td>12</td><td>1.234,56 €</td></tr>\n`
	return `{"html":"<h1>Invoice 4711</h1>\n<table>` + strings.Repeat(row, 120) + `</table>",` +
		`"options":{"format":"A4","landscape":false,"margin":{"top":"20mm","bottom":"20mm"},"print_background":true,"scale":1,` +
		`"display_header_footer":true,"footer_template":"<span class=\"pageNumber\"></span>","watermark":{"text":"DRAFT","rotation_degrees":-30}},` +
		`"webhook_url":"https://example.com/hooks/platen"}`
}

// BenchmarkDecode is the step from bytes to a typed request.
func BenchmarkDecode(b *testing.B) {
	op, _ := request.ByPath("/html-to-pdf")
	body := []byte(typicalBody())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, violations := op.Decode(request.Sent{Body: body}, nil); len(violations) > 0 {
			b.Fatal(violations)
		}
	}
}

// BenchmarkSubmit is the accept path of the edge: everything but the network and the log.
func BenchmarkSubmit(b *testing.B) {
	for name, headers := range map[string]map[string]string{"plain": nil, "idempotent": {"Idempotency-Key": "order-4711"}} {
		b.Run(name, func(b *testing.B) {
			cfg, d := fakeConfig(testkit.Silent())
			d.known = true
			s := New(cfg)
			body := []byte(typicalBody())
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var ctx fasthttp.RequestCtx
				ctx.Request.Header.SetMethod("POST")
				ctx.Request.SetRequestURI("/html-to-pdf")
				ctx.Request.Header.Set("X-API-Key", d.secret)
				for name, value := range headers {
					ctx.Request.Header.Set(name, value)
				}
				ctx.Request.SetBodyRaw(body)
				s.handle(&ctx)
				if ctx.Response.StatusCode() != 202 {
					b.Fatalf("got %d %s", ctx.Response.StatusCode(), ctx.Response.Body())
				}
				d.commands = d.commands[:0]
			}
		})
	}
}
