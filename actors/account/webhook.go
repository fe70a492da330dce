package account

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Webhooks holds the settings that all webhooks of an account share.
type Webhooks struct {
	// Secret signs. Until the first rotation it is nil, which stands for the secret derived from the
	// cluster's secret and the account's id; the same goes for Previous.
	Secret   events.Sealed `cbor:"1,keyasint,omitempty"`
	Previous events.Sealed `cbor:"2,keyasint,omitempty"`
	// Overlap is when Previous stops signing; zero before the first rotation.
	Overlap events.Instant  `cbor:"3,keyasint,omitempty"`
	Headers []WebhookHeader `cbor:"4,keyasint,omitempty"`
}

// WebhookHeader is a header that the account has set.
type WebhookHeader struct {
	Name  string        `cbor:"1,keyasint"`
	Value events.Sealed `cbor:"2,keyasint"`
}

func (w Webhooks) header(name string) int {
	return slices.IndexFunc(w.Headers, func(h WebhookHeader) bool { return strings.EqualFold(h.Name, name) })
}

// SecretMark identifies the present secret without revealing it.
func (w Webhooks) SecretMark() []byte {
	sum := sha256.Sum256(w.Secret)
	return sum[:8]
}

func rotateWebhookSecret(s State, b events.RotateWebhookSecret, now events.Instant) ([]events.Event, events.Reply) {
	overlap := time.Duration(b.Overlap) * time.Second
	if b.Overlap < 0 || b.Overlap > int64(contract.MaxOverlap/time.Second) || overlap < contract.MinOverlap || len(b.Secret) == 0 {
		return refuse(events.OutOfRange)
	}
	if len(b.After) > 0 && !bytes.Equal(b.After, s.Webhooks.SecretMark()) {
		return refuse(events.AlreadyExists)
	}
	if now < s.Webhooks.Overlap && !b.Ends {
		return refuse(events.OverlapUnderWay)
	}
	return accept(events.WebhookSecretRotated{Secret: b.Secret, Overlap: now.Add(overlap)})
}

func setWebhookHeader(s State, b events.SetWebhookHeader) ([]events.Event, events.Reply) {
	if s.Webhooks.header(b.Name) < 0 && len(s.Webhooks.Headers) >= contract.MaxWebhookHeaders {
		return refuse(events.TooManyHeaders)
	}
	return accept(events.WebhookHeaderSet(b))
}

func deleteWebhookHeader(s State, b events.DeleteWebhookHeader) ([]events.Event, events.Reply) {
	if s.Webhooks.header(b.Name) < 0 {
		return refuse(events.NoSuchHeader)
	}
	return accept(events.WebhookHeaderDeleted(b))
}

// evolveWebhooks does not change the slice of w.
func evolveWebhooks(w Webhooks, ev events.Event) Webhooks {
	switch e := ev.(type) {
	case events.WebhookSecretRotated:
		w.Secret, w.Previous, w.Overlap = e.Secret, w.Secret, e.Overlap
	case events.WebhookHeaderSet:
		w = w.without(e.Name)
		w.Headers = append(w.Headers, WebhookHeader(e))
	case events.WebhookHeaderDeleted:
		w = w.without(e.Name)
	}
	return w
}

// without returns a copy that lacks a header.
func (w Webhooks) without(name string) Webhooks {
	w.Headers = slices.DeleteFunc(slices.Clone(w.Headers), func(h WebhookHeader) bool { return strings.EqualFold(h.Name, name) })
	if len(w.Headers) == 0 {
		w.Headers = nil // as decoding has it
	}
	return w
}
