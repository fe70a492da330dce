package main

import (
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// authenticator gives a window a device that makes passkeys, and says yes for its user.
func (w *window) authenticator() proto.WebAuthnAuthenticatorID {
	w.t.Helper()
	w.must(proto.WebAuthnEnable{}.Call(w))
	added, err := proto.WebAuthnAddVirtualAuthenticator{Options: &proto.WebAuthnVirtualAuthenticatorOptions{
		Protocol: proto.WebAuthnAuthenticatorProtocolCtap2, Transport: proto.WebAuthnAuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}}.Call(w)
	w.must(err)
	return added.AuthenticatorID
}

// A member adds a passkey, signs in by it, and removes it.
func passkeyFlow(t *testing.T, n *inProcessNode, s *screen) {
	w := s.open(t)
	w.signInDemo()
	w.visit("/dashboard/security")
	w.shows("[aria-labelledby=passkeys]", "not at an address of numbers")
	w.address = strings.Replace(w.address, "127.0.0.1", "localhost", 1)
	w.authenticator()
	w.signInDemo()
	w.visit("/dashboard/security")
	w.fill("#passkey-name", "Laptop")
	w.follow("button", "Add a passkey")
	w.shows(".notice.good", "added")
	w.shows("[aria-labelledby=passkeys] tr", "Laptop")
	w.fill("#passkey-name", "Again")
	w.click("button", "Add a passkey")
	w.shows(".problem", "has a passkey already")
	w.follow(".wide button", "Sign out")
	w.follow("button", "Sign in with a passkey")
	w.shows("h1", "Overview")
	w.follow(".wide a", "Audit trail")
	w.shows("tr:has(th)", "Passkey used")
	w.visit("/dashboard/security")
	w.click("[aria-labelledby=passkeys] summary", "Remove")
	w.shows("dialog[open]", "Laptop")
	w.follow("dialog button.danger", "Remove passkey")
	w.shows(".notice.good", "removed")
	w.follow(".wide button", "Sign out")
	w.follow("button", "Sign in with a passkey")
	w.shows("[role=alert]", "can’t sign you in")
	w.quiet([]string{"/dashboard/security", "/dashboard/sign-in"}, "status of 403")
}

// Who cannot use passkeys is not asked to: without a passkey a reason is shown, and without WebAuthn no button.
func noPasskeyFlow(t *testing.T, _ *inProcessNode, s *screen) {
	w := s.open(t)
	w.address = strings.Replace(w.address, "127.0.0.1", "localhost", 1)
	w.authenticator() // which has made none
	w.visit("/dashboard/sign-in")
	w.click("button", "Sign in with a passkey")
	w.shows("[role=alert]", "no passkey was shown")
	_, err := proto.PageAddScriptToEvaluateOnNewDocument{Source: `delete window.PublicKeyCredential`}.Call(w)
	w.must(err)
	w.signInDemo()
	w.visit("/dashboard/security")
	w.shows("[aria-labelledby=passkeys]", "can’t make passkeys")
	w.follow(".wide button", "Sign out")
	if w.shows("button", "Sign in"); w.has("form[data-passkey]") {
		t.Errorf("a passkey is asked for:\n%s", w.text())
	}
	w.quiet([]string{"/dashboard/security", "/dashboard/sign-in"})
}
