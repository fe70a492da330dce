package passkey

import (
	"fmt"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
)

// New returns the new passkey in a browser's answer to AskForNew, given the challenge and the owner's handle. The error is ErrRefused.
func (p Party) New(challenge string, handle, answer []byte) (k Key, err error) {
	if len(answer) > MaxAnswer {
		return k, errTooLong
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return k, refused(err)
	}
	if !plain(parsed.Response.AttestationObject) {
		return k, fmt.Errorf("%w: it has an attestation, which was not asked for", ErrRefused)
	}
	w, err := p.relyingParty()
	if err != nil {
		return k, err
	}
	made, err := w.CreateCredential(user{Owner: Owner{Handle: handle}}, p.session(challenge, handle), parsed)
	if err != nil {
		return k, refused(err)
	}
	if _, err := webauthncose.ParsePublicKey(made.PublicKey); err != nil {
		return k, refused(err)
	}
	return Key{ID: made.ID, Public: made.PublicKey, Counter: made.Authenticator.SignCount, Synced: made.Flags.BackupEligible}, nil
}

var errTooLong = fmt.Errorf("%w: the answer is longer than %d bytes", ErrRefused, MaxAnswer)

// plain reports whether a new key comes without certificates of its authenticator's maker. Nothing depends on these, so their
// many formats, which anybody may send, are not parsed. A self-attested key is plain.
func plain(made protocol.AttestationObject) bool {
	_, certified := made.AttStatement["x5c"]
	return made.Format == string(protocol.AttestationFormatNone) || made.Format == string(protocol.AttestationFormatPacked) && !certified
}

// Answer is a browser's answer to Ask. Nothing in it is verified before Check.
type Answer struct {
	// Handle names the claimed owner, ID the passkey.
	Handle, ID []byte
	parsed     *protocol.ParsedCredentialAssertionData
}

// Read reads an answer to what Ask asked. The error is ErrRefused.
func Read(answer []byte) (a Answer, err error) {
	if len(answer) > MaxAnswer {
		return a, errTooLong
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return a, refused(err)
	}
	return Answer{Handle: parsed.Response.UserHandle, ID: parsed.RawID, parsed: parsed}, nil
}

// Check verifies that an answer to a challenge is by the passkey k, that the user was verified, and that it was given to a page of
// the party. It returns the authenticator's signature counter, or ErrRefused. The caller must check that the counter has advanced,
// and that the challenge was not answered before.
func (p Party) Check(challenge string, a Answer, k Key) (counter uint32, err error) {
	w, err := p.relyingParty()
	if err != nil {
		return 0, err
	}
	key := webauthn.Credential{ID: k.ID, PublicKey: k.Public, Flags: webauthn.CredentialFlags{BackupEligible: k.Synced}}
	known := func([]byte, []byte) (webauthn.User, error) {
		return user{Owner: Owner{Handle: a.Handle}, key: []webauthn.Credential{key}}, nil
	}
	if _, _, err = w.ValidatePasskeyLogin(known, p.session(challenge, nil), a.parsed); err != nil {
		return 0, refused(err)
	}
	return a.parsed.Response.AuthenticatorData.Counter, nil
}
