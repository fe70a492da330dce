package contract

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Errors of ParseURL, in the order in which it checks for them.
var (
	// ErrURLLength refuses a URL of more than MaxURL bytes.
	ErrURLLength = errors.New("is longer than 8,192 bytes")
	// ErrURLSyntax refuses text that is not a URL.
	ErrURLSyntax = errors.New("is not a URL")
	// ErrURLScheme refuses a scheme other than those asked for.
	ErrURLScheme = errors.New("has the wrong scheme")
	// ErrURLHost refuses a URL without a host.
	ErrURLHost = errors.New("has no host")
	// ErrURLPort refuses a port that is not 1 to 65535.
	ErrURLPort = errors.New("has a port that is not 1 to 65535")
	// ErrURLCredentials refuses a URL in the form user:password@host.
	ErrURLCredentials = errors.New("contains credentials")
)

// ParseURL parses an absolute URL that names a host, has one of the schemes, no port that
// cannot be, and contains no credentials. Every URL that a caller sends must have this form; package egress
// decides whether its host may be reached. With ErrURLCredentials it returns the URL too,
// because callers have more to check about it.
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
	case !validPort(u.Port()):
		return nil, ErrURLPort
	case u.User != nil:
		return u, ErrURLCredentials
	}
	return u, nil
}

// PortOf is the port of an http or https URL that ParseURL has accepted.
func PortOf(u *url.URL) uint16 {
	switch {
	case u.Port() != "":
		n, _ := strconv.ParseUint(u.Port(), 10, 16)
		return uint16(n)
	case u.Scheme == "http":
		return 80
	default:
		return 443
	}
}

// validPort reports whether a URL's port, "" for none, is one.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}
