package sso

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"platen.dev/events/contract"
)

// loggable is an error with what the provider has told, as one short line: it may be long, control a terminal, and echo the client's secret.
type loggable struct {
	text  string
	cause error
}

func (t loggable) Error() string { return t.text }

func (t loggable) Unwrap() error { return t.cause }

// logged makes an error fit to be logged; nil stays nil.
func (p *Provider) logged(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if secret := p.cfg.ClientSecret; secret != "" {
		text = strings.NewReplacer(secret, "[secret]", url.QueryEscape(secret), "[secret]").Replace(text)
	}
	return loggable{contract.Detail(text), err}
}

// answered is the answer of an endpoint for tokens, without its body.
type answered struct{ *oauth2.RetrieveError }

func (a answered) Error() string {
	return strings.TrimRight(fmt.Sprintf("the provider answers %d %s: %s", a.Response.StatusCode, a.ErrorCode, a.ErrorDescription), ": ")
}
