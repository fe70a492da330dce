package contract

import (
	"errors"
	"net/url"
	"slices"
	"unicode/utf8"
)

// Errors of ParseURL, in the order in which they are looked for.
var (
	// ErrURLLength refuses a URL of more than MaxURL bytes.
	ErrURLLength = errors.New("is longer than 8,192 bytes")
	// ErrURLSyntax refuses what is not a URL.
	ErrURLSyntax = errors.New("is not a URL")
	// ErrURLScheme refuses a scheme other than those asked for.
	ErrURLScheme = errors.New("has the wrong scheme")
	// ErrURLHost refuses a URL without a host.
	ErrURLHost = errors.New("has no host")
	// ErrURLCredentials refuses a URL in the form user:password@host.
	ErrURLCredentials = errors.New("contains credentials")
)

// ParseURL reads an absolute URL that names a host, carries no credentials and has one
// of the schemes: the form of every URL that a caller may send. Whether its host may be
// reached is for package egress to say. ErrURLCredentials comes with the URL, as there
// may be more to say about it.
func ParseURL(text string, schemes ...string) (*url.URL, error) {
	if len(text) > MaxURL {
		return nil, ErrURLLength
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || !utf8.ValidString(text):
		return nil, ErrURLSyntax
	case !slices.Contains(schemes, u.Scheme):
		return nil, ErrURLScheme
	case u.Hostname() == "":
		return nil, ErrURLHost
	case u.User != nil:
		return u, ErrURLCredentials
	}
	return u, nil
}
