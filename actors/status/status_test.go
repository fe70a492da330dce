package status

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
	"go.uber.org/goleak"

	"platen.dev/actors/cluster"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, testkit.LeftByRemoting()...) }

var update = flag.Bool("update", false, "write the golden tables")

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// sound is a node that is well, and owns partitions.
func sound(id string, owned ...int32) Node {
	n := Node{
		ID: events.NodeID("node-" + id + "-f000-431d-9597-1f3d8ba50a52"), State: Serving, Version: "1.4.0", Level: 2, Address: "10.0.0.1:7947", API: "http://[::]:8080", UpSeconds: 93784,
		Lanes:    map[string]Jobs{"quick": {0, 1}, "slow": {}, "remote": {0, 4}},
		Browsers: Browsers{Slots: 9, Remotes: 24, Leased: 5, Running: true, Bytes: 190 << 20, Own: 4}, Store: Store{Place: "s3://acme-results/platen"},
		Ledger: Ledger{Place: "ch1:9000,ch2:9000", DelaySeconds: 0.412}, Disks: []Disk{{Name: "data", Free: 120 << 30, Total: 400 << 30, Reserve: 1 << 30, FreeInodes: 20_000_000, ReserveInodes: 4096}},
		Certificates: []Certificate{{Name: "api", Expires: noon.AddDate(0, 2, 0)}, {Name: "cluster", Expires: noon.AddDate(1, 0, 0)}}, ClockSeconds: 0.003,
	}
	for _, p := range owned {
		n.Owned++
		n.Hold(p)
	}
	return n
}

// seen is what a node sees of partitions of level 2 with owners.
func seen(owners ...events.NodeID) Seen {
	s := Seen{At: noon, Node: owners[0], Log: "kafka", Owners: owners}
	for range owners {
		s.Levels = append(s.Levels, 2)
	}
	return s
}

// cases are clusters, named after what is wrong with them.
func cases() map[string]Report {
	a, b, c := sound("aaaa1111", 0, 1), sound("bbbb2222", 2, 3), sound("cccc3333", 4, 5)
	all := seen(a.ID, a.ID, b.ID, b.ID, c.ID, c.ID)
	made := map[string]Report{}

	one := sound("aaaa1111", 0, 1, 2, 3)
	one.Address, one.Store, one.Ledger.Place, one.Certificates, one.ClockSeconds = "", Store{"/var/lib/platen/files", true}, "file", nil, 0
	alone := seen(one.ID, one.ID, one.ID, one.ID)
	alone.Log = "embedded"
	made["one"] = Assemble(alone, []Node{one})
	made["three"] = Assemble(all, []Node{a, b, c})

	busy := b
	busy.Lanes = map[string]Jobs{"quick": {1203, 18}, "slow": {40, 4}, "remote": {12, 24}}
	busy.Accounts = []Account{{"acc_0123456789abcdef", 1100, 12}, {"acc_x", 155, 34}}
	next := c
	next.Version, next.Level, next.Accounts = "1.5.0-rc1", 3, []Account{{"acc_x", 2, 1}}
	made["busy"] = Assemble(all, []Node{next, busy, a})

	gone := Node{ID: c.ID, State: Gone, Address: "10.0.0.3:7946", Reason: "it went down without leaving", DownSeconds: 42}
	silent := Node{ID: b.ID, State: Silent, Version: "1.4.0", Level: 2, Address: "10.0.0.2:7947", Reason: "not within 1s (future: timeout)"}
	made["dead"] = Assemble(all, []Node{a, silent, gone})
	older := Node{ID: b.ID, State: Older, Version: "1.3.2", Level: 2, Address: "10.0.0.2:7947", Reason: "it runs a version that cannot be asked"}
	made["older"] = Assemble(all, []Node{a, older, c})

	stuck := b
	stuck.Halted, stuck.Starting, stuck.Owned = 1, 1, 2
	stuck.Unserved = []Unserved{{2, halted, "the topic of the commands is another one"}, {3, "starting", ""}}
	suspended := c
	suspended.State, suspended.Reason = Suspended, "files: https://s3.acme.example refuses: AccessDenied (403)"
	suspended.Disks = []Disk{{Name: "data", Free: 1500 << 20, Total: 400 << 30, Reserve: 1 << 30, FreeInodes: 20_000_000, ReserveInodes: 4096}}
	made["faults"] = Assemble(all, []Node{a, stuck, suspended})

	worse := a
	worse.State, worse.Reason, worse.JobsRefused = Unready, "this node's clock disagrees with the others'", "the disk of /var/lib/platen has 800 MB free, its reserve is 1024 MB: make room"
	worse.AppendFailure, worse.AppendFailureSeconds = "append: no access to Kafka: allow User:platen Write on topic platen.commands", 7
	worse.Disks = []Disk{{Name: "data", Free: 800 << 20, Total: 400 << 30, Reserve: 1 << 30, FreeInodes: 20_000_000, ReserveInodes: 4096}}
	worse.Lag, worse.Browsers.Running, worse.ClockSeconds, worse.ClockHeldSeconds, worse.Mismatches = MaxLag+1, false, 3, 90000, 1
	worse.Ledger.StalledSeconds, worse.Ledger.Poisoned = MaxLedgerStall+1, 2
	worse.Ledger.StallReason, worse.Ledger.StalledPartition, worse.Ledger.StalledPartitions = "record 66 of platen.events/6 is missing, 67 follows", 6, 1
	worse.Certificates = slices.Clone(worse.Certificates)
	worse.Certificates[0].Expires = noon.Add(MinValidity - time.Hour)
	draining := b
	draining.State, draining.Store = Draining, Store{"/var/lib/platen/files", true}
	mixed := all
	mixed.Levels = slices.Clone(all.Levels)
	mixed.Levels[0] = 3
	made["worse"] = Assemble(mixed, []Node{worse, draining, c})
	return made
}

// TestTable compares tables with the ones in testdata, which people have looked at.
func TestTable(t *testing.T) {
	for name, r := range cases() {
		for _, width := range []int{0, 100} {
			got := Table(r, Style{Width: width})
			path := filepath.Join("testdata", fmt.Sprintf("%s-%d.txt", name, width))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil || got != string(want) {
				t.Errorf("%s is not as it was (-update writes it): %v\n%s", path, err, got)
			}
		}
	}
}

// TestJSON compares a report with the one in testdata: scripts rely on the names of its fields.
func TestJSON(t *testing.T) {
	got, err := json.MarshalIndent(cases()["faults"], "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	const path = "testdata/faults.json"
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(got)+"\n" != string(want) {
		t.Errorf("%s is not as it was: fields are added, and none changes (-update writes it): %v\n%s", path, err, got)
	}
}

// Lines fit into the width, the texts below the tables aside. Colour shows what needs attention, and
// nothing else: a table without it is the same text.
func TestStyles(t *testing.T) {
	for name, r := range cases() {
		tables, _, _ := strings.Cut(Table(r, Style{Width: 80}), "NEEDS ATTENTION")
		for _, line := range strings.Split(tables, "\n") {
			if utf8.RuneCountInString(line) > 80 {
				t.Errorf("%s: a line of %d characters: %s", name, utf8.RuneCountInString(line), line)
			}
		}
		coloured, bare := Table(r, Style{Width: 100, Colour: true}), Table(r, Style{Width: 100})
		if uncoloured := strings.NewReplacer(red, "", plain, "").Replace(coloured); uncoloured != bare {
			t.Errorf("%s: colour changes the text:\n%s", name, uncoloured)
		}
		if well := len(r.Attention) == 0; well == strings.Contains(coloured, red) {
			t.Errorf("%s: all is well: %t, and the table is\n%s", name, well, coloured)
		}
	}
}

// Texts from other nodes cannot control the terminal.
func TestNothingControlsTheTerminal(t *testing.T) {
	n := sound("aaaa1111", 0)
	n.Version, n.State, n.Reason = "1\x1b[2J", Suspended, "one\x1b]0;x\atwo\nthree"
	if table := Table(Assemble(seen(n.ID), []Node{n}), Style{}); strings.ContainsAny(table, "\x1b\a") || strings.Contains(table, "\nthree") {
		t.Errorf("got %q", table)
	}
}

// TestFindings checks each bound on both sides.
func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		well, bad func(*Node)
		want      string
	}{
		"lag": {func(n *Node) { n.Lag = MaxLag }, func(n *Node) { n.Lag = MaxLag + 1 }, "records behind"},
		"stall": {func(n *Node) { n.Ledger.StalledSeconds = MaxLedgerStall }, func(n *Node) {
			n.Ledger.StalledSeconds, n.Ledger.StalledPartition, n.Ledger.StalledPartitions, n.Ledger.StallReason = MaxLedgerStall+1, 6, 2, "why"
		}, "ledger takes nothing from partition 6 and 1 more, for 61 s: why"},
		"poison":      {func(n *Node) {}, func(n *Node) { n.Ledger.Poisoned = 1 }, "could not take 1"},
		"drain waits": {func(n *Node) {}, func(n *Node) { n.DrainWaits = true }, "keeps its share"},
		"clock held":  {func(n *Node) { n.ClockHeldSeconds = 0 }, func(n *Node) { n.ClockHeldSeconds = 0.01 }, "nothing confirms it"},
		"clock":       {func(n *Node) { n.ClockSeconds = MaxClock }, func(n *Node) { n.ClockSeconds = MaxClock + 0.01 }, "clock differs"},
		"disk":        {func(n *Node) { n.Disks[0].Free = 2 << 30 }, func(n *Node) { n.Disks[0].Free = 2<<30 - 1 }, "disk of data"},
		"inodes":      {func(n *Node) { n.Disks[0].FreeInodes = 8192 }, func(n *Node) { n.Disks[0].FreeInodes = 8191 }, "8191 inodes free"},
		"no inodes":   {func(n *Node) { n.Disks[0].FreeInodes, n.Disks[0].ReserveInodes = 0, 0 }, func(n *Node) { n.Disks[0].FreeInodes = 0 }, "0 inodes free"},
		"certificate": {func(n *Node) { n.Certificates[1].Expires = noon.Add(MinValidity) }, func(n *Node) { n.Certificates[1].Expires = noon.Add(MinValidity - 1) }, "certificate of cluster expires on 2026-12-07"},
		"expired":     {func(n *Node) {}, func(n *Node) { n.Certificates[0].Expires = noon.Add(-time.Hour) }, "certificate of api expired on "},
		"expires":     {func(n *Node) {}, func(n *Node) { n.Certificates[0].Expires = noon }, "certificate of api expires on "},
		"unusable":    {func(n *Node) {}, func(n *Node) { n.Certificates[0].Unusable = "key.pem is gone" }, "certificate of api cannot be used: key.pem is gone"},
		"browser":     {func(n *Node) {}, func(n *Node) { n.Browsers.Running = false }, "no browser"},
		"mismatch":    {func(n *Node) {}, func(n *Node) { n.Mismatches = 1 }, "1 snapshots were wrong"},
		"secret":      {func(n *Node) {}, func(n *Node) { n.OldestBefore = "620fc00545d3b46e" }, "it was 620fc00545d3b46e"},
		"jobs":        {func(n *Node) {}, func(n *Node) { n.JobsRefused = "full" }, "accepts no jobs: full"},
		"appends":     {func(n *Node) {}, func(n *Node) { n.AppendFailure, n.AppendFailureSeconds = "no right", 12 }, "appends to the log fail, the last 12 s ago: no right"},
		"hang": {func(n *Node) { n.AppendPending, n.AppendPendingSeconds = "x", MaxAppend }, func(n *Node) {
			n.AppendPending, n.AppendPendingSeconds = "platen.commands/6 on the disk of /var/lib/platen/log", MaxAppend+1
		}, "log hangs: an append to platen.commands/6 on the disk of /var/lib/platen/log has not ended for 11 s"},
		"suspended": {func(n *Node) {}, func(n *Node) { n.State, n.Reason = Suspended, "why" }, "suspended: why"},
		"unready":   {func(n *Node) {}, func(n *Node) { n.State, n.Reason = Unready, "why" }, "not ready: why"},
		"draining":  {func(n *Node) {}, func(n *Node) { n.State = Draining }, "draining"},
	} {
		for want, change := range map[string]func(*Node){"": c.well, c.want: c.bad} {
			n := sound("aaaa1111", 0)
			change(&n)
			found := Assemble(seen(n.ID), []Node{n}).Attention
			if want == "" && len(found) > 0 || want != "" && (len(found) != 1 || !strings.Contains(found[0].Text, want) || found[0].Do == "") {
				t.Errorf("%s: got %+v, want %q", name, found, want)
			}
		}
	}
}

// The state of a partition is what its owner reports, if the owner is up and claims it.
func TestPartitions(t *testing.T) {
	a, b := sound("aaaa1111", 0, 1, 9), sound("bbbb2222")
	a.Unserved = []Unserved{{1, "starting", ""}}
	down, silent := Node{ID: "node-down", State: Gone}, Node{ID: "node-silent", State: Silent}
	r := Assemble(seen(a.ID, a.ID, a.ID, b.ID, down.ID, silent.ID, "", "node-unknown"), []Node{a, b, down, silent})
	var got []string
	for _, p := range r.Partitions {
		got = append(got, p.State)
	}
	want := []string{"serving", "starting", "no owner", "no owner", "no owner", "unknown", "no owner", "no owner"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if i := slices.IndexFunc(r.Attention, func(f Finding) bool { return f.About == "cluster" }); i < 0 || !strings.Contains(r.Attention[i].Text, "the partitions 2-4, 6-7") {
		t.Errorf("got %+v", r.Attention)
	}
}

// A description fits into a message, however much there is to say.
func TestMessagesFit(t *testing.T) {
	n := sound("aaaa1111")
	long := strings.Repeat("é", 5_000)
	n.Reason, n.JobsRefused, n.AppendFailure, n.AppendPending, n.API, n.Store.Place, n.Ledger.Place, n.Ledger.StallReason = long, long, long, long, long, long, long, long
	n.Version = strings.Repeat("v", 64)
	for p := range int32(4096) {
		n.Hold(p)
	}
	n.Disks = append(n.Disks, n.Disks[0])
	for i := range n.Certificates {
		n.Certificates[i].Unusable = long
	}
	for i := range 200 {
		n.Unserved = append(n.Unserved, Unserved{int32(i), halted, long})
		n.Accounts = append(n.Accounts, Account{events.AccountID(fmt.Sprint("acc_", strings.Repeat("0", 32), i)), i, i})
	}
	b := encode(n)
	if len(b) > cluster.MaxMessage {
		t.Errorf("a description of %d bytes", len(b))
	}
	got, err := decode(b)
	if err != nil || got.Lanes["quick"] != n.Lanes["quick"] || !got.holds(4095) || len(got.Unserved) == 0 || len(got.Accounts) == 0 {
		t.Errorf("got %+v, %v", got, err)
	}
	if n.Unserved[0].Reason != long {
		t.Error("encode changes what it is given")
	}
	if _, err := decode([]byte("nonsense")); err == nil {
		t.Error("nonsense is decoded")
	}
	empty, _ := cbor.Marshal(map[string]int{"of_a_later_version": 1})
	if got, err := decode(empty); err != nil || got.State != Serving {
		t.Errorf("fields of a later version: %+v, %v", got, err)
	}
}

func TestTexts(t *testing.T) {
	for want, got := range map[string]string{
		"0-3, 7": ranges([]int32{0, 1, 2, 3, 7}), "": ranges(nil), "5": ranges([]int32{5}),
		"3ms": span(3 * time.Millisecond), "119 s": span(119 * time.Second), "2 min": span(2 * time.Minute), "2 h": span(2 * time.Hour), "2 days": span(48 * time.Hour),
		"1023 B": size(1023), "1.0 KiB": size(1024), "10 MiB": size(10 << 20), "2048 TiB": size(2 << 50), "node-1": Short("node-1"), "node-12345678": Short("node-1234567890"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	testkit.Contains(t, cut("one\ttwo", 6), `one\t…`)
}

// Nodes that keep results each in its own data directory are told of, though the directories have one name, and so are those with different secrets.
func TestStores(t *testing.T) {
	a, b := sound("aaaa1111", 0), sound("bbbb2222", 1)
	all := seen(a.ID, a.ID, b.ID)
	for _, tc := range []struct {
		a, b Store
		want string
	}{
		{Store{Place: "s3://b"}, Store{Place: "s3://b"}, ""},
		{Store{Place: "/mnt/files"}, Store{Place: "/mnt/files"}, ""},
		{Store{Place: "/mnt/files"}, Store{Place: "s3://b"}, "different places"},
		{Store{Place: "/mnt/files"}, Store{"/var/lib/platen/files", true}, "different places"},
		{Store{"/var/lib/platen/files", true}, Store{"/var/lib/platen/files", true}, "own data directory"},
	} {
		a.Store, b.Store = tc.a, tc.b
		if found := Assemble(all, []Node{a, b}).storeFindings(); len(found) > 1 || (len(found) == 1) != (tc.want != "") || len(found) == 1 && !strings.Contains(found[0].Text, tc.want) {
			t.Errorf("%v and %v: %v", tc.a, tc.b, found)
		}
	}
	for _, tc := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"aa", "aa", 0}, {"aa", "", 0}, {"aa", "bb", 1}} {
		a.OldestSecret, b.OldestSecret = tc.a, tc.b
		if found := Assemble(all, []Node{a, b}).secretFindings(); len(found) != tc.want {
			t.Errorf("secrets %q and %q: %v", tc.a, tc.b, found)
		}
	}
	b.State = Silent
	if found := Assemble(all, []Node{a, b}).secretFindings(); found != nil {
		t.Errorf("of one node that answers: %v", found)
	}
	if found := Assemble(all, []Node{a, b}).storeFindings(); found != nil {
		t.Errorf("of one node that answers: %v", found)
	}
}
