// Package passkey speaks WebAuthn (Level 3) with browsers: it asks them for passkeys, and verifies the answers. The passkeys are
// discoverable, so that no address need be typed, and verify their user. The package knows no members.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Party is the relying party of passkeys: the pages of one host. A browser uses a passkey for no other host.
type Party struct{ id, origin string }

// PartyAt returns the party of the pages at an address such as https://pdf.example. It is false if browsers make no passkeys
// there: hosts need a name, and TLS unless they are localhost.
func PartyAt(address string) (Party, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return Party{}, false
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname())
	if scheme != "https" && (scheme != "http" || host != "localhost") || protocol.ValidateRPID(host) != nil || net.ParseIP(host) != nil {
		return Party{}, false
	}
	origin := scheme + "://" + host
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[scheme] {
		origin += ":" + port
	}
	return Party{id: host, origin: origin}, true
}

// Owner is the person for whom a passkey is made. The authenticator stores Handle and shows Name.
type Owner struct {
	Handle []byte
	Name   string
	// Has are the ids of the passkeys that the person has. Their authenticators make no second one.
	Has [][]byte
}

// Key is a passkey.
type Key struct {
	ID []byte
	// Public is a COSE key.
	Public []byte
	// Counter is the authenticator's signature counter.
	Counter uint32
	// Synced is set if the key may be copied to other devices.
	Synced bool
}

// ErrRefused means that an answer is malformed or not valid.
var ErrRefused = errors.New("the passkey was refused")

// MaxAnswer is the most bytes of a browser's answer. Answers to these questions have some 1500.
const MaxAnswer = 8 << 10

// relyingParty is the party as the library knows it.
func (p Party) relyingParty() (*webauthn.WebAuthn, error) {
	required := true
	return webauthn.New(&webauthn.Config{
		RPID: p.id, RPDisplayName: "Platen", RPOrigins: []string{p.origin},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: &required, UserVerification: protocol.VerificationRequired,
		},
		// Some password managers send what nobody has asked for. Nothing here reads it.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
}

// session rebuilds the session data that the library expects with an answer.
func (p Party) session(challenge string, handle []byte) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: challenge, RelyingPartyID: p.id, UserID: handle, UserVerification: protocol.VerificationRequired,
		CredParams: webauthn.CredentialParametersRecommendedL3(),
	}
}

// Ask returns the options, as JSON, for signing in by any passkey of the party, and their challenge.
func (p Party) Ask() (question []byte, challenge string, err error) {
	w, err := p.relyingParty()
	if err != nil {
		return nil, "", err
	}
	asked, session, err := w.BeginDiscoverableLogin()
	if err != nil {
		return nil, "", err
	}
	question, err = json.Marshal(asked)
	return question, session.Challenge, err
}

// AskForNew returns the options, as JSON, for making a passkey, and their challenge.
func (p Party) AskForNew(o Owner) (question []byte, challenge string, err error) {
	w, err := p.relyingParty()
	if err != nil {
		return nil, "", err
	}
	var has []protocol.CredentialDescriptor
	for _, id := range o.Has {
		has = append(has, protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: id})
	}
	asked, session, err := w.BeginRegistration(user{Owner: o}, webauthn.WithExclusions(has), webauthn.WithCredentialParameters(webauthn.CredentialParametersRecommendedL3()))
	if err != nil {
		return nil, "", err
	}
	question, err = json.Marshal(asked)
	return question, session.Challenge, err
}

// refused is an ErrRefused with the library's reason.
func refused(err error) error {
	var told *protocol.Error
	if errors.As(err, &told) {
		return fmt.Errorf("%w: %s %s", ErrRefused, told.Details, told.DevInfo)
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

// user adapts an owner to the library, with the key that is being checked.
type user struct {
	Owner
	key []webauthn.Credential
}

// WebAuthnID returns the handle.
func (u user) WebAuthnID() []byte { return u.Handle }

// WebAuthnName returns the name.
func (u user) WebAuthnName() string { return u.Name }

// WebAuthnDisplayName returns the name.
func (u user) WebAuthnDisplayName() string { return u.Name }

// WebAuthnCredentials returns the key that is being checked.
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.key }

var _ webauthn.User = user{}
