package embedded

import (
	"path/filepath"
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/ledgertest"
)

// The contract holds on a file.
func TestSuite(t *testing.T) {
	ledgertest.Run(t, func(t testing.TB) ledgertest.Storage {
		path := filepath.Join(t.TempDir(), "new", "ledger.db")
		return ledgertest.Storage{Open: func(t testing.TB) ledger.Ledger { return mustOpen(t, path) }}
	})
}

func mustOpen(t testing.TB, path string) *Ledger {
	t.Helper()
	l, err := Open(testkit.Context(t), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
