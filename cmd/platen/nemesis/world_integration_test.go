//go:build integration

package nemesis

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Init()
	os.Exit(m.Run())
}

// entered runs the rest of a test in a world of its own. It is true inside.
func entered(t *testing.T) bool {
	if Inside() {
		return true
	}
	if err := Possible(); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	if err := Enter("-test.run=^"+t.Name()+"$", "-test.v=true"); err != nil {
		t.Fatal(err)
	}
	return false
}

// Each rule harms what it says, in the direction that it says, until it is lifted.
func TestRules(t *testing.T) {
	if !entered(t) {
		return
	}
	n, err := NewNetwork(1, "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	self, a, b := n.Host("self"), n.Host("a"), n.Host("b")
	echo(t, a)
	echo(t, b)
	if took, ok := ping(self, a); !ok {
		t.Fatal("no answer on a sound network")
	} else if took > time.Second {
		t.Errorf("an answer on a sound network takes %s", took)
	}
	for name, tc := range map[string]struct {
		from, to *Host
		rule     Rule
	}{
		"there": {self, a, Rule{Cut: true}},
		"back":  {a, self, Rule{Cut: true}},
		"lost":  {self, a, Rule{Loss: 1}},
	} {
		heal := n.Harm(tc.from, tc.to, tc.rule)
		if _, ok := ping(self, a); ok {
			t.Errorf("%s: answered in spite of the rule", name)
		}
		if _, ok := ping(self, b); !ok {
			t.Errorf("%s: another link is harmed, too", name)
		}
		heal()
		if _, ok := ping(self, a); !ok {
			t.Errorf("%s: not answered once the rule is lifted", name)
		}
	}
	const delay = 100 * time.Millisecond
	for _, heal := range []func(){n.Harm(self, a, Rule{Delay: delay}), n.Harm(self, a, Rule{Delay: delay})} {
		defer heal()
	}
	if took, ok := ping(self, a); !ok || took < 2*delay {
		t.Errorf("two rules that delay by %s: answered %v after %s", delay, ok, took)
	}
	if _, ok := ping(b, a); !ok {
		t.Error("one host does not reach the other")
	}
}

const echoPort = ":7777"

// echo has a host send back what it gets.
func echo(t *testing.T, h *Host) {
	t.Helper()
	var conn net.PacketConn
	var err error
	h.Do(func() { conn, err = net.ListenPacket("udp4", echoPort) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 100)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(buffer[:n], from)
		}
	}()
}

// ping sends a packet from one host to another, and waits a second for the answer.
func ping(from, to *Host) (took time.Duration, ok bool) {
	var conn net.Conn
	var err error
	from.Do(func() { conn, err = net.Dial("udp4", to.Addr.String()+echoPort) })
	if err != nil {
		return 0, false
	}
	defer conn.Close()
	sent := time.Now()
	_ = conn.SetDeadline(sent.Add(time.Second))
	if _, err := conn.Write([]byte("ping")); err != nil {
		return 0, false
	}
	_, err = io.ReadFull(conn, make([]byte, 4))
	return time.Since(sent), err == nil
}

// A disk is full until it is emptied, and a protected mount of it takes nothing while another
// one does.
func TestDisk(t *testing.T) {
	if !entered(t) {
		return
	}
	d, err := NewDisk(filepath.Join(t.TempDir(), "disk"), 4)
	if err != nil {
		t.Fatal(err)
	}
	shared, err := d.Share(filepath.Join(t.TempDir(), "shared"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // or the directories could not be removed
		_ = unix.Unmount(shared.Dir, 0)
		_ = unix.Unmount(d.Dir, 0)
	})
	write := func(on Disk) error { return os.WriteFile(filepath.Join(on.Dir, "file"), make([]byte, 8192), 0o600) }
	for _, step := range []struct {
		what       string
		do         func() error
		disk, with error // what writes to it and to the shared mount give then
	}{
		{"filled", d.Fill, unix.ENOSPC, unix.ENOSPC},
		{"emptied", d.Empty, nil, nil},
		{"protected", func() error { return shared.Protect(true) }, nil, unix.EROFS},
		{"writable again", func() error { return shared.Protect(false) }, nil, nil},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if err := write(d); !errors.Is(err, step.disk) {
			t.Errorf("%s: a write gives %v, want %v", step.what, err, step.disk)
		}
		if err := write(shared); !errors.Is(err, step.with) {
			t.Errorf("%s: a write to the other mount gives %v, want %v", step.what, err, step.with)
		}
		_ = os.Remove(filepath.Join(d.Dir, "file"))
	}
}

// A world sees none of the machine's processes, buries orphans, and ends with its test.
func TestWorld(t *testing.T) {
	if !Inside() {
		outside := exec.Command("sleep", "60")
		if err := outside.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = outside.Process.Kill(); _ = outside.Wait() }()
	}
	if !entered(t) {
		return
	}
	if err := exec.Command("sh", "-c", "sleep 0.1 & exit").Run(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		var others []string
		for _, path := range found {
			text, _ := os.ReadFile(path)
			if !strings.Contains(string(text), ".test") {
				others = append(others, path+" "+string(text))
			}
		}
		if len(others) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes that are none of the world's, or orphans: %q", others)
		}
		<-time.After(20 * time.Millisecond)
	}
}
