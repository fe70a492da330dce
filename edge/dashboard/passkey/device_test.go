package passkey

import (
	"bytes"
	"testing"

	"github.com/descope/virtualwebauthn"
)

// handle identifies the user of the tests' passkeys.
var handle = bytes.Repeat([]byte{7}, 32)

// device is an authenticator with one key, at a page.
type device struct {
	virtualwebauthn.Authenticator
	key  virtualwebauthn.Credential
	page virtualwebauthn.RelyingParty
}

func newDevice(page Party) *device {
	d := &device{
		Authenticator: virtualwebauthn.NewAuthenticator(), key: newCredential(),
		page: virtualwebauthn.RelyingParty{ID: page.id, Origin: page.origin},
	}
	d.Options.UserHandle = handle
	return d
}

// newCredential returns a credential on a curve. The library drops leading zeros of coordinates, which COSE keys keep (RFC 9053,
// section 7.1.1): one key in 128 would be refused.
func newCredential() virtualwebauthn.Credential {
	const whole = 77 // bytes of a COSE key with both coordinates
	for {
		if c := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(c.Key.AttestationData()) == whole {
			return c
		}
	}
}

func partyAt(t testing.TB, address string) Party {
	t.Helper()
	p, ok := PartyAt(address)
	if !ok {
		t.Fatalf("no passkeys at %s", address)
	}
	return p
}

// create answers a challenge of AskForNew.
func (d *device) create(t testing.TB, question []byte) []byte {
	t.Helper()
	o, err := virtualwebauthn.ParseAttestationOptions(string(question))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(virtualwebauthn.CreateAttestationResponse(d.page, d.Authenticator, d.key, *o))
}

// get answers a challenge of Ask.
func (d *device) get(t testing.TB, question []byte) []byte {
	t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(string(question))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(virtualwebauthn.CreateAssertionResponse(d.page, d.Authenticator, d.key, *o))
}

// make makes a passkey for a party.
func (d *device) make(t testing.TB, p Party) (Key, error) {
	t.Helper()
	question, challenge, err := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	return p.New(challenge, handle, d.create(t, question))
}
