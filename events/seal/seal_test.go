package seal

import (
	"bytes"
	"errors"
	"testing"

	"platen.dev/events"
)

func TestSeal(t *testing.T) {
	secret, job := NewSecret(), events.NewJobID()
	k := NewKey(secret)
	sealed := k.Seal(job, "user:secret")
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the credential can be read")
	}
	if again := k.Seal(job, "user:secret"); bytes.Equal(again, sealed) {
		t.Error("sealing one credential twice gives the same bytes")
	}
	if got, err := NewKey(secret).Open(job, sealed); got != "user:secret" || err != nil {
		t.Errorf("got %q %v", got, err)
	}
	damaged := append(events.Sealed(nil), sealed...)
	damaged[len(damaged)-1] ^= 1
	for name, open := range map[string]func() (string, error){
		"another key": func() (string, error) { return NewKey(NewSecret()).Open(job, sealed) },
		"another job": func() (string, error) { return k.Open(events.NewJobID(), sealed) },
		"damaged":     func() (string, error) { return k.Open(job, damaged) },
		"short":       func() (string, error) { return k.Open(job, sealed[:5]) },
	} {
		if got, err := open(); got != "" || !errors.Is(err, ErrSealed) {
			t.Errorf("%s: got %q %v", name, got, err)
		}
	}
	if got := k.Seal(job, ""); got != nil {
		t.Errorf("nothing became %x", got)
	}
	if got, err := k.Open(job, nil); got != "" || err != nil {
		t.Errorf("nothing became %q %v", got, err)
	}
}

// A fingerprint is the same on all nodes, and tells nothing without the key.
func TestFingerprint(t *testing.T) {
	secret := NewSecret()
	k, digest := NewKey(secret), [32]byte{1}
	if got := k.Fingerprint(digest); got != NewKey(secret).Fingerprint(digest) || got == digest || got == k.Fingerprint([32]byte{2}) || got == NewKey(NewSecret()).Fingerprint(digest) {
		t.Errorf("fingerprint %x", got)
	}
	if k.Fingerprint([32]byte{}) == k.WebhookKey(events.AccountID(make([]byte, 32))) {
		t.Error("a fingerprint is the key of an account")
	}
}
