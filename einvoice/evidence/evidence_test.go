package evidence

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func signer(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte(strings.Repeat(string(rune('a'+seed)), ed25519.SeedSize)))
}

var statement = Statement{
	Kind: Kind, JobID: "8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b",
	SubmittedAt: time.UnixMilli(1_790_000_000_000).UTC(), FinishedAt: time.UnixMilli(1_790_000_000_181).UTC(),
	XML: XML{DigestOf([32]byte{1}), "en16931"}, File: File{DigestOf([32]byte{2}), 48_213, 2},
	Rules:  []Rules{{"en16931", "1.3.16", DigestOf([32]byte{3}), 0, 1}},
	Match:  Match{true, 2},
	Engine: Engine{"1.0.0", "", "Chrome/150.0.7500.1", DigestOf([32]byte{4})},
}

func sign(t *testing.T, s Statement, with ed25519.PrivateKey) string {
	t.Helper()
	jws, err := Sign(s, with)
	if err != nil {
		t.Fatal(err)
	}
	return jws
}

// A signed statement is verified with its key, even among others.
func TestVerify(t *testing.T) {
	keys := Keys([]ed25519.PrivateKey{signer(0), signer(1)})
	for seed := range byte(2) {
		got, err := Verify(sign(t, statement, signer(seed)), keys)
		if err != nil || !reflect.DeepEqual(got, statement) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if private := base64.RawURLEncoding.EncodeToString(signer(0).Seed()); strings.Contains(string(keys), private) || strings.Contains(string(keys), `"d"`) {
		t.Error("the set has private keys")
	}
}

// Nothing else is accepted as evidence.
func TestRefused(t *testing.T) {
	keys, jws := string(Keys([]ed25519.PrivateKey{signer(0)})), sign(t, statement, signer(0))
	parts := strings.Split(jws, ".")
	join := func(parts ...string) string { return strings.Join(parts, ".") }
	changed := statement
	changed.File.SHA256 = DigestOf([32]byte{9})
	other := statement
	other.Kind = "x"
	for name, c := range map[string]struct {
		jws, keys string
		want      error
	}{
		"another key":        {sign(t, statement, signer(1)), keys, ErrUnknownKey},
		"no keys":            {jws, `{"keys":[]}`, ErrUnknownKey},
		"another statement":  {join(parts[0], strings.Split(sign(t, changed, signer(0)), ".")[1], parts[2]), keys, ErrSignature},
		"no signature":       {join(parts[0], parts[1], ""), keys, ErrSignature},
		"algorithm none":     {join(base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)), parts[1], ""), keys, ErrForm},
		"nothing":            {"", keys, ErrForm},
		"text":               {"evidence", keys, ErrForm},
		"too long":           {jws + strings.Repeat("x", maxJWS), keys, ErrForm},
		"another kind":       {sign(t, other, signer(0)), keys, ErrForm},
		"keys of text":       {jws, "x", ErrForm},
		"a symmetric key":    {jws, strings.Replace(keys, `"kty":"OKP"`, `"kty":"oct","k":"AAAA"`, 1), ErrUnknownKey},
		"too many keys":      {jws, keys + strings.Repeat(" ", maxKeys), ErrForm},
		"two keys of one id": {jws, `{"keys":[` + strings.TrimSuffix(strings.TrimPrefix(keys, `{"keys":[`), `]}`) + `,` + strings.TrimSuffix(strings.TrimPrefix(keys, `{"keys":[`), `]}`) + `]}`, ErrUnknownKey},
	} {
		if _, err := Verify(c.jws, []byte(c.keys)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}
