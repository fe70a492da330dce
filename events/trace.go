package events

import "encoding/hex"

// Trace is a place in a trace, as W3C Trace Context defines it: the trace, and the parent span. It is
// zero for none.
type Trace struct {
	ID   TraceID `cbor:"1,keyasint"`
	Span SpanID  `cbor:"2,keyasint"`
	// Sampled says that the initiator of the trace records it.
	Sampled bool `cbor:"3,keyasint,omitempty"`
}

// TraceID identifies a trace, SpanID a span of one. Neither reveals anything about the traced work.
type (
	TraceID [16]byte
	SpanID  [8]byte
)

// String returns lower-case hexadecimal digits.
func (id TraceID) String() string { return hex.EncodeToString(id[:]) }

// String returns lower-case hexadecimal digits.
func (id SpanID) String() string { return hex.EncodeToString(id[:]) }

// IsZero reports whether there is no trace.
func (t Trace) IsZero() bool { return t == Trace{} }

// The form of a traceparent: version, trace, span and flags, with dashes between them.
const (
	traceparentLength = 55
	traceAt           = 3
	spanAt            = 36
	flagsAt           = 53
	sampledFlag       = 1
)

// ParseTraceparent reads the value of a traceparent header. It returns false for values that the
// standard says to ignore: malformed ones, ids of zeros, the version ff. Of a version after 00, it
// reads the parts that are sure to be present.
func ParseTraceparent(text []byte) (t Trace, ok bool) {
	if len(text) < traceparentLength || text[traceAt-1] != '-' || text[spanAt-1] != '-' || text[flagsAt-1] != '-' {
		return Trace{}, false
	}
	var version, flags [1]byte
	if !digits(version[:], text[:2]) || !digits(t.ID[:], text[traceAt:]) || !digits(t.Span[:], text[spanAt:]) || !digits(flags[:], text[flagsAt:]) {
		return Trace{}, false
	}
	if more := text[traceparentLength:]; len(more) > 0 && (version[0] == 0 || more[0] != '-') {
		return Trace{}, false
	}
	if version[0] == 0xff || t.ID == (TraceID{}) || t.Span == (SpanID{}) {
		return Trace{}, false
	}
	t.Sampled = flags[0]&sampledFlag != 0
	return t, true
}

// Traceparent returns the value of a traceparent header, of the version 00.
func (t Trace) Traceparent() string {
	flags := "00"
	if t.Sampled {
		flags = "01"
	}
	return "00-" + t.ID.String() + "-" + t.Span.String() + "-" + flags
}

// digits fills b from the lower-case hexadecimal digits of text, which has enough.
func digits(b, text []byte) bool {
	for i := range b {
		high, low := digit(text[2*i]), digit(text[2*i+1])
		if high > 15 || low > 15 {
			return false
		}
		b[i] = high<<4 | low
	}
	return true
}

// digit returns the value of a lower-case hexadecimal digit, more than 15 for anything else.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 0xff
}
