//go:build integration

package debian

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"platen.dev/events/testkit"
)

// host is a Debian of its own with systemd: its root is lost with the test. It reaches the test's machine, and
// nothing else.
type host struct {
	init string // the process that is number 1 in it
	link string // of the test's machine to it
}

// Addresses of a network that is reserved for tests.
const (
	ourAddress  = "198.18.91.1"
	hostAddress = "198.18.91.2"
)

// boot starts a host from the root that PLATEN_TEST_ROOT names.
func boot(t *testing.T) *host {
	t.Helper()
	root := os.Getenv("PLATEN_TEST_ROOT")
	if root == "" {
		t.Skip("deploy/package/integration.sh makes a root, and names it in PLATEN_TEST_ROOT")
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "console"))
	if err != nil {
		t.Fatal(err)
	}
	name := "platen-" + strconv.Itoa(os.Getpid())
	cmd := exec.Command("systemd-nspawn", "--quiet", "--directory="+root, "--volatile=overlay", "--machine="+name,
		"--register=no", "--keep-unit", "--private-network", "--console=pipe", "--boot")
	cmd.Env = append(os.Environ(), "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &host{link: fmt.Sprintf("vp%d", os.Getpid())}
	t.Cleanup(func() {
		if init, err := strconv.Atoi(h.init); err == nil {
			_ = syscall.Kill(init, syscall.SIGKILL) // and with it everything on the host, and the link
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		testkit.Eventually(t, "the host is gone", func() bool {
			_, err := net.InterfaceByName(h.link)
			return err != nil
		})
		if text, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("console:\n%s", text)
		}
	})
	testkit.Eventually(t, "the host's first process runs", func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
		h.init = strings.TrimSpace(string(children))
		comm, _ := os.ReadFile("/proc/" + h.init + "/comm")
		return h.init != "" && strings.TrimSpace(string(comm)) == "systemd"
	})
	h.connect(t)
	testkit.Eventually(t, "the host has booted", func() bool {
		out, _ := h.command("systemctl", "is-system-running").Output()
		return strings.TrimSpace(string(out)) == "running"
	})
	return h
}

// connect makes a link to the host.
func (h *host) connect(t *testing.T) {
	t.Helper()
	for _, line := range []string{
		"ip link add " + h.link + " type veth peer name host0 netns " + h.init,
		"ip address add " + ourAddress + "/30 dev " + h.link,
		"ip link set " + h.link + " up",
		"nsenter -t " + h.init + " -n ip address add " + hostAddress + "/30 dev host0",
		"nsenter -t " + h.init + " -n ip link set host0 up",
	} {
		words := strings.Fields(line)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
}

// command is one to be run on the host, by root.
func (h *host) command(args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"-t", h.init, "-a", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}, args...)...)
}

// run runs a command on the host, which must succeed, and returns its output.
func (h *host) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := h.command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		journal, _ := h.command("journalctl", "-u", "platen", "-n", "40", "--no-pager").Output()
		t.Fatalf("%q: %v\n%s\n%s\n%s", args, err, out, errs.Bytes(), journal)
	}
	return strings.TrimSpace(string(out))
}

// copyTo copies a file of this machine to the host.
func (h *host) copyTo(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	cmd := h.command("sh", "-c", "cat > "+to)
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", to, err, out)
	}
}

// property is what systemd says of the service.
func (h *host) property(t *testing.T, name string) string {
	t.Helper()
	return h.run(t, "systemctl", "show", "platen", "--value", "--property", name)
}

// processes are those of the service, its browsers' included; none if it does not run.
func (h *host) processes() []string {
	out, _ := h.command("cat", "/sys/fs/cgroup/system.slice/platen.service/cgroup.procs").Output()
	return strings.Fields(string(out))
}
