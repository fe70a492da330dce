// Package sso signs people in at an OpenID provider (OpenID Connect Core 1.0): the authorization code flow with PKCE
// (RFC 7636), a state and a nonce. It returns the proven identity, and knows no members.
package sso

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// Config configures the provider and this service's registration there.
type Config struct {
	// Issuer is the provider's URL, as its tokens name it.
	Issuer       string
	ClientID     string
	ClientSecret string
	// Name is the name by which members know the provider.
	Name string
	// TLS configures trust; nil for the system's authorities.
	TLS *tls.Config
}

// Bounds of the provider's responses: the time of one, the time in all, and the size in bytes.
const (
	responseTime = 10 * time.Second
	responseSize = 1 << 20
)

// Provider is an OpenID provider. It is asked for its addresses when it is first needed, and again if that fails: it may be
// down when a node starts.
type Provider struct {
	cfg    Config
	client *http.Client

	asking singleflight.Group
	found  atomic.Pointer[oidc.Provider]
}

// New returns a provider. It does not ask it anything.
func New(cfg Config) *Provider {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg.TLS
	return &Provider{cfg: cfg, client: &http.Client{Timeout: responseTime, Transport: bounded{transport}}}
}

// Name is the name by which members know the provider.
func (p *Provider) Name() string { return p.cfg.Name }

// Close ends idle connections to the provider.
func (p *Provider) Close() { p.client.CloseIdleConnections() }

// bounded limits the size of responses.
type bounded struct{ *http.Transport }

// RoundTrip sends a request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.Transport.RoundTrip(r)
	if err == nil {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(response.Body, responseSize), response.Body}
	}
	return response, err
}

// Attempt is an attempt to sign in. The browser brings State back; the rest it must not change.
type Attempt struct{ State, Nonce, Verifier string }

// Begin starts an attempt: send the browser to the address, and it returns to redirect.
func (p *Provider) Begin(redirect string) (address string, a Attempt, err error) {
	found, err := p.provider()
	if err != nil {
		return "", a, p.logged(err)
	}
	a = Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	return p.at(found, redirect).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

// Errors of Finish that concern the person rather than a failure.
var (
	// ErrRefused means that the provider, or the person there, has refused, or that the answer belongs to no attempt.
	ErrRefused = errors.New("the sign-in was refused")
	// ErrUnverified means that the provider does not vouch for the email address.
	ErrUnverified = errors.New("the provider has not verified the email address")
)

// Person is somebody at the provider, who owns an email address. An issuer never gives a subject to somebody else.
type Person struct{ Issuer, Subject, Email string }

// Answer is what the browser has brought from the provider: the attempt's state, and a code or, if the provider refuses, an error with a description
// (RFC 6749, 4.1.2).
type Answer struct{ State, Code, Error, Description string }

// of returns an error unless the answer belongs to an attempt, and has a code.
func (b Answer) of(a Attempt) error {
	switch {
	case a.State == "" || subtle.ConstantTimeCompare([]byte(b.State), []byte(a.State)) != 1:
		return fmt.Errorf("%w: the answer has the state of another attempt, or none", ErrRefused)
	case b.Error != "":
		return fmt.Errorf("%w: the provider says %s", ErrRefused, strings.TrimSuffix(b.Error+": "+b.Description, ": "))
	case b.Code == "":
		return fmt.Errorf("%w: the answer has neither code nor error", ErrRefused)
	}
	return nil
}

// Finish returns who has signed in, by what the browser has brought.
func (p *Provider) Finish(ctx context.Context, redirect string, a Attempt, brought Answer) (who Person, err error) {
	who, err = p.finish(ctx, redirect, a, brought)
	return who, p.logged(err)
}

func (p *Provider) finish(ctx context.Context, redirect string, a Attempt, brought Answer) (who Person, err error) {
	if err := brought.of(a); err != nil {
		return who, err
	}
	found, err := p.provider()
	if err != nil {
		return who, err
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.at(found, redirect).Exchange(ctx, brought.Code, oauth2.VerifierOption(a.Verifier))
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.Response.StatusCode < 500 {
		return who, fmt.Errorf("%w: %w", ErrRefused, answered{refused})
	}
	if refused != nil {
		err = answered{refused}
	}
	if err != nil {
		return who, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.cfg.ClientID}).Verify(ctx, raw)
	if err != nil && strings.HasPrefix(err.Error(), keysUnread) {
		return who, fmt.Errorf("ID token: %w", err)
	}
	if err != nil {
		return who, fmt.Errorf("%w: ID token: %w", ErrRefused, err)
	}
	return p.verified(id, a.Nonce)
}

// keysUnread begins the errors of a token that was not verified because the provider's keys could not be read. The library gives them no type.
const keysUnread = "failed to verify signature: fetching keys"

// leeway is how far the provider's clock may be ahead: as much as the library allows for the time before which a token is not valid.
const leeway = 5 * time.Minute

// verified returns the person named by a token that answers an attempt and was issued to this client (OpenID Connect Core 1.0, 3.1.3.7).
func (p *Provider) verified(id *oidc.IDToken, nonce string) (who Person, err error) {
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1 {
		return who, fmt.Errorf("%w: the token is another attempt's", ErrRefused)
	}
	var claims struct {
		AuthorizedParty any    `json:"azp"` // of another type it names nobody
		Email           string `json:"email"`
		Verified        bool   `json:"email_verified"`
	}
	if err := id.Claims(&claims); err != nil {
		return who, fmt.Errorf("%w: claims: %w", ErrRefused, err)
	}
	if err := p.issuedTo(claims.AuthorizedParty, id.Audience); err != nil {
		return who, err
	}
	if id.IssuedAt.After(time.Now().Add(leeway)) {
		return who, fmt.Errorf("%w: the token was issued in the future, at %s: compare the clocks", ErrRefused, id.IssuedAt.Format(time.RFC3339))
	}
	if claims.Email == "" || !claims.Verified {
		return who, ErrUnverified
	}
	if id.Subject == "" {
		return who, fmt.Errorf("%w: the token names nobody", ErrRefused)
	}
	return Person{id.Issuer, id.Subject, claims.Email}, nil
}

// issuedTo returns an error unless the authorized party of a token for an audience is this client. OpenID Connect Core 1.0 (errata 2) leaves its use to
// extensions; without one, a token for several clients does not say that this one asked for it.
func (p *Provider) issuedTo(party any, audience []string) error {
	switch {
	case party == nil || party == "":
		if len(audience) > 1 {
			return fmt.Errorf("%w: the token is for several clients, and does not say which asked for it", ErrRefused)
		}
	case party != any(p.cfg.ClientID):
		return fmt.Errorf("%w: the token was issued to %q", ErrRefused, fmt.Sprint(party))
	}
	return nil
}

// at returns the OAuth client for a redirect address.
func (p *Provider) at(found *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: p.cfg.ClientID, ClientSecret: p.cfg.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: redirect,
		Scopes: []string{oidc.ScopeOpenID, "email"},
	}
}

// provider fetches the provider's metadata, unless that is done. The library fetches and renews its keys.
func (p *Provider) provider() (*oidc.Provider, error) {
	if found := p.found.Load(); found != nil {
		return found, nil
	}
	found, err, _ := p.asking.Do("", func() (any, error) {
		// The context holds the client that fetches keys later, so it must not end.
		return oidc.NewProvider(oidc.ClientContext(context.Background(), p.client), p.cfg.Issuer)
	})
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", p.cfg.Issuer, err)
	}
	p.found.Store(found.(*oidc.Provider))
	return found.(*oidc.Provider), nil
}
