package secret

import (
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// The keys of a secret never change, because what they have sealed is kept.
func TestKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		root Root
		want string
	}{
		"stretched": {Stretch("a secret that somebody chose"), "18b1b5d1a376afce58d62f1b66efb4b1ad401fb6a86f2d1bb447f3df1308dcef"},
		"random":    {Random([]byte("32 bytes that stand for random..")), "c45e2e930687865cd2563fc9b46c47dc9b44849dacc57c8705a5fc39086aae0a"},
	} {
		key := tc.root.Key("purpose")
		if got := hex.EncodeToString(key[:]); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
		if key == tc.root.Key("another") || key == [32]byte(tc.root) {
			t.Errorf("%s: two purposes have one key", name)
		}
	}
	if one := Stretch("one"); one == Stretch("two") || one != Stretch(strings.Clone("one")) {
		t.Error("a secret has one root, and another secret another one")
	}
}

func TestCheck(t *testing.T) {
	const long = "kq8Zt2vXw7Lm"
	for _, good := range []string{
		New(), "r7Kq2mXv9TzLp4Wd", "4f9c1b7e20d85a36e19b7d4c02f8a653", "glacier-umbrella-quartz-77", "a secret of Jürgen's aunt, 1987",
		"platen-cluster-" + long, long + "test" + "0Yd9", strings.Repeat("r7Kq2mXv9TzLp4Wd~", 60)[:MaxLength-40] + New()[:40],
	} {
		if err := Check(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for weak, reason := range map[string]string{
		"":                                  "has 0 characters",
		"r7Kq2mXv9TzLp4W":                   "has 15 characters",
		New() + strings.Repeat("x", 1024):   "at most 1024",
		"aaaaaaaaaaaaaaaa":                  "repeats",
		"k7Rw9xk7Rw9xk7Rw9x":                "repeats",
		"k7Rw9xQzk7Rw9xQzk":                 "repeats",
		"0123456789abcdef":                  "sequence",
		"fedcba9876543210":                  "sequence",
		"qwertyuiopasdfgh":                  "sequence",
		"aaaabbbbccccddddeeeeffff":          "sequence",
		"abacadaeafbabcbd":                  "different characters",
		"a1c3a5c1a3c5a1c5c3a1":              "different characters",
		"changeme-changeme-please":          "well-known words",
		"correct horse battery staple":      "well-known words",
		"PlatenClusterSecret2026":           "well-known words",
		"my-platen-cluster-secret-password": "well-known words",
	} {
		err := Check(weak)
		if !errors.Is(err, ErrWeak) || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), "platen admin cluster secret") {
			t.Errorf("%q: %v, want %q", weak, err, reason)
		}
	}
}

// Every secret that New prints, and every random one of 128 bits in hexadecimal, is good enough.
func TestRandomSecretsAreGood(t *testing.T) {
	seen, random := map[string]bool{}, rand.NewChaCha8([32]byte{})
	for range 10000 {
		s := New()
		if err := Check(s); err != nil || seen[s] || len(s) != 43 {
			t.Fatalf("%q: %v", s, err)
		}
		seen[s] = true
		bits := make([]byte, 16)
		random.Read(bits)
		if short := hex.EncodeToString(bits); Check(short) != nil {
			t.Fatalf("%q: %v", short, Check(short))
		}
	}
}
