package passkey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// Hostile attestation objects are refused, and so are those with an attestation nobody asked for.
func TestHostileAttestations(t *testing.T) {
	p := partyAt(t, "https://pdf.example")
	question, challenge, err := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	good := newDevice(p).create(t, question)
	var made map[string]any
	object := objectOf(t, good)
	if err := webauthncbor.Unmarshal(object, &made); err != nil {
		t.Fatal(err)
	}
	with := func(changes map[string]any) []byte {
		all := map[string]any{"fmt": made["fmt"], "attStmt": made["attStmt"], "authData": made["authData"]}
		for name, value := range changes {
			all[name] = value
		}
		b, err := webauthncbor.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	data := made["authData"].([]byte)
	flipped := bytes.Clone(data)
	flipped[len(flipped)-1] ^= 1 // of the key's last coordinate
	none := map[string]any{"fmt": "none", "attStmt": map[string]any{}}
	plainly := func(data []byte) []byte {
		return with(map[string]any{"fmt": none["fmt"], "attStmt": none["attStmt"], "authData": data})
	}
	for name, object := range map[string][]byte{
		"empty":                    {},
		"no CBOR":                  []byte("attestation"),
		"cut":                      object[:len(object)-1],
		"longer":                   append(bytes.Clone(object), 0),
		"deep":                     append(bytes.Repeat([]byte{0x81}, 4000), 0),
		"a map of a billion":       {0xba, 0x40, 0, 0, 0},
		"without end":              {0xbf},
		"no data":                  plainly(nil),
		"short data":               plainly(data[:36]),
		"data without a key":       plainly(data[:60]),
		"data with more":           plainly(append(bytes.Clone(data), 1)),
		"a key that is no point":   plainly(flipped),
		"none, with a statement":   with(map[string]any{"fmt": "none"}),
		"a wrong signature":        with(map[string]any{"authData": flipped}),
		"certificates":             with(map[string]any{"attStmt": map[string]any{"alg": -7, "sig": []byte{1}, "x5c": []any{[]byte{1}}}}),
		"an unknown format":        with(map[string]any{"fmt": "evil"}),
		"a TPM's":                  with(map[string]any{"fmt": "tpm"}),
		"a compound":               with(map[string]any{"fmt": "compound", "attStmt": []any{}}),
		"a statement that is text": with(map[string]any{"attStmt": "x"}),
	} {
		if _, err := p.New(challenge, handle, withObject(t, good, object)); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, changes := range []map[string]any{
		{"fmt": "fido-u2f"}, {"fmt": "tpm"}, {"fmt": "compound", "attStmt": []any{}}, {"fmt": ""}, {"attStmt": map[string]any{"x5c": nil}},
	} {
		if _, err := p.New(challenge, handle, withObject(t, good, with(changes))); err == nil || !strings.Contains(err.Error(), "not asked for") {
			t.Errorf("%v: its attestation is looked at: %v", changes, err)
		}
	}
	if _, err := p.New(challenge, handle, withObject(t, good, plainly(data))); err != nil {
		t.Errorf("without an attestation: %v", err)
	}
	if _, err := p.New(challenge, handle, good); err != nil {
		t.Errorf("a key that vouches for itself: %v", err)
	}
}

// objectOf returns the attestation object in an answer.
func objectOf(t testing.TB, answer []byte) []byte {
	t.Helper()
	var fields struct {
		Response struct{ AttestationObject string }
	}
	if err := json.Unmarshal(answer, &fields); err != nil {
		t.Fatal(err)
	}
	object, err := base64.RawURLEncoding.DecodeString(fields.Response.AttestationObject)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// withObject returns an answer with another attestation object.
func withObject(t testing.TB, answer, object []byte) []byte {
	t.Helper()
	had, has := base64.RawURLEncoding.EncodeToString(objectOf(t, answer)), base64.RawURLEncoding.EncodeToString(object)
	return bytes.Replace(answer, []byte(had), []byte(has), 1)
}

// Any input from a browser is accepted or refused; none makes the node panic.
func FuzzAnswers(f *testing.F) {
	p, _ := PartyAt("https://pdf.example")
	d := newDevice(p)
	question, challenge, err := p.AskForNew(Owner{Handle: handle, Name: "ada@example.com"})
	if err != nil {
		f.Fatal(err)
	}
	made := d.create(f, question)
	k, err := p.New(challenge, handle, made)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(made, objectOf(f, made))
	f.Add(d.get(f, question), []byte{})
	f.Fuzz(func(t *testing.T, answer, object []byte) {
		for _, text := range [][]byte{answer, withObject(t, made, object)} {
			if _, err := p.New(challenge, handle, text); err != nil && !errors.Is(err, ErrRefused) {
				t.Errorf("%q: %v", text, err)
			}
			if a, err := Read(text); err == nil {
				_, err = p.Check(challenge, a, k)
				if err != nil && !errors.Is(err, ErrRefused) {
					t.Errorf("%q: %v", text, err)
				}
			}
		}
	})
}
