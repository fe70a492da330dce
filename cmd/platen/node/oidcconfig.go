package node

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"platen.dev/edge/dashboard/sso"
	"platen.dev/events/contract"
	"platen.dev/events/tlsfile"
)

// OIDCConfig is the section [oidc]: where members may sign in other than with a password.
type OIDCConfig struct {
	// Issuer is the URL of an OpenID provider; empty for none.
	Issuer string `toml:"issuer"`
	// ClientID and ClientSecret are the credentials by which the provider knows Platen.
	ClientID     string `toml:"client_id"`
	ClientSecret string `toml:"client_secret"`
	// Name is the provider's name as members see it; empty means the issuer's host.
	Name string `toml:"name"`
	// CAFile has certificates (PEM) of the authorities to trust instead of the system's.
	CAFile string `toml:"ca_file"`
}

func (c OIDCConfig) validate() error {
	if c.Issuer == "" {
		return check(c == OIDCConfig{}, "oidc.issuer: the section [oidc] needs one")
	}
	u, err := url.Parse(c.Issuer)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Hostname() == "" || u.Scheme != "https" && (u.Scheme != "http" || !contract.IsLoopback(u.Hostname())) {
		return errors.New("oidc.issuer: must be an https URL without credentials and query, as the provider's tokens name it")
	}
	return errors.Join(
		check(c.ClientID != "" && c.ClientSecret != "", "oidc.client_id, oidc.client_secret: both are needed"),
		check(c.CAFile == "" || u.Scheme == "https", "oidc.ca_file: needs an https issuer"),
	)
}

// provider returns where members sign in; nil if none is configured.
func (c OIDCConfig) provider() (*sso.Provider, error) {
	if c.Issuer == "" {
		return nil, nil
	}
	trusted, err := tlsfile.Client{CA: c.CAFile}.Config()
	if err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	_, host, _ := strings.Cut(c.Issuer, "://")
	host, _, _ = strings.Cut(host, "/")
	return sso.New(sso.Config{Issuer: c.Issuer, ClientID: c.ClientID, ClientSecret: c.ClientSecret, Name: cmp.Or(c.Name, host), TLS: trusted}), nil
}
