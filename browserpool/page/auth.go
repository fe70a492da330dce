package page

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"platen.dev/events/contract"
)

// Auth holds the credentials for a page by URL (docs/API.md, Auth). They are sent only to the origin of the job's URL
// (scheme, host and port), wherever redirects lead and whatever the page embeds.
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
		return Because(fmt.Errorf("%w: auth value is not a token", ErrOptions), "The bearer token has spaces, or characters outside ASCII.")
	}
	return nil
}

// isToken reports whether a text may stand in a header as it is.
func isToken(text string) bool {
	notVisibleASCII := func(r rune) bool { return r <= ' ' || r > '~' }
	return text != "" && strings.IndexFunc(text, notVisibleASCII) < 0
}

// Access holds the credentials, headers and cookies for a page by URL.
type Access struct {
	Auth Auth
	// Headers are sent to the origin of the URL, as Auth is, and replace headers of the same name. A request with its own Authorization keeps it.
	Headers []contract.Header
	// Cookies are set before the browser requests anything; it sends them according to their domain and path.
	Cookies []contract.Cookie
}

func (a Access) validate() error {
	if len(a.Headers) > contract.MaxHeaders || len(a.Cookies) > contract.MaxCookies {
		return fmt.Errorf("%w: too many headers or cookies", ErrOptions)
	}
	for _, h := range a.Headers {
		if err := contract.CheckHeader(h); err != nil {
			return fmt.Errorf("%w: header %w", ErrOptions, err)
		}
	}
	for _, c := range a.Cookies {
		if err := contract.CheckCookie(c); err != nil {
			return fmt.Errorf("%w: cookie %w", ErrOptions, err)
		}
	}
	return a.Auth.validate()
}

// any reports whether the page is requested with any of these.
func (a Access) any() bool { return len(a.added())+len(a.Cookies) > 0 }

// added returns the headers to add to requests to the URL's origin.
func (a Access) added() []contract.Header {
	if a.Auth.Type == "" {
		return a.Headers
	}
	return append(slices.Clone(a.Headers), contract.Header{Name: "Authorization", Value: a.Auth.header()})
}

// header is the value of the Authorization header.
func (a Auth) header() string {
	if a.Type == "basic" {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.Value))
	}
	return "Bearer " + a.Value
}
