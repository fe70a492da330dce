package seal

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"slices"
	"testing"

	"platen.dev/events"
)

func TestSeal(t *testing.T) {
	secret, job := NewSecret(), events.NewJobID()
	k := NewKey(Secrets{Present: secret})
	sealed := k.Seal(job, "user:secret")
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the credential can be read")
	}
	if again := k.Seal(job, "user:secret"); bytes.Equal(again, sealed) {
		t.Error("sealing one credential twice gives the same bytes")
	}
	if got, err := NewKey(Secrets{Present: secret}).Open(job, sealed); got != "user:secret" || err != nil {
		t.Errorf("got %q %v", got, err)
	}
	damaged := append(events.Sealed(nil), sealed...)
	damaged[len(damaged)-1] ^= 1
	for name, open := range map[string]func() (string, error){
		"another key": func() (string, error) { return NewKey(Secrets{Present: NewSecret()}).Open(job, sealed) },
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

// A fingerprint is the same on all nodes, and reveals nothing without the key.
func TestFingerprint(t *testing.T) {
	secret := NewSecret()
	k, digest := NewKey(Secrets{Present: secret}), [32]byte{1}
	if got := k.Fingerprint(digest); got != NewKey(Secrets{Present: secret}).Fingerprint(digest) || got == digest || got == k.Fingerprint([32]byte{2}) || got == NewKey(Secrets{Present: NewSecret()}).Fingerprint(digest) {
		t.Errorf("fingerprint %x", got)
	}
	if k.Fingerprint([32]byte{}) == k.WebhookKey(events.AccountID(make([]byte, 32))) {
		t.Error("a fingerprint is the key of an account")
	}
}

// After a rotation, values sealed with earlier secrets can be opened, and so can those of nodes that have rotated already. Derived values stay the
// same.
func TestRotation(t *testing.T) {
	first, second, third, job := NewSecret(), NewSecret(), NewSecret(), events.NewJobID()
	old := NewKey(Secrets{Present: first})
	waiting := NewKey(Secrets{Present: first, Next: second})
	rotated := NewKey(Secrets{Present: first})
	sealed := rotated.Seal(job, "of the first")
	rotated.Replace(Secrets{Present: second, Former: [][]byte{first}})
	again := NewKey(Secrets{Present: third, Former: [][]byte{second, first}})
	for _, k := range []*Key{waiting, rotated, again} {
		if got, err := k.Open(job, sealed); got != "of the first" || err != nil {
			t.Errorf("got %q %v", got, err)
		}
		if got, err := k.Open(job, rotated.Seal(job, "of the second")); got != "of the second" || err != nil {
			t.Errorf("got %q %v", got, err)
		}
		if k.WebhookKey("acc") != old.WebhookKey("acc") || k.Fingerprint([32]byte{1}) != old.Fingerprint([32]byte{1}) {
			t.Error("what is derived has changed")
		}
	}
	if _, err := old.Open(job, rotated.Seal(job, "x")); !errors.Is(err, ErrSealed) {
		t.Errorf("the rotated key seals with the first secret: %v", err)
	}
	if got, err := old.Open(job, waiting.Seal(job, "x")); got != "x" || err != nil {
		t.Errorf("the next secret seals already: %q %v", got, err)
	}
}

// A node's own secrets stay, and stay the oldest, when people choose others: what they sealed can be opened, and derived values are the same.
func TestOwnBeforeChosen(t *testing.T) {
	first, second, job := NewSecret(), NewSecret(), events.NewJobID()
	alone := Secrets{Present: second, Former: [][]byte{first}}
	given := Secrets{Present: []byte("chosen again"), Former: [][]byte{[]byte("chosen")}, Chosen: true, Own: [][]byte{second, first}}
	old, k := NewKey(alone), NewKey(given)
	if got, err := k.Open(job, old.Seal(job, "x")); got != "x" || err != nil {
		t.Errorf("got %q %v", got, err)
	}
	if k.WebhookKey("acc") != old.WebhookKey("acc") || k.Fingerprint([32]byte{1}) != old.Fingerprint([32]byte{1}) {
		t.Error("what is derived has changed")
	}
	if without := NewKey(Secrets{Present: given.Present, Former: given.Former, Chosen: true}); k.OldestName() != old.OldestName() || k.OldestName() == without.OldestName() {
		t.Error("the oldest secret is not named")
	}
	if _, err := old.Open(job, k.Seal(job, "x")); !errors.Is(err, ErrSealed) {
		t.Errorf("a node's own secret still seals: %v", err)
	}
	if names := given.Names(); len(names) != 4 || !slices.Equal(names[2:], alone.Names()) || !k.Signers()[2].Equal(old.Signers()[0]) {
		t.Errorf("the names %q, the signers of evidence %v", names, k.Signers())
	}
}

// All nodes sign evidence alike, with the present secret; signatures of former and next secrets can be verified.
func TestSigners(t *testing.T) {
	first, second := NewSecret(), NewSecret()
	old, rotated, waiting := NewKey(Secrets{Present: first}), NewKey(Secrets{Present: second, Former: [][]byte{first}}), NewKey(Secrets{Present: first, Next: second})
	same := func(a, b ed25519.PrivateKey) bool { return a.Equal(b) }
	if !same(old.Signers()[0], waiting.Signers()[0]) || same(old.Signers()[0], rotated.Signers()[0]) {
		t.Error("the present secret does not sign")
	}
	if !same(rotated.Signers()[1], old.Signers()[0]) || !same(waiting.Signers()[1], rotated.Signers()[0]) {
		t.Error("the keys of other secrets are not known")
	}
}

// Values sealed in the first form, under a plain hash of the secret, can be opened, even after the secret was rotated. Derived values are unchanged.
func TestFirstForm(t *testing.T) {
	first, job := []byte("0123456789abcdef"), events.JobID([]byte("fedcba9876543210"))
	value := func(text string) []byte {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	ofJob := value("f24a8a33314c225bcaaddf0d76fbd278785628dc66177b6c6b3959016dd81c904cba5e1b3a519e")
	ofAccount := value("80d9cdd76c6b1066f5cf9d04609d0341d91909167e29ff2f5d4713e851e662886bf7523893d98a91fa")
	for name, s := range map[string]Secrets{
		"of a node":             {Present: first},
		"of a cluster":          {Present: first, Chosen: true},
		"of a cluster, rotated": {Present: []byte("another"), Former: [][]byte{first}, Chosen: true},
	} {
		k := NewKey(s)
		if got, err := k.Open(job, ofJob); got != "user:secret" || err != nil {
			t.Errorf("%s: got %q %v", name, got, err)
		}
		if got, err := k.OpenFor("acc", ofAccount); got != "of an account" || err != nil {
			t.Errorf("%s: got %q %v", name, got, err)
		}
		if got := k.WebhookKey("acc"); !bytes.Equal(got[:], value("7f9af5b5780aca74554fc00da7ae9225d37d3d37fce4ceb8c84c617af1e489ba")) {
			t.Errorf("%s: webhooks are signed with %x", name, got)
		}
		if got := k.Fingerprint([32]byte{1}); !bytes.Equal(got[:], value("8b2fefb4994feeeb2e8727cd759bb8dfc29f8726c720eaa12802e7b3898d5fdf")) {
			t.Errorf("%s: fingerprint %x", name, got)
		}
	}
}

// Nothing is sealed in the first form any more, nor without stretching a secret that was chosen.
func TestPresentForm(t *testing.T) {
	secret, job := []byte("0123456789abcdef"), events.NewJobID()
	chosen, random := NewKey(Secrets{Present: secret, Chosen: true}), NewKey(Secrets{Present: secret})
	for _, k := range []*Key{chosen, random} {
		if _, err := aeadOf(hashed("platen seal v1", secret)).Open(nil, nil, k.Seal(job, "x"), job[:]); err == nil {
			t.Error("it is sealed under a plain hash of the secret")
		}
	}
	if _, err := random.Open(job, chosen.Seal(job, "x")); !errors.Is(err, ErrSealed) {
		t.Errorf("it is sealed under a key that is quickly derived: %v", err)
	}
}

// A secret has one name, regardless of the others, and different secrets have different names.
func TestNames(t *testing.T) {
	a, b := Secrets{Present: []byte("one")}.Names(), Secrets{Present: []byte("two"), Former: [][]byte{[]byte("one")}}.Names()
	if len(a) != 1 || len(b) != 2 || b[1] != a[0] || b[0] == a[0] || len(a[0]) != 16 {
		t.Errorf("named %q, and after a rotation %q", a, b)
	}
	chosen := Secrets{Present: []byte("one"), Chosen: true, Next: []byte("two")}.Names()
	if len(chosen) != 2 || slices.Contains(append(a, b...), chosen[0]) || chosen[0] == chosen[1] {
		t.Errorf("secrets that people chose are named %q", chosen)
	}
}
