package chromium

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/events/testkit"
)

// confined describes how a process is confined.
type confined struct {
	uid             string
	seccomp         bool
	noNewPrivileges bool
	namespaces      map[string]bool // its own ones, by kind
}

// helpers describes the processes of a browser by their kind, "browser" for the first.
func helpers(t *testing.T, browser *Browser) map[string]confined {
	t.Helper()
	found := map[string]confined{}
	eachProcess(func(pid int) {
		if s := readStat(pid); s == nil || s.group != browser.PID() {
			return
		}
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil {
			return
		}
		kind := "browser"
		for _, arg := range strings.FieldsFunc(string(args), func(r rune) bool { return r == 0 || r == ' ' }) { // helpers of a zygote rewrite their arguments
			if name, ok := strings.CutPrefix(arg, "--type="); ok {
				kind = name
			}
			if name, ok := strings.CutPrefix(arg, "--utility-sub-type="); ok {
				kind = name
			}
		}
		if bytes.Contains(args, []byte("--no-zygote-sandbox")) {
			kind += " outside"
		}
		found[kind] = confinement(pid)
	})
	return found
}

func confinement(pid int) confined {
	c := confined{namespaces: map[string]bool{}}
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value = strings.TrimSpace(value); name {
		case "Uid":
			c.uid = strings.Fields(value)[0]
		case "Seccomp":
			c.seccomp = value == "2"
		case "NoNewPrivs":
			c.noNewPrivileges = value == "1"
		}
	}
	for _, kind := range []string{"user", "pid", "net"} {
		ours, _ := os.Readlink("/proc/self/ns/" + kind)
		theirs, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/%s", pid, kind))
		c.namespaces[kind] = err == nil && theirs != ours
	}
	return c
}

// Whoever starts the browser, it has its sandbox: its renderers are limited to few system calls, cannot gain
// privileges, and have their own user, process and network namespaces. If root starts it, it runs as nobody. The
// browser process, its GPU process and its network service are not confined like this; the network service connects to
// the proxies alone.
func TestSandbox(t *testing.T) {
	const limit = 3 << 30
	browser := start(t, Options{MaxData: limit})
	page := attach(t, browser)
	if _, err := (proto.RuntimeEvaluate{Expression: "1"}).Call(page.With(t.Context())); err != nil {
		t.Fatal(err)
	}
	all := helpers(t, browser)
	renderer, found := all["renderer"]
	if !found || !renderer.seccomp || !renderer.noNewPrivileges {
		t.Errorf("a renderer is not confined: %+v", all)
	}
	for kind, own := range renderer.namespaces {
		if !own {
			t.Errorf("renderers have no %s namespace of their own", kind)
		}
	}
	for kind, c := range all {
		if c.uid == "0" {
			t.Errorf("the %s runs as root", kind)
		}
		if kind != "browser" && !c.noNewPrivileges {
			t.Errorf("the %s may gain privileges: %+v", kind, c)
		}
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", browser.PID()))
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), fmt.Sprintf("Max data size %d %[1]d", limit)) {
		t.Errorf("its memory is not limited: %s %v", limits, err)
	}
}

// The browser ends with the process that started it, whichever user it runs as.
func TestDiesWithItsParent(t *testing.T) {
	if os.Getenv("PLATEN_TEST_PARENT") != "" {
		browser, err := Start(t.Context(), Options{MaxData: 3 << 30})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("browser %d\n", browser.PID())
		select {}
	}
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiesWithItsParent$")
	parent.Env = append(os.Environ(), "PLATEN_TEST_PARENT=1")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "browser %d\n", &pid); err != nil {
		t.Fatal(err)
	}
	if readStat(pid) == nil {
		t.Error("the browser is gone before its parent")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	testkit.Eventually(t, "the end of the browser and its helpers", func() bool {
		left := 0
		eachProcess(func(id int) {
			if s := readStat(id); s != nil && s.group == pid && !isZombie(id) {
				left++
			}
		})
		return left == 0
	})
}

func isZombie(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return bytes.HasPrefix(state, []byte("Z"))
}

// Root's browsers run as another user, in a directory that this user can reach; only AsRoot keeps root, and then there is no sandbox.
func TestUser(t *testing.T) {
	if os.Geteuid() != 0 {
		if as, err := (Options{User: "nobody"}).owner(); as != nil || err != nil {
			t.Errorf("who is not root cannot choose: %v, %v", as, err)
		}
		t.Skip("NOT TESTED: only root may choose the browser's user")
	}
	for name, wrong := range map[string]bool{"": false, "nobody": false, "root": true, "no-such-user": true} {
		if as, err := (Options{User: name}).owner(); (err != nil) != wrong || !wrong && as.Uid == 0 {
			t.Errorf("%q: %v, %v", name, as, err)
		}
	}
	hidden := filepath.Join(t.TempDir(), "hidden")
	if err := os.MkdirAll(filepath.Join(hidden, "work"), 0o700); err != nil {
		t.Fatal(err)
	}
	if reachable(filepath.Join(hidden, "work")) || !reachable(testkit.TempDir(t)) {
		t.Error("which directories others can reach is not known")
	}
	t.Setenv("TMPDIR", hidden)
	start(t, Options{TempDir: filepath.Join(hidden, "work")})
	if left, _ := filepath.Glob(filepath.Join(hidden, "*", "*")); len(left) > 0 {
		t.Errorf("the profile is where its owner cannot reach it: %v", left)
	}
	for _, o := range []Options{{AsRoot: true}, {NoSandbox: true}} {
		if !slices.Contains(flags(o, "/p"), "--no-sandbox") {
			t.Errorf("%+v keeps the sandbox", o)
		}
	}
	if as, err := (Options{AsRoot: true}).owner(); as != nil || err != nil {
		t.Errorf("who is to stay root becomes %v, %v", as, err)
	}
	if slices.Contains(flags(Options{}, "/p"), "--no-sandbox") {
		t.Error("root's browser has no sandbox")
	}
}
