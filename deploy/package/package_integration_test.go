//go:build integration

// Package debian tests the package on a host of its own: it installs it, uses it from outside, and removes it.
package debian

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen.dev/deploy/hosttest"
	"platen.dev/events/testkit"
)

// mostExposure is what `systemd-analyze security` may say of the unit at most, of 10.
const mostExposure = 2.4

// number is the host's.
const number = 2

var api = "http://" + hosttest.AddressOf(number) + ":8080"

// The package installs a service that converts documents in sandboxed browsers, says how it is, comes back after a
// hang, and stops in time. An upgrade keeps what it has; without the package the data stay, purged they go.
func TestPackage(t *testing.T) {
	root, first := os.Getenv("PLATEN_TEST_ROOT"), os.Getenv("PLATEN_TEST_DEB")
	if root == "" {
		t.Skip("deploy/package/integration.sh makes a root, and names it in PLATEN_TEST_ROOT")
	}
	hosttest.Network(t)
	h := hosttest.Boot(t, root, "host", number)
	h.Copy(t, first, "/root/first.deb")
	h.Copy(t, hosttest.NextVersion(t, first), "/root/second.deb")
	h.Run(t, "dpkg", "-i", "/root/first.deb")
	if got := h.Property(t, "ActiveState"); got != "active" {
		t.Fatalf("after the installation the service is %s", got)
	}
	configure(t, h)
	_, key := h.Key(t)
	step := func(name string, test func(*testing.T)) {
		if !t.Run(name, test) {
			t.FailNow()
		}
	}
	var jobs []string
	step("private", func(t *testing.T) { checkPrivate(t, h) })
	step("exposure", func(t *testing.T) { checkExposure(t, h) })
	step("documents", func(t *testing.T) { jobs = convertAll(t, key) })
	step("sandbox", func(t *testing.T) { checkSandbox(t, h) })
	step("reload", func(t *testing.T) { checkReload(t, h) })
	step("watchdog", func(t *testing.T) { checkWatchdog(t, h) })
	step("stop", func(t *testing.T) { checkStop(t, h) })
	step("upgrade", func(t *testing.T) { checkUpgrade(t, h, key, jobs) })
	step("remove", func(t *testing.T) { checkRemoval(t, h) })
}

// configure lets the API be reached from here, and pages load what the test serves.
func configure(t *testing.T, h *hosttest.Host) {
	t.Helper()
	h.Run(t, "sed", "-i", `0,/^listen = .*/s//listen = "0.0.0.0:8080"/; s|^egress_allow = .*|egress_allow = ["`+hosttest.Address+`/32"]|`, "/etc/platen/platen.toml")
	h.Run(t, "mkdir", "-p", "/etc/systemd/system/platen.service.d")
	h.Run(t, "sh", "-c", `printf '[Service]\nWatchdogSec=6\nTimeoutAbortSec=2\nRestartSec=1\n' > /etc/systemd/system/platen.service.d/test.conf`)
	h.Run(t, "systemctl", "daemon-reload")
	h.Run(t, "systemctl", "restart", "platen")
}

// Nobody but Platen reads the configuration and the data.
func checkPrivate(t *testing.T, h *hosttest.Host) {
	for path, want := range map[string]string{
		"/etc/platen/platen.toml": "640 root platen", "/etc/platen": "750 root platen", "/var/lib/platen": "700 platen platen", "/var/cache/platen": "700 platen platen",
	} {
		if got := h.Run(t, "stat", "-c", "%a %U %G", path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func checkExposure(t *testing.T, h *hosttest.Host) {
	out := h.Run(t, "systemd-analyze", "security", "platen", "--no-pager")
	m := regexp.MustCompile(`exposure level for platen.service: ([0-9.]+)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatal(out)
	}
	level, err := strconv.ParseFloat(m[1], 64)
	if err != nil || level > mostExposure {
		t.Errorf("the exposure is %s, %v", m[1], err)
	}
	t.Logf("systemd-analyze security: %s", m[1])
}

// convertAll converts a document of every kind, and returns the jobs.
func convertAll(t *testing.T, key string) (jobs []string) {
	for _, o := range hosttest.Operations(t) {
		job := submit(t, key, o.Path, o.Body)
		awaitDone(t, key, o, job)
		jobs = append(jobs, job)
	}
	return jobs
}

func submit(t *testing.T, key, path string, body any) (job string) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	status, answer := request(t, "POST", path, key, b)
	var r struct {
		Job string `json:"job_id"`
	}
	if err := json.Unmarshal(answer, &r); err != nil || status != http.StatusAccepted {
		t.Fatalf("%s: %d %s", path, status, answer)
	}
	return r.Job
}

func request(t *testing.T, method, path, key string, body []byte) (int, []byte) {
	t.Helper()
	resp, answer := hosttest.Request(t, method, api+path, key, body)
	return resp.StatusCode, answer
}

func awaitDone(t *testing.T, key string, o hosttest.Operation, job string) {
	t.Helper()
	var answer []byte
	done := testkit.Becomes(func() bool {
		_, answer = request(t, "GET", "/jobs/"+job, key, nil)
		return bytes.Contains(answer, []byte(`"status":"done"`)) || bytes.Contains(answer, []byte(`"status":"failed"`))
	})
	if !done || !bytes.Contains(answer, []byte(`"status":"done"`)) {
		t.Fatalf("%s: %s", o.Path, answer)
	}
	if _, file := request(t, "GET", "/jobs/"+job+"/download", key, nil); !bytes.HasPrefix(file, []byte(o.Begins)) {
		t.Errorf("%s: the file begins with %.20q", o.Path, file)
	}
}

// checkSandbox looks at the processes of the browsers: renderers have seccomp, no new privileges, and users, processes and
// networks of their own; nothing of the service has a capability or may dump its memory.
func checkSandbox(t *testing.T, h *hosttest.Host) {
	main := h.Property(t, "MainPID")
	renderers := 0
	for _, pid := range h.Processes() {
		if out, _ := h.Command("cat", "/proc/"+pid+"/cmdline").Output(); !bytes.Contains(out, []byte("type=renderer")) {
			continue
		}
		renderers++
		status := h.Run(t, "cat", "/proc/"+pid+"/status")
		for _, want := range []string{"Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"} {
			if !strings.Contains(status, want) {
				t.Errorf("renderer %s has no %q:\n%s", pid, want, status)
			}
		}
		for _, space := range []string{"user", "pid", "net"} {
			if h.Run(t, "readlink", "/proc/"+pid+"/ns/"+space) == h.Run(t, "readlink", "/proc/"+main+"/ns/"+space) {
				t.Errorf("renderer %s shares the %s namespace of the node", pid, space)
			}
		}
	}
	if renderers == 0 {
		t.Error("no renderer runs")
	}
	status := h.Run(t, "cat", "/proc/"+main+"/status")
	for _, want := range []string{"NoNewPrivs:\t1", "CapBnd:\t0000000000000000", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("the node has no %q:\n%s", want, status)
		}
	}
	if limits := h.Run(t, "cat", "/proc/"+main+"/limits"); !regexp.MustCompile(`Max core file size +0 +0 `).MatchString(limits) {
		t.Errorf("the node may dump its memory:\n%s", limits)
	}
}

// A reload continues with the same process, and says what it did.
func checkReload(t *testing.T, h *hosttest.Host) {
	before := h.Property(t, "MainPID")
	h.Run(t, "sed", "-i", "s/^reserve_mb = .*/reserve_mb = 7/", "/etc/platen/platen.toml")
	h.Run(t, "systemctl", "reload", "platen")
	testkit.Eventually(t, "the node says that it has reloaded", func() bool {
		out := h.Run(t, "journalctl", "-u", "platen", "--no-pager")
		return strings.Contains(out, "reloaded:") && strings.Contains(out, "need a restart") && strings.Contains(out, "reserve_mb")
	})
	if after := h.Property(t, "MainPID"); after != before || h.Property(t, "ActiveState") != "active" {
		t.Errorf("the process was %s and is %s", before, after)
	}
}

// A process that hangs is ended and started again.
func checkWatchdog(t *testing.T, h *hosttest.Host) {
	before := h.Property(t, "MainPID")
	h.Run(t, "sh", "-c", "kill -STOP "+before)
	testkit.Eventually(t, "the watchdog has started the service again", func() bool {
		return h.Property(t, "ActiveState") == "active" && h.Property(t, "MainPID") != before
	})
	if got := h.Property(t, "NRestarts"); got != "1" {
		t.Errorf("%s restarts", got)
	}
}

// The service stops by itself: neither was it killed, nor is a browser left.
func checkStop(t *testing.T, h *hosttest.Host) {
	h.Run(t, "systemctl", "stop", "platen")
	if got := h.Property(t, "Result"); got != "success" {
		t.Errorf("the service stopped with %s", got)
	}
	if left := h.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %s", left)
	}
	h.Run(t, "systemctl", "start", "platen")
}

// An upgrade starts the service again with the same configuration and data.
func checkUpgrade(t *testing.T, h *hosttest.Host, key string, jobs []string) {
	before, config := h.Property(t, "MainPID"), h.Run(t, "sha256sum", "/etc/platen/platen.toml")
	h.Run(t, "dpkg", "--force-confold", "-i", "/root/second.deb")
	if after := h.Property(t, "MainPID"); after == before || h.Property(t, "ActiveState") != "active" {
		t.Errorf("the process was %s and is %s", before, after)
	}
	if h.Run(t, "sha256sum", "/etc/platen/platen.toml") != config {
		t.Error("the configuration is another")
	}
	for _, job := range jobs {
		if _, answer := request(t, "GET", "/jobs/"+job, key, nil); !bytes.Contains(answer, []byte(`"status":"done"`)) {
			t.Errorf("job %s: %s", job, answer)
		}
	}
	one := hosttest.Operations(t)[0]
	awaitDone(t, key, one, submit(t, key, one.Path, one.Body))
}

// Without the package the configuration and the data stay; purged, they go. The user stays.
func checkRemoval(t *testing.T, h *hosttest.Host) {
	h.Run(t, "dpkg", "--remove", "platen")
	h.Run(t, "test", "-s", "/etc/platen/platen.toml")
	h.Run(t, "test", "-d", "/var/lib/platen/log")
	if left := h.Processes(); len(left) > 0 {
		t.Errorf("processes are left: %s", left)
	}
	h.Run(t, "dpkg", "--purge", "platen")
	for _, path := range []string{"/etc/platen", "/var/lib/platen", "/var/cache/platen", "/usr/bin/platen", "/usr/share/platen"} {
		h.Run(t, "sh", "-c", "! test -e "+path)
	}
	h.Run(t, "id", "platen")
}
