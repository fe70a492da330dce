package secret

import (
	"errors"
	"fmt"
	"strings"
)

// MinLength and MaxLength bound a secret in bytes.
const (
	MinLength = 16
	MaxLength = 1024
	// minDistinct is the minimum number of different characters, not counting well-known words.
	minDistinct = 8
)

// ErrWeak means that a secret is too easy to guess.
var ErrWeak = errors.New("the secret is too weak")

// advice ends every error of Check.
const advice = "`platen admin cluster secret` prints a good one"

// Check returns ErrWeak, with the reason and advice, for a secret that a cluster must not be given: a
// short one, or one made by a simple rule. It cannot know what a person would guess.
func Check(secret string) error {
	if reason := weakness(secret); reason != "" {
		return fmt.Errorf("%w: %s; %s", ErrWeak, reason, advice)
	}
	return nil
}

func weakness(secret string) string {
	rest := withoutWords(secret)
	switch {
	case len(secret) < MinLength:
		return fmt.Sprintf("it has %d characters, and needs at least %d", len(secret), MinLength)
	case len(secret) > MaxLength:
		return fmt.Sprintf("it has %d characters, and may have at most %d", len(secret), MaxLength)
	case repeats(secret):
		return "it repeats itself"
	case 3*inSequence(secret) >= 2*len(secret):
		return "most of it is a sequence, such as 1234 or aaaa"
	case distinct(secret) < minDistinct:
		return fmt.Sprintf("it has fewer than %d different characters", minDistinct)
	case len(rest) < MinLength/2 || distinct(rest) < minDistinct:
		return "most of it is well-known words, such as those of samples"
	}
	return ""
}

// repeats reports whether a text is a shorter one repeated, the last time perhaps in part.
func repeats(text string) bool {
	for period := 1; period <= len(text)/2; period++ {
		if text[period:] == text[:len(text)-period] {
			return true
		}
	}
	return false
}

// rows are the rows of keyboards, whose neighbours form a sequence like those of the alphabet.
const rows = "qwertyuiopasdfghjklzxcvbnm qwertzuiop yxcvbnm azertyuiop qsdfghjklm"

// inSequence counts the bytes that follow from the previous one: the same one, or its neighbour in
// the alphabet, among the digits or on a keyboard, forwards or backwards.
func inSequence(text string) (n int) {
	text = strings.ToLower(text)
	for i := 1; i < len(text); i++ {
		a, b := text[i-1], text[i]
		step := int(b) - int(a)
		if step >= -1 && step <= 1 || step == 'a'-'9' || step == '9'-'a' ||
			strings.Contains(rows, string([]byte{a, b})) || strings.Contains(rows, string([]byte{b, a})) {
			n++
		}
	}
	return n
}

func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}

// words are words that samples and hurried people put into secrets.
var words = []string{
	"password", "passw0rd", "passwort", "passphrase", "secret", "s3cret", "changeme", "change", "replace", "default", "example", "sample",
	"platen", "cluster", "gossip", "admin", "root", "test", "demo", "please", "letmein", "welcome", "correct", "horse", "battery", "staple",
}

// withoutWords removes the well-known words from a text.
func withoutWords(text string) string {
	text = strings.ToLower(text)
	for _, w := range words {
		text = strings.ReplaceAll(text, w, "")
	}
	return text
}
