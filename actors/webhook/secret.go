package webhook

import (
	"cmp"
	"crypto/rand"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/seal"
)

// NewSecret returns a random secret.
func NewSecret() string {
	var key [32]byte
	rand.Read(key[:]) // never fails: crypto/rand aborts the process instead
	return Secret(key)
}

// FirstSecret signs the webhooks of an account until the first rotation.
func FirstSecret(k *seal.Key, id events.AccountID) string { return Secret(k.WebhookKey(id)) }

// Secrets returns the secrets that sign an account's webhooks at an instant, the newest first: two
// during a rotation.
func Secrets(k *seal.Key, id events.AccountID, w account.Webhooks, now events.Instant) ([]string, error) {
	signing := []events.Sealed{w.Secret}
	if now < w.Overlap {
		signing = append(signing, w.Previous)
	}
	var secrets []string
	for _, sealed := range signing {
		secret, err := k.OpenFor(id, sealed)
		if err != nil {
			return nil, fmt.Errorf("secret of account %s: %w", id, err)
		}
		secrets = append(secrets, cmp.Or(secret, FirstSecret(k, id)))
	}
	return secrets, nil
}

// Headers returns the headers that an account has set.
func Headers(k *seal.Key, id events.AccountID, w account.Webhooks) (all []Header, err error) {
	for _, h := range w.Headers {
		value, err := k.OpenFor(id, h.Value)
		if err != nil {
			return nil, fmt.Errorf("header %s of account %s: %w", h.Name, id, err)
		}
		all = append(all, Header{h.Name, value})
	}
	return all, nil
}
