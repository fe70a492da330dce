package edge

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"platen.dev/events/contract"
)

// ErrBlocked is returned by Config.Resolve for a host with an address that is not allowed.
var ErrBlocked = errors.New("address is not allowed")

// resolveTimeout bounds the resolution of a page's host.
const resolveTimeout = 5 * time.Second

// checkPage checks the form of a page's URL, and that its host is public (docs/API.md, Submitting). The browser's proxy
// checks every connection again, and its port. A name that resolves to an internal address gets the same refusal as one
// that does not exist: the response must not reveal internal names.
func (s *submissions) checkPage(address string) *problem {
	host, wrong := pageHost(address)
	if wrong != "" {
		return invalidURL.with("invalid-url: " + wrong)
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	err := s.cfg.Resolve(ctx, host)
	switch {
	case errors.Is(err, ErrBlocked) && saysWhere(host):
		return ssrfBlocked
	case err != nil:
		return invalidURL.with("invalid-url: the host " + clip(host) + " cannot be resolved to an address that pages may be loaded from.")
	}
	return nil
}

// saysWhere reports whether a host is an IP address or localhost. Refusing these reveals nothing about the internal network.
func saysWhere(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}

// pageHost returns the host of a page's URL, or a sentence that says what is wrong with it.
func pageHost(address string) (host, wrong string) {
	u, err := contract.ParsePageURL(address)
	if err != nil {
		return "", pageFault(err)
	}
	if addr, err := netip.ParseAddr(u.Hostname()); err == nil && addr.Zone() == "" {
		return u.Hostname(), ""
	}
	host, err = idna.Lookup.ToASCII(u.Hostname())
	if err != nil || !utf8.ValidString(u.Hostname()) || numeric(host) || strings.ContainsAny(host, ":%") {
		return "", "the host " + clip(u.Hostname()) + " is not a name or an ordinary address."
	}
	if !resolvable(host) {
		return "", "the host " + clip(u.Hostname()) + " is longer than a name can be: 253 bytes, and 63 between dots."
	}
	return host, ""
}

// resolvable reports whether a name is within the length limits of DNS (RFC 1035, section 2.3.4). Resolvers disagree about longer ones.
func resolvable(host string) bool {
	name := strings.TrimSuffix(host, ".")
	return len(name) <= 253 && !slices.ContainsFunc(strings.Split(name, "."), func(label string) bool { return len(label) > 63 })
}

// pageFault explains an error of contract.ParsePageURL to the caller.
func pageFault(err error) string {
	switch {
	case errors.Is(err, contract.ErrURLLength):
		return "url may have 8,192 bytes."
	case errors.Is(err, contract.ErrURLScheme):
		return "url must begin with http:// or https://."
	case errors.Is(err, contract.ErrURLHost):
		return "url has no host."
	case errors.Is(err, contract.ErrURLPort):
		return "url " + contract.ErrURLPort.Error() + "."
	case errors.Is(err, contract.ErrURLCredentials):
		return "url must not contain credentials; send them as auth."
	}
	return "url is not a URL."
}

// numeric reports whether browsers would read a host as an IPv4 address although it is
// not written in the ordinary notation: 127.1, 0x7f.1, 2130706433.
func numeric(host string) bool {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(labels[len(labels)-1])
	if rest, hex := strings.CutPrefix(last, "0x"); hex {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// clip shortens a caller's text for a response.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}
