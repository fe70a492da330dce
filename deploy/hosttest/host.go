// Package hosttest boots Debian hosts with systemd for tests, by systemd-nspawn, on a network that only the test and they are on.
// It needs root, and a network namespace of its own (unshare --net), in which it may do as it likes.
package hosttest

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

// Address is the test's own in the network, which is 198.18.92.0/24, of a range reserved for tests (RFC 2544).
const Address = "198.18.92.1"

// AddressOf returns the address of the host with a number, from 2 to 254.
func AddressOf(number int) string { return fmt.Sprintf("198.18.92.%d", number) }

const bridge = "hosts0"

// Network makes the network. It fails the test in the namespace of the machine.
func Network(t *testing.T) {
	t.Helper()
	there, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	if len(there) > 1 {
		t.Fatal("this is the network of the machine: run the test by unshare --net")
	}
	lines(
		t, "ip link set lo up",
		"ip link add "+bridge+" type bridge",
		"ip address add "+Address+"/24 dev "+bridge,
		"ip link set "+bridge+" up",
	)
}

func lines(t *testing.T, all ...string) {
	t.Helper()
	for _, line := range all {
		do(t, strings.Fields(line)...)
	}
}

// Host is a Debian of its own. What it writes is lost when it ends.
type Host struct {
	Name    string
	Address string

	nspawn  *exec.Cmd
	init    string // the process that is number 1 in it
	link    string // this side's end of its cable
	console string // the file of what it prints
}

// Boot starts a host from the directory root, with a number that is its own, and waits until it has booted. More are
// arguments of systemd-nspawn. It ends with the test.
func Boot(t *testing.T, root, name string, number int, more ...string) *Host {
	t.Helper()
	h := &Host{Name: name, Address: AddressOf(number), link: "host" + strconv.Itoa(number), console: filepath.Join(t.TempDir(), "console")}
	log, err := os.Create(h.console)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	args := append([]string{
		"--quiet", "--directory=" + root, "--volatile=overlay", "--machine=" + name + "-" + strconv.Itoa(os.Getpid()), "--hostname=" + name,
		"--resolv-conf=off", "--register=no", "--keep-unit", "--private-network", "--console=pipe", "--boot",
	}, more...)
	h.nspawn = exec.Command("systemd-nspawn", args...)
	h.nspawn.Env = append(os.Environ(), "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1")
	h.nspawn.Stdout, h.nspawn.Stderr = log, log
	h.nspawn.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := h.nspawn.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			said, _ := h.Command("journalctl", "--no-pager", "-u", "platen", "-n", "40").CombinedOutput()
			t.Logf("what Platen said on %s:\n%s", name, said)
		}
		h.Kill()
		if text, _ := os.ReadFile(h.console); t.Failed() {
			t.Logf("console of %s:\n%s", name, text)
		}
	})
	testkit.Eventually(t, "the first process of "+name+" runs", func() bool {
		children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", h.nspawn.Process.Pid))
		h.init = strings.TrimSpace(string(children))
		comm, _ := os.ReadFile("/proc/" + h.init + "/comm")
		return h.init != "" && strings.TrimSpace(string(comm)) == "systemd"
	})
	lines(
		// By its address: who talked to a host that was there before need not learn another one.
		t, fmt.Sprintf("ip link add %s type veth peer name host0 address 02:00:00:00:00:%02x netns %s", h.link, number, h.init),
		"ip link set "+h.link+" master "+bridge+" up",
		"nsenter -t "+h.init+" -n ip address add "+h.Address+"/24 dev host0",
		"nsenter -t "+h.init+" -n ip link set host0 up",
	)
	testkit.Eventually(t, name+" has booted", func() bool {
		out, _ := h.Command("systemctl", "is-system-running").Output()
		return strings.TrimSpace(string(out)) == "running"
	})
	return h
}

// Kill ends the host at once, as when its power fails, and with it everything that ran on it.
func (h *Host) Kill() {
	if init, err := strconv.Atoi(h.init); err == nil {
		_ = syscall.Kill(init, syscall.SIGKILL)
	}
	_ = h.nspawn.Process.Kill()
	_ = h.nspawn.Wait()
	_ = exec.Command("ip", "link", "delete", h.link).Run() // the kernel takes its time, and the name may be wanted again
	h.init = ""
}

// Command is one to be run on the host, by root.
func (h *Host) Command(args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"-t", h.init, "-a", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}, args...)...)
}

// Run runs a command on the host, which must succeed, and returns its output.
func (h *Host) Run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := h.Command(args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		journal, _ := h.Command("journalctl", "-u", "platen", "-n", "40", "--no-pager").Output()
		t.Fatalf("%s: %q: %v\n%s\n%s\n%s", h.Name, args, err, out, errs.Bytes(), journal)
	}
	return strings.TrimSpace(string(out))
}

// Copy copies a file of this machine to the host.
func (h *Host) Copy(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	cmd := h.Command("sh", "-c", "cat > "+to)
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %s: %v\n%s", h.Name, to, err, out)
	}
}

// Property returns a property of Platen's service, as systemd shows it.
func (h *Host) Property(t *testing.T, name string) string {
	t.Helper()
	return h.Run(t, "systemctl", "show", "platen", "--value", "--property", name)
}

// Processes are those of Platen's service, its browsers' included; none if it does not run.
func (h *Host) Processes() []string {
	out, _ := h.Command("cat", "/sys/fs/cgroup/system.slice/platen.service/cgroup.procs").Output()
	return strings.Fields(string(out))
}

// Admin runs an admin command on the host.
func (h *Host) Admin(t *testing.T, args ...string) string {
	t.Helper()
	all := append([]string{"runuser", "-u", "platen", "--", "platen", "admin"}, args...)
	return h.Run(t, append(all, "--data", "/var/lib/platen")...)
}

// Key opens an account on the business plan, and returns its id and a key of it.
func (h *Host) Key(t *testing.T) (account, key string) {
	t.Helper()
	account = strings.Fields(h.Admin(t, "account", "create", "--plan", "business"))[2]
	return account, strings.Fields(h.Admin(t, "key", "create", account))[0]
}
