package contract

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // callers name time zones, even if the machine lacks them

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/language"
)

// This file has the headers, cookies and settings of a page by URL.

// Limits of the headers and cookies of a page by URL.
const (
	MaxHeaders = 20
	// MaxHeaderName is in characters, MaxHeaderValue in bytes.
	MaxHeaderName  = 200
	MaxHeaderValue = 4 << 10
	MaxCookies     = 50
	// MaxCookie is the maximum total length in bytes of a cookie's name and value: browsers accept no more.
	MaxCookie = 4 << 10
	// MaxCookiePath is the longest path of a cookie in bytes, percent-encoded as browsers keep it.
	MaxCookiePath = 1 << 10
)

// Header is a header of requests.
type Header struct{ Name, Value string }

// Cookie is a cookie with which a page is requested.
type Cookie struct {
	Name, Value string
	// Domain is a host with all hosts below it; empty means the host of the URL alone.
	Domain string `json:",omitempty"`
	// Path is the prefix of the paths that get the cookie; empty means all.
	Path     string `json:",omitempty"`
	Secure   bool   `json:",omitempty"`
	HTTPOnly bool   `json:",omitempty"`
	// SameSite is one of SameSites; empty means the browser's default.
	SameSite string `json:",omitempty"`
}

// SameSites returns the values of same_site.
func SameSites() []string { return []string{"strict", "lax", "none"} }

// refusedHeaders are those that belong to one connection, and those that the browser must write itself.
var refusedHeaders = []string{
	"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", // RFC 9110, section 7.6.1
	"host", "content-length", "expect", "cookie", "cookie2", "set-cookie", "origin",
}

// CheckHeader returns what is wrong with a header: it cannot be encoded, or is not allowed. The error continues a sentence that begins with "header".
func CheckHeader(h Header) error {
	name := strings.ToLower(h.Name)
	switch {
	case !httpguts.ValidHeaderFieldName(h.Name):
		return errors.New("names consist of letters, digits and some marks, without spaces and colons")
	case name == "cookie":
		return errors.New("Cookie is refused: use cookies")
	case slices.Contains(refusedHeaders, name) || strings.HasPrefix(name, "proxy-") || strings.HasPrefix(name, "sec-"):
		return fmt.Errorf("%s is refused: the browser writes it itself", h.Name)
	case len(h.Value) > MaxHeaderValue:
		return fmt.Errorf("values may have %d bytes", MaxHeaderValue)
	case !httpguts.ValidHeaderFieldValue(h.Value) || strings.TrimSpace(h.Value) != h.Value:
		return errors.New("values must not contain control characters, nor spaces at their ends")
	}
	return nil
}

// CheckCookie returns what is wrong with a cookie, regardless of the page, by the rules of browsers (RFC 6265 bis, section 5.7). The error continues
// a sentence that begins with "cookie".
func CheckCookie(c Cookie) error {
	switch {
	case !httpguts.ValidHeaderFieldName(c.Name):
		return errors.New("names consist of letters, digits and some marks, without spaces, = and ;")
	case len(c.Name)+len(c.Value) > MaxCookie:
		return fmt.Errorf("name and value may have %d bytes together", MaxCookie)
	case !httpguts.ValidHeaderFieldValue(c.Value) || strings.ContainsAny(c.Value, ";\t") || strings.TrimSpace(c.Value) != c.Value:
		return errors.New("values must not contain control characters and ;, nor spaces at their ends")
	case c.Path != "" && (c.Path[0] != '/' || encodedLen(c.Path) > MaxCookiePath || !httpguts.ValidHeaderFieldValue(c.Path) || strings.ContainsAny(c.Path, ";\t")):
		return fmt.Errorf("paths begin with / and have up to %d bytes in percent-encoding, without control characters and ;", MaxCookiePath)
	case strings.HasSuffix(c.Path, " "):
		return errors.New("paths must not end with a space")
	case c.SameSite == "none" && !c.Secure:
		return errors.New("with same_site none must be secure")
	}
	return checkPrefix(c)
}

// encodedLen is the length of a path that has been percent-encoded. It is rather too long than too short: browsers differ in the marks that they encode.
func encodedLen(path string) (n int) {
	for i := range len(path) {
		if c := path[i]; c <= ' ' || c > '~' || strings.IndexByte("\"#<>?`{}[]^|", c) >= 0 {
			n += 2
		}
		n++
	}
	return n
}

// checkPrefix enforces the promise of a cookie's name prefix.
func checkPrefix(c Cookie) error {
	name := strings.ToLower(c.Name)
	switch {
	case strings.HasPrefix(name, "__secure-") && !c.Secure:
		return errors.New("names that begin with __Secure- are of secure cookies")
	case (strings.HasPrefix(name, "__http-") || strings.HasPrefix(name, "__host-http-")) && !(c.Secure && c.HTTPOnly):
		return errors.New("names that begin with __Http- or __Host-Http- are of cookies that are secure and http_only")
	case strings.HasPrefix(name, "__host-") && (!c.Secure || c.Domain != "" || c.Path != "" && c.Path != "/"):
		return errors.New("names that begin with __Host- are of secure cookies without domain and with the path /")
	}
	return nil
}

// CheckCookieFor returns what is wrong with a cookie for a page at a URL: its domain must be the page's host or a parent of it, and not one under
// which anybody can register names. The error continues a sentence that begins with "cookie".
func CheckCookieFor(c Cookie, page *url.URL) error {
	domain, host := strings.ToLower(strings.TrimPrefix(c.Domain, ".")), strings.ToLower(page.Hostname())
	switch suffix, _ := publicsuffix.PublicSuffix(domain); {
	case c.Domain == "" || domain == host:
		return nil
	case !strings.HasSuffix(host, "."+domain):
		return fmt.Errorf("domain %q must be the host of url, or one that it is below", c.Domain)
	case suffix == domain:
		return fmt.Errorf("domain %q is a public suffix", c.Domain)
	}
	return nil
}

// DefaultLocale is the locale of a page that has none given.
const DefaultLocale = "en-US"

// ParseLocale reads a BCP 47 language tag: a language, and a script and region if they matter. It returns the canonical form.
func ParseLocale(text string) (string, error) {
	tag, err := language.Parse(text)
	if err != nil || strings.Contains(text, "_") || tag.IsRoot() || len(tag.Extensions()) > 0 {
		return "", errors.New("must be a language tag such as de, de-AT or zh-Hant-TW")
	}
	return tag.String(), nil
}

// CheckTimeZone returns what is wrong with the name of a time zone.
func CheckTimeZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return errors.New("must be a name of the IANA time zone database such as Europe/Berlin")
	}
	return nil
}
