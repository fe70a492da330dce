package page

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"platen.dev/events/contract"
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

// Access holds the credentials, headers and cookies for a page by URL.
type Access struct {
	Auth Auth
	// Headers are sent to the origin of the URL as Auth is, in place of those of the same name. A request that has an Authorization
	// of its own keeps it.
	Headers []contract.Header
	// Cookies are in the browser before it asks for anything; it sends them where their domain and path say.
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

// any reports whether the page is asked for with anything at all.
func (a Access) any() bool { return len(a.added())+len(a.Cookies) > 0 }

// added are the headers that requests to the origin of the URL get.
func (a Access) added() []contract.Header {
	if a.Auth.Type == "" {
		return a.Headers
	}
	return append(slices.Clone(a.Headers), contract.Header{Name: "Authorization", Value: a.Auth.header()})
}

// shortestSecret is from how many bytes on a value is taken out of sentences: shorter ones are words of any text.
const shortestSecret = 6

// censor takes what the page was asked for with out of an error's sentence: a page may say what it was told.
func (a Access) censor(err error) error {
	sentence, secrets := Reason(err), []string{a.Auth.Value}
	for _, h := range a.Headers {
		secrets = append(secrets, h.Value)
	}
	for _, c := range a.Cookies {
		secrets = append(secrets, c.Value)
	}
	censored := sentence
	for _, secret := range secrets {
		if len(secret) >= shortestSecret {
			censored = strings.ReplaceAll(censored, secret, "…")
		}
	}
	if censored == sentence {
		return err
	}
	return Because(err, "%s", censored)
}

// header is the value of the Authorization header.
func (a Auth) header() string {
	if a.Type == "basic" {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(a.Value))
	}
	return "Bearer " + a.Value
}
