package apikey

import (
	"strings"
	"testing"
)

func TestNewKeysAreTakenAndChangedOnesAreNot(t *testing.T) {
	for range 200 {
		secret, key := New(Live, 1)
		hash, ok := Hash(secret)
		if !ok || hash != key.Hash || key.Prefix != Live || !strings.HasSuffix(secret, key.LastFour) {
			t.Fatalf("secret %q, key %+v: not taken", secret, key)
		}
		for i := len(Live); i < len(secret); i++ {
			other := byte('x')
			if secret[i] == other {
				other = 'y'
			}
			if _, ok := Hash(secret[:i] + string(other) + secret[i+1:]); ok {
				t.Fatalf("a change at %d of %q goes unnoticed", i, secret)
			}
		}
	}
}

func TestForeignFormsAreRefused(t *testing.T) {
	secret, _ := New(Test, 1)
	for _, s := range []string{"", "sk_live_", secret[1:], secret + "0", "pk_live_" + secret[len(Live):], strings.Repeat("a", 1<<16)} {
		if _, ok := Hash(s); ok {
			t.Errorf("%.60q is taken", s)
		}
	}
}
