package main

import (
	"encoding/csv"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
	"platen.dev/ledger/embedded"
)

// TestAdminUsage queries the ledger on the command line, and gets the API's answers.
func TestAdminUsage(t *testing.T) {
	const entries = 1200 // more than a page
	m := newMachine(t)
	p := m.start(t)
	account := strings.Fields(m.admin(t, "account", "create", "--plan", "pro"))[2]
	key := strings.Fields(m.admin(t, "key", "create", account))[0]
	at := time.Now().UTC().Add(-time.Hour).Truncate(time.Second)
	chargeUsage(t, m, account, entries, at)

	out := m.admin(t, "usage", account, "--bucket", "total", "--group-by", "operation")
	for _, want := range []string{"in the ledger, which is what is billed", "platen admin account usage " + account, "1,200  1,200,000    1,200", "html-to-pdf", "█"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if live := m.admin(t, "account", "usage", account); !strings.Contains(live, "live quota") || !strings.Contains(live, "platen admin usage "+account) {
		t.Errorf("the live quota is not labelled:\n%s", live)
	}
	span := []string{"--from", at.Format(time.RFC3339), "--to", at.Add(2 * time.Second).Format(time.RFC3339)}
	got := m.admin(t, append([]string{"usage", account, "--csv", "--bucket", "hour", "--time-zone", "Europe/Berlin", "--group-by", "key,tag:c"}, span...)...)
	want := usageCSV(t, p.address, key, "/usage?format=csv&bucket=hour&time_zone=Europe/Berlin&group_by=key,tag:c&from="+span[1]+"&to="+span[3])
	if got != want || strings.Count(got, "\r\n") != 2 {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	list, err := csv.NewReader(strings.NewReader(m.admin(t, "usage", account, "--entries", "--csv"))).ReadAll()
	if err != nil || len(list) != entries+1 {
		t.Errorf("%d lines of entries, %v", len(list), err)
	}
	if shown := m.admin(t, "usage", account, "--entries"); strings.Count(shown, "/debit") != entries || strings.Count(shown, "OPERATION") != 1 {
		t.Errorf("the entries have %d lines", strings.Count(shown, "\n"))
	}
	for _, tc := range []struct{ args, want string }{
		{account + " --bucket week", "bucket: Input should be"},
		{account + " --from yesterday --group-by x", "from must be a time"},
		{account + " --entries --group-by key", "leave --bucket and --group-by out"},
		{"acc_nobody", "no account acc_nobody"},
	} {
		if err := run(strings.Fields("admin usage "+tc.args+" --data "+m.data), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want an error with %q", tc.args, err, tc.want)
		}
	}
}

// chargeUsage puts entries into the ledger of a machine, as a second process may.
func chargeUsage(t *testing.T, m *machine, account string, n int, at time.Time) {
	t.Helper()
	l, err := embedded.Open(t.Context(), filepath.Join(m.data, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b := ledger.Batch{Topic: "test", Hi: int64(n) - 1}
	for i := range n {
		job := events.NewJobID().String()
		b.Entries = append(b.Entries, ledger.Entry{
			ID: job + "/debit", Account: account, Job: job, Kind: ledger.Debit, Key: "key_a", Operation: "html-to-pdf", Tags: []ledger.Tag{{Name: "c", Value: "=1"}},
			Occurred: at, Window: at, Units: 1, Bytes: 1000, Source: ledger.Source{Topic: b.Topic, Offset: int64(i)},
		})
	}
	if err := l.Append(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}

func usageCSV(t *testing.T, address, key, path string) string {
	t.Helper()
	req, err := http.NewRequest("GET", address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%d %s %v", resp.StatusCode, b, err)
	}
	return string(b)
}
