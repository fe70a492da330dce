//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/embedded"
)

// printed is a quota window that a node shows, with its fingerprint.
type printed struct {
	Account     events.AccountID `json:"-"`
	Start       time.Time        `json:"start"`
	Entries     int              `json:"entries"`
	Fingerprint struct {
		SHA256 string `json:"sha256"`
	} `json:"fingerprint"`
}

// awaitWindow returns the only quota window of an account once the node's ledger has a number of
// its entries.
func (p *process) awaitWindow(t *testing.T, from client, account events.AccountID, entries int) printed {
	t.Helper()
	w := printed{Account: account}
	testkit.Eventually(t, fmt.Sprintf("the window has %d entries", entries), func() bool {
		var list struct {
			Windows []printed `json:"windows"`
		}
		from.read(t, p.address+"/usage/windows", &list)
		if len(list.Windows) != 1 || list.Windows[0].Entries < entries {
			return false
		}
		from.read(t, p.address+"/usage/windows/"+list.Windows[0].Start.UTC().Format(time.RFC3339), &w)
		return true
	})
	if w.Entries != entries {
		t.Fatalf("the window has %d entries, want %d", w.Entries, entries)
	}
	return w
}

// read decodes what a GET answers.
func (c client) read(t *testing.T, url string, into any) {
	t.Helper()
	status, answer, err := c.do("GET", url, nil)
	if err != nil || status != 200 {
		t.Fatalf("%s: %d %s %v", url, status, answer, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatal(err)
	}
}

// checkFromEvents checks that a window's fingerprint is the one that a customer computes from what
// `platen events tail` prints, without Platen.
func (m *machine) checkFromEvents(t *testing.T, w printed) {
	t.Helper()
	start := w.Start.UTC().Format(time.RFC3339)
	script := exec.CommandContext(t.Context(), "python3", "../../docs/consumers/fingerprint.py", string(w.Account), start)
	script.Stdin = strings.NewReader(m.tail(t, "--since", "1h", "--once", "--json", "--account", string(w.Account)))
	out, err := script.Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(out)); got != w.Fingerprint.SHA256 {
		t.Errorf("the events of %s from %s have the fingerprint %s, the node shows %s", w.Account, start, got, w.Fingerprint.SHA256)
	}
}

// checkFromLedger checks that a window's fingerprint is that of the entries in the ledger's file. No
// node may run.
func (m *machine) checkFromLedger(t *testing.T, w printed) {
	t.Helper()
	l, err := embedded.Open(t.Context(), filepath.Join(m.data, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	page, err := l.Entries(t.Context(), ledger.EntryQuery{
		Account: string(w.Account), From: ledger.MinTime, To: ledger.MaxTime, Window: w.Start, Limit: ledger.MaxPage,
	})
	if err != nil || len(page.Entries) != w.Entries {
		t.Fatalf("the ledger has %d entries, want %d: %v", len(page.Entries), w.Entries, err)
	}
	f := ledger.NewFingerprint(string(w.Account), w.Start)
	for _, e := range page.Entries {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprintf("%x", f.Sum()); got != w.Fingerprint.SHA256 {
		t.Errorf("the ledger has the fingerprint %s, the node shows %s", got, w.Fingerprint.SHA256)
	}
	t.Logf("%d entries of %s from %s: %s", w.Entries, w.Account, w.Start, w.Fingerprint.SHA256)
}
