package webhook

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Header is a header that an account has set for its webhooks.
type Header struct{ Name, Value string }

// maxHeader bounds the name and the value of a header together, in bytes.
const maxHeader = 4096

// own lists the headers that a webhook has anyway, or that concern the connection. Names are in
// lower case.
var own = []string{
	"connection", "content-encoding", "content-length", "content-type", "date", "expect", "host", "keep-alive", "proxy-authenticate",
	"proxy-authorization", "proxy-connection", "te", "traceparent", "trailer", "transfer-encoding", "upgrade", "user-agent",
	"webhook-id", "webhook-signature", "webhook-timestamp",
}

// errHeader means that a header cannot be set.
var errHeader = errors.New("cannot be set")

// CheckHeader returns why an account may not set a header. prefix is that of the older headers.
func CheckHeader(h Header, prefix string) error {
	name := strings.ToLower(h.Name)
	switch {
	case !httpguts.ValidHeaderFieldName(h.Name):
		return fmt.Errorf("%q %w: it is not the name of a header", h.Name, errHeader)
	case slices.Contains(own, name), strings.HasPrefix(name, strings.ToLower(prefix)+"-"):
		return fmt.Errorf("%s %w: Platen or the connection sets it", h.Name, errHeader)
	case h.Value == "" || !httpguts.ValidHeaderFieldValue(h.Value) || strings.TrimSpace(h.Value) != h.Value:
		return fmt.Errorf("%s %w: its value is empty, begins or ends with a space, or has a character that headers may not have", h.Name, errHeader)
	case len(h.Name)+len(h.Value) > maxHeader:
		return fmt.Errorf("%s %w: name and value are longer than %d bytes", h.Name, errHeader, maxHeader)
	}
	return nil
}

// CheckPrefix returns why a prefix cannot begin the names of headers.
func CheckPrefix(prefix string) error {
	if !httpguts.ValidHeaderFieldName(prefix) || strings.EqualFold(prefix, "webhook") || len(prefix) > 64 {
		return fmt.Errorf("webhook prefix %q: it must be the beginning of a header's name, such as %s, of at most 64 characters, and not webhook", prefix, DefaultPrefix)
	}
	return nil
}

func (h Header) set(in http.Header) { in[http.CanonicalHeaderKey(h.Name)] = []string{h.Value} }
