package edge

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ErrBlocked is what Config.Resolve answers for an address that is refused.
var ErrBlocked = errors.New("address is not allowed")

// resolveLimit bounds the resolving of a page's host.
const resolveLimit = 5 * time.Second

// checkPage checks the address of a page: form, and that its host is public
// (decisions.md, Submitting). The browser's proxy checks again on every connection.
func (s *Server) checkPage(address string) *problem {
	host, wrong := pageHost(address)
	if wrong != "" {
		p := invalidURL.with("invalid-url: " + wrong)
		return &p
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveLimit)
	defer cancel()
	err := s.cfg.Resolve(ctx, host)
	switch {
	case errors.Is(err, ErrBlocked):
		return &ssrfBlocked
	case err != nil:
		p := invalidURL.with("invalid-url: the host " + clip(host) + " cannot be resolved.")
		return &p
	}
	return nil
}

// pageHost gives the host of a page's address, or says what is wrong with it.
func pageHost(address string) (host, wrong string) {
	if len(address) > maxURL {
		return "", "url may have 8,192 bytes."
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || !utf8.ValidString(address):
		return "", "url is not a URL."
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "url must begin with http:// or https://."
	case u.Hostname() == "":
		return "", "url has no host."
	case u.User != nil:
		return "", "url must not contain credentials; send them as auth."
	}
	host, err = idna.Lookup.ToASCII(u.Hostname())
	if addr, notLiteral := netip.ParseAddr(u.Hostname()); notLiteral == nil && addr.Zone() == "" {
		return u.Hostname(), ""
	}
	if err != nil || numeric(host) || strings.ContainsAny(host, ":%") {
		return "", "the host " + clip(u.Hostname()) + " is not a name or an ordinary address."
	}
	return host, ""
}

// numeric tells whether browsers would read a host as an IPv4 address though it is
// none in the ordinary notation: 127.1, 0x7f.1, 2130706433.
func numeric(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(labels[len(labels)-1])
	if rest, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// clip keeps what a caller sent short in an answer.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}
