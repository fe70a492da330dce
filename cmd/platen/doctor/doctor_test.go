package doctor

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"platen.dev/events/testkit"
)

var errBroken = errors.New("broken")

// expect runs a check, and compares its verdicts. A finding has advice unless it is ok.
func expect(t *testing.T, c Check, want ...Verdict) []Finding {
	t.Helper()
	all := c.Run(testkit.Context(t))
	var got []Verdict
	for _, f := range all {
		got = append(got, f.Verdict)
		if f.Text == "" || (f.Verdict == OK) != (f.Do == "") {
			t.Errorf("%s: %+v", c.Name, f)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %+v, want %v", c.Name, all, want)
	}
	return all
}

func TestExamine(t *testing.T) {
	check := func(v Verdict) Check {
		return Check{string(v), func(context.Context) []Finding { return []Finding{{Verdict: v}, {Verdict: OK}} }}
	}
	for want, checks := range map[Verdict][]Check{OK: {check(OK)}, Warning: {check(OK), check(Warning)}, Failure: {check(Failure), check(Warning)}} {
		var told []string
		if got := Examine(t.Context(), checks, func(f Finding) { told = append(told, f.Check) }); got != want || len(told) != 2*len(checks) || told[0] != checks[0].Name {
			t.Errorf("got %s, told %v, want %s", got, told, want)
		}
	}
}

func TestKernel(t *testing.T) {
	setting := func(name, value string) fstest.MapFS {
		return fstest.MapFS{"sys/" + name: &fstest.MapFile{Data: []byte(value + "\n")}}
	}
	expect(t, Kernel("5.10.0-28-amd64", fstest.MapFS{}, true), OK, OK)
	expect(t, Kernel("6.1.0", setting("user/max_user_namespaces", "15000"), true), OK, OK)
	expect(t, Kernel("5.9.16", fstest.MapFS{}, false), Failure)
	expect(t, Kernel("4.19.0", fstest.MapFS{}, false), Failure)
	expect(t, Kernel("none", fstest.MapFS{}, false), Warning)
	expect(t, Kernel("6.1.0", setting("user/max_user_namespaces", "0"), true), OK, Failure)
	expect(t, Kernel("6.1.0", setting("user/max_user_namespaces", "0"), false), OK)
	expect(t, Kernel("6.1.0", setting("kernel/unprivileged_userns_clone", "0"), true), OK, Failure)
	expect(t, Kernel("6.8.0", setting("kernel/apparmor_restrict_unprivileged_userns", "1"), true), OK, Warning)
}

func TestBrowser(t *testing.T) {
	printer := func(sheets int, err error) Check {
		return Browser(func(context.Context) (int, error) { return sheets, err })
	}
	expect(t, printer(1, nil), OK)
	expect(t, printer(0, nil), Failure)
	expect(t, printer(0, errBroken), Failure)
}

func TestFonts(t *testing.T) {
	fonts := func(without string, err error) Check {
		return Fonts(func(_ context.Context, lang string) (string, error) {
			if lang == without {
				return "\n", err
			}
			return "Some Font\n", err
		})
	}
	expect(t, fonts("", nil), OK)
	if f := expect(t, fonts("ja", nil), Failure); f[0].Do != "apt install fonts-noto-cjk" {
		t.Errorf("got %+v", f)
	}
	expect(t, fonts("", errBroken), Failure)
	expect(t, Fonts(FontList), OK) // install-deps.sh has installed them
}

func TestPrograms(t *testing.T) {
	expect(t, Programs(func(name string) (string, error) { return "/usr/bin/" + name, nil }), OK, OK, OK)
	expect(t, Programs(func(name string) (string, error) {
		if name == "qpdf" {
			return "", errBroken
		}
		return name, nil
	}), Failure, OK, OK)
}

func TestClock(t *testing.T) {
	const maxClockError = 500 * time.Millisecond
	clock := func(synchronised bool, off time.Duration, err error, alone bool) Check {
		return Clock(func() (ClockState, error) { return ClockState{synchronised, off}, err }, maxClockError, alone)
	}
	expect(t, clock(true, maxClockError, nil, false), OK)
	expect(t, clock(true, maxClockError+1, nil, false), Failure)
	expect(t, clock(true, maxClockError+1, nil, true), Warning)
	expect(t, clock(false, 0, nil, false), Failure)
	expect(t, clock(false, 0, nil, true), Warning)
	expect(t, clock(true, 0, errBroken, false), Warning)
	if _, err := KernelClock(); err != nil {
		t.Error(err)
	}
}

func TestTimeSync(t *testing.T) {
	waits := func(enabled []string, err error) Check {
		return TimeSync(func(context.Context) ([]string, error) { return enabled, err })
	}
	expect(t, waits([]string{"chrony-wait.service"}, nil), OK)
	expect(t, waits(nil, nil), Warning)
	expect(t, waits(nil, errNoSystemd), OK)
	expect(t, waits(nil, errBroken), Warning)
	for state, want := range map[string]bool{"enabled\n": true, "enabled-runtime\n": true, "disabled\n": false, "masked\n": false, "": false} {
		if got := isEnabled(state); got != want {
			t.Errorf("%q is enabled: %t", state, got)
		}
	}
}

func TestDisk(t *testing.T) {
	none, all := func(int64) int64 { return 0 }, func(total int64) int64 { return 2 * total }
	dir := t.TempDir()
	if verdicts := Disk("data", filepath.Join(dir, "not", "yet"), none, none, true).Run(t.Context()); len(verdicts) != 2 || verdicts[0].Verdict != OK || verdicts[1].Verdict == Failure {
		t.Errorf("a directory that is to be made: %+v", verdicts)
	}
	expect(t, Disk("data", dir, none, none, false), OK)
	expect(t, Disk("data", dir, all, none, false), Failure)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, Disk("data", file, none, none, true), Failure)
	expect(t, Disk("data", "/proc", none, none, true), OK, Failure) // nobody makes files there
	if left, _ := filepath.Glob(filepath.Join(dir, ".platen*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	for want, f := range map[Verdict]Finding{OK: roomFinding("d", 400, 100), Warning: roomFinding("d", 399, 100), Failure: roomFinding("d", 99, 100)} {
		if f.Verdict != want {
			t.Errorf("got %+v, want %s", f, want)
		}
	}
	if f := unwritable("d", &fs.PathError{Op: "open", Path: "d", Err: syscall.EROFS}); f.Verdict != Failure || !strings.Contains(f.Do, "mount") {
		t.Errorf("on a disk that is read-only: %+v", f)
	}
	for free, want := range map[int64]Verdict{400: OK, 399: Warning, 100: Warning, 99: Failure} {
		if f := append(inodeFindings("d", free, 100), ok("")); f[0].Verdict != want {
			t.Errorf("%d inodes free: %+v", free, f)
		}
	}
	if f := roomFinding("d", 100, 100); f.Verdict != Warning {
		t.Errorf("at the reserve: %+v", f)
	}
	if quick, slow := latency(slowSync), latency(slowSync+1); quick.Verdict != OK || slow.Verdict != Warning {
		t.Errorf("got %+v and %+v", quick, slow)
	}
}

func TestOpenFiles(t *testing.T) {
	limit := func(n uint64, err error) Check { return OpenFiles(func() (uint64, error) { return n, err }) }
	expect(t, limit(enoughFiles, nil), OK)
	expect(t, limit(enoughFiles-1, nil), Warning)
	expect(t, limit(leastFiles, nil), Warning)
	expect(t, limit(leastFiles-1, nil), Failure)
	expect(t, limit(0, errBroken), Failure)
	if n, err := FileLimit(); err != nil || n == 0 {
		t.Errorf("this process may open %d files, %v", n, err)
	}
}

func TestMemory(t *testing.T) {
	expect(t, Memory(enoughMemory, 2), OK, OK)
	expect(t, Memory(enoughMemory-1, 2), Warning, OK)
	expect(t, Memory(leastMemory, 1), Warning, Warning)
	expect(t, Memory(leastMemory-1, 2), Failure, OK)
	expect(t, Memory(0, 2), Warning, OK)
}

func TestPorts(t *testing.T) {
	no, yes := func() bool { return false }, func() bool { return true }
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	free := testkit.FreePorts(t, 1)[0]
	expect(t, Ports([]Port{{"listen", free, true}}, no), OK)
	expect(t, Ports([]Port{{"listen", taken.Addr().String(), false}}, no), Failure)
	expect(t, Ports([]Port{{"listen", taken.Addr().String(), false}}, yes), OK)
	expect(t, Ports([]Port{{"gossip", packets.LocalAddr().String(), true}}, no), Failure)
	expect(t, Ports([]Port{{"listen", "192.0.2.1:80", false}}, no), Failure)
	_, port, _ := net.SplitHostPort(free)
	for _, twice := range [][]Port{
		{{"listen", free, false}, {"ops", free, false}}, {{"listen", free, false}, {"ops", ":" + port, false}}, {{"listen", "0.0.0.0:" + port, false}, {"ops", free, false}},
	} {
		if f := expect(t, Ports(twice, no), OK, Failure); !strings.Contains(f[1].Text, "ops: listen has "+twice[0].Address+" already") {
			t.Errorf("got %+v", f)
		}
	}
	expect(t, Ports([]Port{{"listen", taken.Addr().String(), false}, {"ops", taken.Addr().String(), false}}, yes), OK, Failure)
	apart := []Port{{"listen", "127.0.0.1:0", false}, {"ops", "127.0.0.1:0", false}, {"gotenberg.listen", free, false}, {"gossip", "127.0.0.2:" + port, false}}
	expect(t, Ports(apart, no), OK, OK, OK, OK)
}

func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, Directory("snapshots", dir), OK)
	expect(t, Directory("snapshots", filepath.Join(dir, "later")), OK)
	expect(t, Directory("snapshots", file), Failure)
	expect(t, Directory("snapshots", "/proc/snapshots"), Failure)
}

func TestNames(t *testing.T) {
	lookup := func(unknown string) func(context.Context, string) ([]string, error) {
		return func(_ context.Context, host string) ([]string, error) {
			if host == unknown {
				return nil, errBroken
			}
			return []string{"192.0.2.1"}, nil
		}
	}
	servers := []string{"kafka1:9092", "kafka1:9093", "10.0.0.1:7946", "ch"}
	expect(t, Names(servers, lookup("")), OK, OK, OK)
	expect(t, Names(servers, lookup("ch")), OK, Failure, OK)
	expect(t, Names(servers, lookup("example.com")), OK, OK, Warning)
}

func TestServers(t *testing.T) {
	kafka := func(brokers, replicas int, err error, missing ...string) Check {
		return Kafka(func(context.Context) (Topics, error) { return Topics{Brokers: brokers, Missing: missing}, err }, replicas)
	}
	without := func(rights ...string) Check {
		return Kafka(func(context.Context) (Topics, error) { return Topics{Brokers: 3, Unallowed: rights}, nil }, 3)
	}
	expect(t, without("Read on group platen-shards"), OK, OK, Warning)
	expect(t, Kafka(func(context.Context) (Topics, error) {
		return Topics{Brokers: 3, Undisclosed: []string{"platen.journal"}}, nil
	}, 3), OK, Warning)
	expect(t, kafka(3, 3, nil), OK, OK)
	if f := expect(t, kafka(3, 3, nil, "platen.journal"), OK, OK); !strings.Contains(f[1].Text, "platen.journal") {
		t.Errorf("got %+v", f)
	}
	expect(t, kafka(2, 3, nil), Failure)
	expect(t, kafka(3, 2, nil), OK, OK, Warning)
	expect(t, kafka(0, 3, errBroken), Failure)
	expect(t, Start("log", func(context.Context) (string, error) { return "whole", nil }), OK)
	expect(t, Start("log", func(context.Context) (string, error) { return "", errBroken }), Failure)
	well, ill := func(context.Context) error { return nil }, func(context.Context) error { return errBroken }
	unreachable := errors.New("unreachable")
	away := func(context.Context) error { return fmt.Errorf("%w: no answer", unreachable) }
	expect(t, ClickHouse(well, unreachable), OK)
	expect(t, ClickHouse(away, unreachable), Warning)
	expect(t, ClickHouse(ill, unreachable), Failure)
	expect(t, Store("results", "s3://b", well), OK)
	expect(t, Store("results", "s3://b", ill), Failure)
	expect(t, Identity(func() error { return nil }), OK)
	expect(t, Identity(func() error { return errBroken }), Failure)
	expect(t, User(1000), OK)
	expect(t, User(0), Warning)
}

func TestSecret(t *testing.T) {
	const a, b = "620fc00545d3b46e", "0f3a9c5523de7b10"
	for _, tc := range []struct {
		now, before string
		err         error
		want        Verdict
		says        string
	}{
		{a, a, nil, OK, "has not changed"},
		{"", "", nil, OK, "not compared"},
		{b, a, nil, Warning, "it is " + b + ", it was " + a},
		{"", "", errors.New("seal.key: it has 5 bytes"), Warning, "5 bytes"},
	} {
		found := expect(t, Secret(func() (string, string, string, error) { return tc.now, tc.before, "put it back", tc.err }), tc.want)
		if !strings.Contains(found[0].Text, tc.says) {
			t.Errorf("got %+v, want %q", found, tc.says)
		}
	}
}

func TestCertificate(t *testing.T) {
	const soon = 14 * 24 * time.Hour
	files := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1)) // for a day
	chain := filepath.Join(t.TempDir(), "chain.pem")
	server, err := os.ReadFile(files.Server)
	authority, err2 := os.ReadFile(files.Authority)
	if err := errors.Join(err, err2, os.WriteFile(chain, append(server, authority...), 0o600)); err != nil {
		t.Fatal(err)
	}
	at := func(offset time.Duration) func() time.Time {
		return func() time.Time { return time.Now().Add(offset) }
	}
	expect(t, Certificate("x", chain, files.Key, "", soon, at(-soon)), Failure) // not good yet
	expect(t, Certificate("x", chain, files.Key, "", soon, at(0)), Warning)
	expect(t, Certificate("x", chain, files.Key, "", soon, at(48*time.Hour)), Failure)
	expect(t, Certificate("x", chain, files.ClientKey, "", soon, at(0)), Failure)
	expect(t, Certificate("x", chain, "nowhere", "", soon, at(0)), Failure)
	expect(t, Certificate("x", chain, files.Key, "127.0.0.1", soon, at(0)), Warning)
	expect(t, Certificate("x", chain, files.Key, "pdf.example.com", soon, at(0)), Warning, Warning)
	found := expect(t, Certificate("x", files.Server, files.Key, "", soon, at(0)), Warning, Warning)
	if !strings.Contains(found[1].Text, "lacks the certificate of its issuer, CN=authority of the tests") {
		t.Errorf("got %+v", found)
	}
	from, to := time.Unix(0, 0), time.Unix(0, 0).Add(10*soon)
	for now, want := range map[time.Time]Verdict{from: OK, from.Add(-1): Failure, to.Add(-soon): OK, to.Add(-soon + 1): Warning, to: Warning, to.Add(1): Failure} {
		if f := validity(&x509.Certificate{NotBefore: from, NotAfter: to}, soon, now); f.Verdict != want {
			t.Errorf("at %s: %+v, want %s", now, f, want)
		}
	}
}
