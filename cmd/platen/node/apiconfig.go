package node

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"platen.dev/actors/webhook"
	"platen.dev/edge/transport"
	"platen.dev/events/contract"
)

// APIConfig is where the node is reached, and what it says about itself.
type APIConfig struct {
	// Listen is the API's host:port; port 0 picks one.
	Listen string `toml:"listen"`
	// Ops is where operators read /metrics, /healthz and /readyz, and have their pages, host:port; empty means on the API's port, where /metrics answers
	// only this machine.
	Ops string `toml:"ops"`
	// Gotenberg serves programs written for Gotenberg.
	Gotenberg GotenbergConfig `toml:"gotenberg"`
	// TLS encrypts the API's connections.
	TLS TLSConfig `toml:"tls"`
	// Connections limits the API's connections.
	Connections ConnectionsConfig `toml:"connections"`
	// DocsURL is the page that error bodies point into.
	DocsURL string `toml:"docs_url"`
	// UpgradeURL is where a caller changes the plan; errors of plan gates name it.
	UpgradeURL string `toml:"upgrade_url"`
	// PublicURL is where clients reach the API, without a trailing slash; webhooks link to files by it. Empty means http:// or, with TLS, https://, and
	// the address that the node listens on.
	PublicURL string `toml:"public_url"`
	// WebhookPrefix is the name prefix of the webhooks' older headers; empty means X-Platen.
	WebhookPrefix string `toml:"webhook_prefix"`
}

// GotenbergConfig is the section [gotenberg].
type GotenbergConfig struct {
	// Listen is host:port where Gotenberg's Chromium routes are served; empty for nowhere.
	Listen string `toml:"listen"`
	// KeyFile holds the API key for requests without one.
	KeyFile string `toml:"key_file"`
}

// key reads the API key for requests without one; "" without a file.
func (c GotenbergConfig) key() (string, error) {
	if c.KeyFile == "" {
		return "", nil
	}
	text, err := os.ReadFile(c.KeyFile)
	if err != nil {
		return "", fmt.Errorf("gotenberg.key_file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// TLSConfig is the section [tls].
type TLSConfig struct {
	// CertFile has the certificate and its chain (PEM), KeyFile its key. Empty means plain HTTP. They are read again when they change.
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
}

// ConnectionsConfig is the section [connections]. Zero means no limit.
type ConnectionsConfig struct {
	// Most is the maximum number in total.
	Most int `toml:"most"`
	// PerAddress is the maximum number per IPv4 address, or per IPv6 network of 64 bits. Loopback addresses are exempt.
	PerAddress int `toml:"per_address"`
	// TrustedProxies are address ranges of proxies, which have no limit per address.
	TrustedProxies []netip.Prefix `toml:"trusted_proxies"`
}

func (c APIConfig) validate() error {
	return errors.Join(
		checkAddress("listen", c.Listen),
		check(c.Ops == "" || checkAddress("ops", c.Ops) == nil, "ops: must be host:port, not %q", c.Ops),
		check(c.Gotenberg.Listen == "" || checkAddress("gotenberg.listen", c.Gotenberg.Listen) == nil, "gotenberg.listen: must be host:port, not %q", c.Gotenberg.Listen),
		check((c.TLS.CertFile == "") == (c.TLS.KeyFile == ""), "tls.cert_file, tls.key_file: one needs the other"),
		check(c.Connections.Most >= 0 && c.Connections.PerAddress >= 0, "connections.most, connections.per_address: must not be negative"),
		checkDocsURL(c.DocsURL), checkUpgradeURL(c.UpgradeURL), checkPublicURL(c.PublicURL), webhook.CheckPrefix(c.headerPrefix()),
	)
}

// checkDocsURL checks the address of a page to which the names of errors are added as fragments.
func checkDocsURL(text string) error {
	_, err := contract.ParseURL(text, "http", "https")
	if err == nil && strings.Contains(text, "#") {
		err = errors.New("must end without a fragment")
	}
	if err != nil {
		return fmt.Errorf("docs_url: %q %w", text, err)
	}
	return nil
}

// checkUpgradeURL checks the address of a page; "" is none.
func checkUpgradeURL(text string) error {
	if text == "" {
		return nil
	}
	if _, err := contract.ParseURL(text, "http", "https"); err != nil {
		return fmt.Errorf("upgrade_url: %q %w", text, err)
	}
	return nil
}

func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := contract.ParseURL(text, "http", "https")
	if err == nil && (u.RawQuery != "" || u.Fragment != "" || strings.HasSuffix(text, "/")) {
		err = errors.New("must end without a slash, a query or a fragment")
	}
	if err != nil {
		return fmt.Errorf("public_url: %q %w", text, err)
	}
	return nil
}

// scheme returns the scheme of the API's URL.
func (c APIConfig) scheme() string {
	if c.TLS.CertFile != "" {
		return "https://"
	}
	return "http://"
}

func (c APIConfig) headerPrefix() string { return cmp.Or(c.WebhookPrefix, webhook.DefaultPrefix) }

func (c ConnectionsConfig) limits() transport.Connections {
	return transport.Connections{Most: c.Most, PerAddress: c.PerAddress, Trusted: c.TrustedProxies}
}
