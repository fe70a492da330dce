// Package seal encrypts the credentials that travel in commands: passwords, tokens
// and presigned URLs enter the log only in this form (decisions.md, Jobs).
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"

	"platen.dev/events"
)

// ErrSealed tells that something cannot be opened: it was sealed with another key,
// for another job, or was changed since.
var ErrSealed = errors.New("sealed with another key, or damaged")

// Key seals and opens. It is the cluster's: every node has the same.
type Key struct{ aead cipher.AEAD }

// NewKey derives a key from a secret of any length: AES-256-GCM under its SHA-256.
func NewKey(secret []byte) Key {
	sum := sha256.Sum256(append([]byte("platen seal v1\x00"), secret...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic(err) // cannot be: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // cannot be: AES has blocks of 16 bytes
	}
	return Key{aead}
}

// SecretSize is the length of NewSecret's secrets in bytes.
const SecretSize = 32

// NewSecret makes a secret for a key.
func NewSecret() []byte {
	secret := make([]byte, SecretSize)
	rand.Read(secret) // never fails: crypto/rand aborts the process instead
	return secret
}

// Seal encrypts a credential of a job; "" stays nothing.
func (k Key) Seal(job events.JobID, plain string) events.Sealed {
	if plain == "" {
		return nil
	}
	return k.aead.Seal(nil, nil, []byte(plain), job[:])
}

// Open decrypts a credential of a job; nothing becomes "".
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
