package outbound

import (
	"net/http"

	"platen.dev/events"
)

// Trace says in the headers of a request where it belongs in a trace, unless it is not traced. What the
// client had in a tracestate is not handed on: it may be meant for nobody else.
func Trace(in http.Header, t events.Trace) {
	if !t.IsZero() {
		in.Set("Traceparent", t.Traceparent())
	}
}
