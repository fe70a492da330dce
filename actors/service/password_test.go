package service

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
)

const (
	composed, decomposed = "Zürich déjà vu", "Zu\u0308rich de\u0301ja\u0300 vu"
	unassigned           = "\u0378"
)

// A password is the same however a keyboard sends its letters. Hashes of unprepared passwords still match what they were made of.
func TestSamePassword(t *testing.T) {
	p := newPasswords()
	prepared := func(typed string) string {
		password, wrong := newPassword(typed, typed, "ada@example.com")
		if wrong != "" {
			t.Fatalf("%q is refused: %s", typed, wrong)
		}
		return hashed(t, p, password)
	}
	asTyped := func(typed string) string { return hashed(t, p, typed) } // as it was before
	for name, tc := range map[string]struct {
		hash, typed string
		same        bool
	}{
		"composed, decomposed":     {prepared(composed), decomposed, true},
		"decomposed, composed":     {prepared(decomposed), composed, true},
		"decomposed":               {prepared(decomposed), decomposed, true},
		"another":                  {prepared(composed), "Zurich deja vu", false},
		"another case":             {prepared(composed), strings.ToUpper(composed), false},
		"spaces":                   {prepared("correct\u00a0horse\u3000battery"), "correct horse battery", true},
		"emoji":                    {prepared("correct horse 🔋🐎"), "correct horse 🔋🐎", true},
		"old, composed":            {asTyped(composed), composed, true},
		"old, composed, otherwise": {asTyped(composed), decomposed, true},
		"old, decomposed":          {asTyped(decomposed), decomposed, true},
		"old, another":             {asTyped(decomposed), "Zu\u0308rich de\u0301ja vu", false},
		"old, with a tab":          {asTyped("correct\thorse battery"), "correct\thorse battery", true},
		"old, unassigned":          {asTyped("correct horse " + unassigned), "correct horse " + unassigned, true},
		"nobody's":                 {p.unknown(), composed, false},
		"the longest":              {asTyped(strings.Repeat("ab", 64)), strings.Repeat("ab", 64), true},
		"the longest, decomposed":  {prepared(strings.Repeat("ǘǜ", 64)), strings.Repeat("u\u0308\u0301u\u0308\u0300", 64), true},
		"too long, as if empty":    {asTyped("x"), strings.Repeat("x", maxTyped+1), false},
	} {
		err := p.compare(tc.hash, tc.typed)
		if tc.same && err != nil || !tc.same && !errors.Is(err, errNoMatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func hashed(t *testing.T, p *passwords, password string) string {
	t.Helper()
	hash, err := p.hash(password)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// A typed password costs one comparison, and two only if preparing it changes it: never more.
func TestComparisons(t *testing.T) {
	for typed, want := range map[string][]string{
		"":                                   {""},
		"correct horse":                      {"correct horse"},
		composed:                             {composed},
		decomposed:                           {composed, decomposed},
		"a\u00a0b":                           {"a b", "a\u00a0b"},
		"a\tb":                               {"a\tb"},
		"\xff":                               {"\xff"},
		strings.Repeat("e\u0301", 256):       {strings.Repeat("é", 256), strings.Repeat("e\u0301", 256)},
		strings.Repeat("e\u0301", 256) + "x": {""},
	} {
		if got := spellings(typed); !slices.Equal(got, want) {
			t.Errorf("%.30q may be hashed as %.60q, want %.60q", typed, got, want)
		}
	}
}

// A new password is judged in its prepared form.
func TestNewPassword(t *testing.T) {
	for name, tc := range map[string]struct {
		typed, repeated string
		wrong           Code
	}{
		"good":                  {"correct horse", "", ""},
		"shortest":              {strings.Repeat("ab", 6), "", ""},
		"shorter":               {strings.Repeat("ab", 5) + "a", "", PasswordShort},
		"short once composed":   {strings.Repeat("e\u0301a", 4), "", PasswordShort},
		"nothing":               {"", "", PasswordShort},
		"longest":               {strings.Repeat("ab", 64), "", ""},
		"longer":                {strings.Repeat("ab", 64) + "a", "", PasswordLong},
		"longest once composed": {strings.Repeat("ab", 63) + "e\u0301a", "", ""},
		"much longer":           {strings.Repeat("a", 4<<20), "", PasswordLong},
		"repeated otherwise":    {composed, decomposed, ""},
		"not repeated":          {composed, "Zurich deja vu", PasswordsDiffer},
		"an unusable repeat":    {composed, composed + "\t", PasswordsDiffer},
		"a tab":                 {"correct\thorse battery", "", PasswordSigns},
		"unassigned":            {"correct horse " + unassigned, "", PasswordSigns},
		"not UTF-8":             {"correct horse \xff", "", PasswordSigns},
		"the address":           {"ada@example.com", "", PasswordGuessable},
		"one letter":            {strings.Repeat("é", 12), "", PasswordGuessable},
		"one letter, composed":  {strings.Repeat("e\u0301", 12), "", PasswordGuessable},
	} {
		repeated := tc.repeated
		if repeated == "" {
			repeated = tc.typed
		}
		password, wrong := newPassword(tc.typed, repeated, "Ada@example.com")
		if wrong != tc.wrong {
			t.Errorf("%s: %q, want %q", name, wrong, tc.wrong)
		}
		if again, err := prepare(password); wrong == "" && (again != password || err != nil) {
			t.Errorf("%s: %q is not prepared: %v", name, password, err)
		}
	}
}

// BenchmarkPrepare measures the preparation of the longest password: it must be cheap compared with the hash.
func BenchmarkPrepare(b *testing.B) {
	for name, typed := range map[string]string{"letters": strings.Repeat("x", maxTyped), "accents": strings.Repeat("\u0301", maxTyped)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				spellings(typed)
			}
		})
	}
	b.Run("hash", func(b *testing.B) {
		for b.Loop() {
			_, _ = argon2id.CreateHash("x", hashing)
		}
	})
}

// Those who wait for a password to be hashed are bounded, and each makes room when it is done.
func TestHashesAreBounded(t *testing.T) {
	p := newPasswords()
	var ends []func()
	for range hashesAtOnce {
		end, err := p.enter()
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	p.waiting.Add(hashesWaiting)
	if _, err := p.enter(); CodeOf(err) != SignInCrowd {
		t.Errorf("one more waits: %v", err)
	}
	p.waiting.Add(-hashesWaiting)
	for _, end := range ends {
		end()
	}
	if hashed(t, p, "correct horse") == "" || p.waiting.Load() != 0 {
		t.Errorf("%d wait", p.waiting.Load())
	}
}
