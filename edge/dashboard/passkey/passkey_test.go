package passkey

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/descope/virtualwebauthn"
)

// Browsers make passkeys for host names only, over TLS or on their own machine.
func TestParties(t *testing.T) {
	for address, want := range map[string]Party{
		"https://pdf.example":             {"pdf.example", "https://pdf.example"},
		"https://PDF.example:443/platen":  {"pdf.example", "https://pdf.example"},
		"https://pdf.example:8443":        {"pdf.example", "https://pdf.example:8443"},
		"http://localhost:8080":           {"localhost", "http://localhost:8080"},
		"http://localhost:80":             {"localhost", "http://localhost"},
		"https://localhost:8080":          {"localhost", "https://localhost:8080"},
		"http://pdf.example":              {},
		"https://192.0.2.1":               {},
		"https://[2001:db8::1]:8443":      {},
		"http://127.0.0.1:8080":           {},
		"https://":                        {},
		"":                                {},
		"https://pdf.example\x00":         {},
		"javascript://localhost":          {},
		"http://localhost.evil.example":   {},
		"http://evil.example:80@localhos": {},
	} {
		if got, ok := PartyAt(address); got != want || ok != (want != Party{}) {
			t.Errorf("%q: %+v, %t", address, got, ok)
		}
	}
}

// Browsers are asked for passkeys that verify their user, are discoverable without an address, and come without certificates.
func TestQuestions(t *testing.T) {
	p := partyAt(t, "https://pdf.example")
	question, challenge, err := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com", Has: [][]byte{{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`"challenge":"` + challenge + `"`, `"id":"pdf.example"`, `"attestation":"none"`, `"residentKey":"required"`, `"userVerification":"required"`,
		`"name":"ada@example.com"`, `"id":"AQI"`, base64.RawURLEncoding.EncodeToString(handle), `"alg":-7`, `"alg":-8`, `"alg":-257`,
	} {
		if !bytes.Contains(question, []byte(part)) {
			t.Errorf("no %s in %s", part, question)
		}
	}
	question, again, err := p.Ask()
	if err != nil || again == challenge || len(again) != 43 {
		t.Errorf("challenges %q and %q, %v", challenge, again, err)
	}
	for _, part := range []string{`"challenge":"` + again + `"`, `"rpId":"pdf.example"`, `"userVerification":"required"`} {
		if !bytes.Contains(question, []byte(part)) {
			t.Errorf("no %s in %s", part, question)
		}
	}
	if bytes.Contains(question, []byte("allowCredentials")) {
		t.Errorf("it names passkeys: %s", question)
	}
}

// A passkey is accepted by its party, and returns its signature counter.
func TestPasskey(t *testing.T) {
	p := partyAt(t, "https://pdf.example")
	for kind, key := range map[string]virtualwebauthn.Credential{"ES256": newCredential(), "RS256": virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeRSA)} {
		d := newDevice(p)
		d.key, d.Options.BackupEligible = key, true
		d.key.Counter = 3
		k, err := d.make(t, p)
		if err != nil || !bytes.Equal(k.ID, d.key.ID) || k.Counter != 3 || !k.Synced || len(k.Public) > 320 {
			t.Fatalf("%s: made %+v, %v", kind, k, err)
		}
		question, challenge, err := p.Ask()
		if err != nil {
			t.Fatal(err)
		}
		d.key.Counter = 9
		text := d.get(t, question)
		extended := strings.Replace(string(text), `{`, `{"clientExtensionResults":{"credProps":{"rk":true}},`, 1)
		for _, text := range []string{string(text), extended} {
			a, err := Read([]byte(text))
			if err != nil || !bytes.Equal(a.Handle, handle) || !bytes.Equal(a.ID, k.ID) {
				t.Fatalf("%s: read %+v, %v", kind, a, err)
			}
			if counter, err := p.Check(challenge, a, k); err != nil || counter != 9 {
				t.Errorf("%s: checked %d, %v", kind, counter, err)
			}
		}
	}
}

// Answers for anything else are refused.
func TestRefusedAnswers(t *testing.T) {
	p, elsewhere := partyAt(t, "https://pdf.example"), partyAt(t, "https://evil.example")
	mine, other := newDevice(p), newDevice(p)
	k, err := mine.make(t, p)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(d *device, k *Key){
		"another origin":        func(d *device, _ *Key) { d.page.Origin = elsewhere.origin },
		"another port":          func(d *device, _ *Key) { d.page.Origin += ":8443" },
		"a part of the name":    func(d *device, _ *Key) { d.page.Origin = "https://sub.pdf.example" },
		"no TLS":                func(d *device, _ *Key) { d.page.Origin = "http://pdf.example" },
		"another party":         func(d *device, _ *Key) { d.page.ID = elsewhere.id },
		"nobody verified":       func(d *device, _ *Key) { d.Options.UserNotVerified = true },
		"nobody there":          func(d *device, _ *Key) { d.Options.UserNotPresent = true },
		"no handle":             func(d *device, _ *Key) { d.Options.UserHandle = nil },
		"another's id":          func(d *device, _ *Key) { d.key.ID = other.key.ID },
		"another's key":         func(d *device, k *Key) { d.key.Key = other.key.Key },
		"a key that is damaged": func(_ *device, k *Key) { k.Public = k.Public[:40] },
		"another kind of key":   func(d *device, _ *Key) { d.Options.BackupEligible = true },
	} {
		question, challenge, err := p.Ask()
		if err != nil {
			t.Fatal(err)
		}
		d, with := *mine, k
		change(&d, &with)
		a, err := Read(d.get(t, question))
		if err == nil {
			_, err = p.Check(challenge, a, with)
		}
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	question, _, _ := p.Ask()
	_, newer, _ := p.Ask()
	a, err := Read(mine.get(t, question))
	if _, wrong := p.Check(newer, a, k); err != nil || !errors.Is(wrong, ErrRefused) {
		t.Errorf("another challenge: %v, %v", err, wrong)
	}
	question, challenge, _ := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	if _, err := Read(mine.create(t, question)); !errors.Is(err, ErrRefused) {
		t.Errorf("the making of a passkey signs in: %v", err)
	}
	if _, err := p.New(challenge, handle, mine.get(t, question)); !errors.Is(err, ErrRefused) {
		t.Errorf("an answer makes a passkey: %v", err)
	}
}

// Passkeys made for anything else are refused.
func TestRefusedPasskeys(t *testing.T) {
	p, elsewhere := partyAt(t, "https://pdf.example"), partyAt(t, "https://evil.example")
	for name, change := range map[string]func(d *device){
		"another origin":  func(d *device) { d.page.Origin = elsewhere.origin },
		"another party":   func(d *device) { d.page.ID = elsewhere.id },
		"nobody verified": func(d *device) { d.Options.UserNotVerified = true },
		"nobody there":    func(d *device) { d.Options.UserNotPresent = true },
		"no id":           func(d *device) { d.key.ID = nil },
		"a huge id":       func(d *device) { d.key.ID = make([]byte, 1024) },
	} {
		d := newDevice(p)
		change(d)
		if _, err := d.make(t, p); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	question, _, _ := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	_, newer, _ := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	if _, err := p.New(newer, handle, newDevice(p).create(t, question)); !errors.Is(err, ErrRefused) {
		t.Errorf("another challenge: %v", err)
	}
}

// Answers beyond the length limit are refused.
func TestAnswersAreBounded(t *testing.T) {
	p := partyAt(t, "https://pdf.example")
	d := newDevice(p)
	asked, challenge, err := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	made, read := d.create(t, asked), d.get(t, asked)
	pad := func(text []byte, length int) []byte {
		return append(text, bytes.Repeat([]byte(" "), length-len(text))...)
	}
	if _, err := p.New(challenge, handle, pad(made, MaxAnswer)); err != nil {
		t.Errorf("the longest: %v", err)
	}
	if _, err := p.New(challenge, handle, pad(made, MaxAnswer+1)); !errors.Is(err, ErrRefused) {
		t.Errorf("a longer one: %v", err)
	}
	if _, err := Read(pad(read, MaxAnswer)); err != nil {
		t.Errorf("the longest: %v", err)
	}
	if _, err := Read(pad(read, MaxAnswer+1)); !errors.Is(err, ErrRefused) {
		t.Errorf("a longer one: %v", err)
	}
}
