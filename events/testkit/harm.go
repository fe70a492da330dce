package testkit

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Harm flips a bit of a file in a directory, truncates the file, or removes it. It returns a description.
func Harm(t testing.TB, dir string, rng *rand.Rand) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.Mode().IsRegular() || info.Size() == 0
	})
	name := names[rng.IntN(len(names))]
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	at, what := rng.IntN(len(content)), "with a flipped bit in "
	switch rng.IntN(10) {
	case 0:
		what, err = "without ", os.Remove(name)
	case 1:
		what, err = "with the beginning of ", os.WriteFile(name, content[:at], 0o600)
	default:
		content[at] ^= 1 << rng.IntN(8)
		err = os.WriteFile(name, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return what + filepath.Base(name)
}
