// Package seal encrypts the credentials that travel in commands. Passwords, tokens
// and presigned URLs enter the log only in this form (docs/decisions/0014).
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"

	"platen.dev/events"
	"platen.dev/events/secret"
)

// ErrSealed means that a credential cannot be decrypted: it was sealed with another key or for another job, or was changed since.
var ErrSealed = errors.New("sealed with another key, or damaged")

// Secrets are the secrets that a key is derived from, each of any length.
type Secrets struct {
	// Present seals. Next, unless nil, will seal later: values that other nodes have sealed with it can be opened.
	Present, Next []byte
	// Former are past secrets, newest first.
	Former [][]byte
	// Chosen says that people chose the secrets so far: keys are derived so that guessing is slow.
	Chosen bool
	// Own are random secrets from before those that people chose, newest first.
	Own [][]byte
}

// rooted is a secret with the root of its keys.
type rooted struct {
	secret []byte
	root   secret.Root
}

// all returns the secrets, the present one first. The oldest, the last one but for Next, stays the source of account keys and fingerprints, which must
// not change.
func (s Secrets) all() (all []rooted, oldest rooted) {
	root := secret.Random
	if s.Chosen {
		root = func(of []byte) secret.Root { return secret.Stretch(string(of)) }
	}
	oldest = rooted{s.Present, root(s.Present)}
	all = append(all, oldest)
	if s.Next != nil {
		all = append(all, rooted{s.Next, root(s.Next)})
	}
	for _, of := range s.Former {
		oldest = rooted{of, root(of)}
		all = append(all, oldest)
	}
	for _, of := range s.Own {
		oldest = rooted{of, secret.Random(of)}
		all = append(all, oldest)
	}
	return all, oldest
}

// Names returns a name for each secret, the present one first. A name reveals no more about its secret than a value sealed with it does.
func (s Secrets) Names() (names []string) {
	all, _ := s.all()
	for _, of := range all {
		names = append(names, of.name())
	}
	return names
}

func (r rooted) name() string {
	key := r.root.Key("platen name v1")
	return hex.EncodeToString(key[:8])
}

// Key encrypts and decrypts credentials. All nodes of a cluster have the same one. It is safe for concurrent use.
type Key struct{ ring atomic.Pointer[ring] }

// ring is the key material of a Key at a moment.
type ring struct {
	aeads  []cipher.AEAD // the first one seals
	derive [32]byte
	oldest string // the name of the oldest secret
	// signers sign handed-out evidence, one key per secret; the first one is used.
	signers []ed25519.PrivateKey
}

// NewKey derives a key from secrets: AES-256-GCM under a key of package secret for each. It also opens values sealed before that package existed,
// under a plain hash.
func NewKey(s Secrets) *Key {
	k := &Key{}
	k.Replace(s)
	return k
}

// Replace derives the key from other secrets from now on.
func (k *Key) Replace(s Secrets) {
	all, oldest := s.all()
	r := &ring{derive: hashed("platen derive v1", oldest.secret), oldest: oldest.name()}
	for _, of := range all {
		r.aeads = append(r.aeads, aeadOf(of.root.Key("platen seal v2")))
		seed := of.root.Key("platen evidence v1")
		r.signers = append(r.signers, ed25519.NewKeyFromSeed(seed[:]))
	}
	for _, of := range all {
		r.aeads = append(r.aeads, aeadOf(hashed("platen seal v1", of.secret)))
	}
	k.ring.Store(r)
}

// hashed derives keys as the first versions did; keys that must never change still use it.
func hashed(label string, of []byte) [32]byte {
	return sha256.Sum256(append([]byte(label+"\x00"), of...))
}

func aeadOf(key [32]byte) cipher.AEAD {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // cannot happen: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // cannot happen: AES has blocks of 16 bytes
	}
	return aead
}

// SecretSize is the length in bytes of the secrets that NewSecret returns.
const SecretSize = 32

// NewSecret returns a random secret for NewKey.
func NewSecret() []byte {
	b := make([]byte, SecretSize)
	rand.Read(b) // never fails: crypto/rand aborts the process instead
	return b
}

// Seal encrypts a credential of a job; "" becomes nil.
func (k *Key) Seal(job events.JobID, plain string) events.Sealed { return k.seal(job[:], plain) }

// Open decrypts a credential of a job; nil becomes "". The only error is ErrSealed.
func (k *Key) Open(job events.JobID, sealed events.Sealed) (string, error) {
	return k.open(job[:], sealed)
}

// SealFor encrypts a secret of an account; "" becomes nil.
func (k *Key) SealFor(account events.AccountID, plain string) events.Sealed {
	return k.seal([]byte(account), plain)
}

// OpenFor decrypts a secret of an account; nil becomes "". The only error is ErrSealed.
func (k *Key) OpenFor(account events.AccountID, sealed events.Sealed) (string, error) {
	return k.open([]byte(account), sealed)
}

// WebhookKey derives the key that signs the webhooks of an account until it rotates its secret.
func (k *Key) WebhookKey(account events.AccountID) [32]byte {
	return k.mac("webhook\x00" + string(account))
}

// Fingerprint returns the keyed hash of a request's digest. A reader of the log cannot find out from it what was sent, not even by guessing: a
// password or a token is part of the request.
func (k *Key) Fingerprint(digest [32]byte) [32]byte { return k.mac("request\x00" + string(digest[:])) }

// OldestName names the oldest secret as Secrets.Names does, in 16 bytes. All nodes of a cluster must have it in common: the keys that never change come
// from it.
func (k *Key) OldestName() string { return k.ring.Load().oldest }

// Signers returns the keys that sign evidence, the present one first, then those of the next and of former secrets. All nodes have the same.
func (k *Key) Signers() []ed25519.PrivateKey { return k.ring.Load().signers }

func (k *Key) mac(text string) (sum [32]byte) {
	derive := k.ring.Load().derive
	h := hmac.New(sha256.New, derive[:])
	h.Write([]byte(text))
	h.Sum(sum[:0])
	return sum
}

// seal binds a secret to its owner.
func (k *Key) seal(owner []byte, plain string) events.Sealed {
	if plain == "" {
		return nil
	}
	return k.ring.Load().aeads[0].Seal(nil, nil, []byte(plain), owner)
}

func (k *Key) open(owner []byte, sealed events.Sealed) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	for _, aead := range k.ring.Load().aeads {
		if plain, err := aead.Open(nil, nil, sealed, owner); err == nil {
			return string(plain), nil
		}
	}
	return "", ErrSealed
}
