package outbound

import (
	"net/http"

	"platen.dev/events"
)

// Trace adds the trace headers to a request, unless it is not traced. The client's tracestate is not
// passed on: it may not be meant for others.
func Trace(in http.Header, t events.Trace) {
	if !t.IsZero() {
		in.Set("Traceparent", t.Traceparent())
	}
}
