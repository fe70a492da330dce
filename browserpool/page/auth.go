package page

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// Auth holds the credentials that a page asks for before it shows itself (docs/API.md, Auth).
// They are sent to the origin of the job's URL (scheme, host and port) and to no other
// origin, wherever redirects lead and whatever the page embeds.
type Auth struct {
	// Type is basic or bearer; empty means that nothing is sent.
	Type string
	// Value is name:password for basic, the token for bearer.
	Value string
}

func (a Auth) validate() error {
	switch {
	case a.Type != "" && a.Type != "basic" && a.Type != "bearer":
		return fmt.Errorf("%w: auth type %q", ErrOptions, a.Type)
	case a.Type == "basic" && !strings.Contains(a.Value, ":"):
		return fmt.Errorf("%w: auth value is not name:password", ErrOptions)
	case a.Type == "bearer" && !isToken(a.Value):
		return fmt.Errorf("%w: auth value is not a token", ErrOptions)
	}
	return nil
}

// isToken reports whether a text may stand in a header as it is.
func isToken(text string) bool {
	notVisibleASCII := func(r rune) bool { return r <= ' ' || r > '~' }
	return text != "" && strings.IndexFunc(text, notVisibleASCII) < 0
}

// header is the value of the Authorization header.
func (a Auth) header() string {
	if a.Type == "basic" {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.Value))
	}
	return "Bearer " + a.Value
}
