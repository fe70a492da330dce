// Package seal encrypts the credentials that travel in commands. Passwords, tokens
// and presigned URLs enter the log only in this form (docs/decisions/0014).
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"

	"platen.dev/events"
)

// ErrSealed means that a credential cannot be decrypted: it was sealed with another
// key, for another job, or was changed since.
var ErrSealed = errors.New("sealed with another key, or damaged")

// Key encrypts and decrypts credentials. All nodes of a cluster have the same one.
type Key struct{ aead cipher.AEAD }

// NewKey derives a key from a secret of any length: AES-256-GCM under its SHA-256.
func NewKey(secret []byte) Key {
	sum := sha256.Sum256(append([]byte("platen seal v1\x00"), secret...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic(err) // cannot happen: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // cannot happen: AES has blocks of 16 bytes
	}
	return Key{aead}
}

// SecretSize is the length in bytes of the secrets that NewSecret returns.
const SecretSize = 32

// NewSecret returns a random secret for NewKey.
func NewSecret() []byte {
	secret := make([]byte, SecretSize)
	rand.Read(secret) // never fails: crypto/rand aborts the process instead
	return secret
}

// Seal encrypts a credential of a job; "" becomes nil.
func (k Key) Seal(job events.JobID, plain string) events.Sealed {
	if plain == "" {
		return nil
	}
	return k.aead.Seal(nil, nil, []byte(plain), job[:])
}

// Open decrypts a credential of a job; nil becomes "". The only error is ErrSealed.
func (k Key) Open(job events.JobID, sealed events.Sealed) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	plain, err := k.aead.Open(nil, nil, sealed, job[:])
	if err != nil {
		return "", ErrSealed
	}
	return string(plain), nil
}
