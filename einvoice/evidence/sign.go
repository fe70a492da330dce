package evidence

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// mediaType is the JWS header typ (RFC 7515, 4.1.9).
const mediaType = "platen-evidence+json"

// Limits of Verify's input, in bytes.
const (
	maxJWS  = 64 << 10
	maxKeys = 64 << 10
)

// Errors of Verify.
var (
	ErrForm       = errors.New("not evidence")
	ErrSignature  = errors.New("the signature does not match the statement")
	ErrUnknownKey = errors.New("not signed with any of the keys")
)

// Sign writes a statement as a JWS in its compact form.
func Sign(s Statement, with ed25519.PrivateKey) (string, error) {
	options := (&jose.SignerOptions{}).WithType(mediaType).WithHeader("kid", keyID(with.Public().(ed25519.PublicKey)))
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: with}, options)
	if err != nil {
		return "", fmt.Errorf("sign evidence: %w", err)
	}
	signed, err := signer.Sign(s.JSON())
	if err != nil {
		return "", fmt.Errorf("sign evidence: %w", err)
	}
	return signed.CompactSerialize()
}

// Keys are the public keys of signers as a JWK set (RFC 7517).
func Keys(signers []ed25519.PrivateKey) []byte {
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{}}
	for _, s := range signers {
		public := s.Public().(ed25519.PublicKey)
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: public, KeyID: keyID(public), Algorithm: string(jose.EdDSA), Use: "sig"})
	}
	b, err := json.Marshal(set)
	if err != nil {
		panic(err) // impossible: the keys are Ed25519 keys
	}
	return b
}

// keyID is the thumbprint of a key (RFC 7638).
func keyID(public ed25519.PublicKey) string {
	thumb, err := (&jose.JSONWebKey{Key: public}).Thumbprint(crypto.SHA256)
	if err != nil {
		panic(err) // impossible: it is an Ed25519 key
	}
	return base64.RawURLEncoding.EncodeToString(thumb)
}

// Verify reads a JWS that Sign has made, with one of the keys of a JWK set. Anybody may have made either. Its errors are ErrForm,
// ErrUnknownKey and ErrSignature.
func Verify(jws string, keys []byte) (s Statement, err error) {
	if len(jws) > maxJWS || len(keys) > maxKeys {
		return s, fmt.Errorf("%w: it is too long", ErrForm)
	}
	signed, err := jose.ParseSignedCompact(jws, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrForm, err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(keys, &set); err != nil {
		return s, fmt.Errorf("%w: the keys are not a JWK set: %w", ErrForm, err)
	}
	known := set.Key(signed.Signatures[0].Header.KeyID)
	if len(known) != 1 {
		return s, fmt.Errorf("%w: it is by key %.60q", ErrUnknownKey, signed.Signatures[0].Header.KeyID)
	}
	public, is := known[0].Key.(ed25519.PublicKey)
	if !is {
		return s, fmt.Errorf("%w: the key is not one of Ed25519", ErrUnknownKey)
	}
	statement, err := signed.Verify(public)
	if err != nil {
		return s, ErrSignature
	}
	if err := json.Unmarshal(statement, &s); err != nil || s.Kind != Kind {
		return s, fmt.Errorf("%w: the statement is of kind %.60q", ErrForm, s.Kind)
	}
	return s, nil
}
