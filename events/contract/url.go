package contract

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
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

// ParseURL parses an absolute URL that names a host, has one of the schemes, a valid port if any, and no
// credentials. Every URL that a caller sends must have this form; package egress decides whether its host
// may be reached. With ErrURLCredentials it returns the URL too, because callers check more of it.
func ParseURL(text string, schemes ...string) (*url.URL, error) {
	if len(text) > MaxURL {
		return nil, ErrURLLength
	}
	return parseURL(text, schemes...)
}

func parseURL(text string, schemes ...string) (*url.URL, error) {
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

// ParsePageURL parses the URL of a page, http or https, as ParseURL does. As in a browser, a percent
// sign that begins no escape is an ordinary character; it is escaped in the result.
func ParsePageURL(text string) (*url.URL, error) {
	if len(text) > MaxURL {
		return nil, ErrURLLength
	}
	return parseURL(escapePercent(text), "http", "https")
}

// escapePercent escapes the percent signs after a URL's host that begin no escape.
func escapePercent(text string) string {
	var b strings.Builder
	host := strings.Index(text, "://") + len("://")
	path := host + strings.IndexAny(text[min(host, len(text)):]+"/", "/?#")
	b.WriteString(text[:min(path, len(text))])
	for i := path; i < len(text); i++ {
		b.WriteByte(text[i])
		if text[i] == '%' && (i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2])) {
			b.WriteString("25")
		}
	}
	return b.String()
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// PortOf returns the port of an http or https URL that ParseURL has accepted.
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

// validPort reports whether a URL's port is valid or "".
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}
