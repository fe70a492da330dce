//go:build integration

// Package debian tests the package on a host of its own: it installs it, uses it from outside, and removes it.
package debian

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// mostExposure is what `systemd-analyze security` may say of the unit at most, of 10.
const mostExposure = 2.2

const api = "http://" + hostAddress + ":8080"

// The package installs a service that converts documents in sandboxed browsers, says how it is, comes back after a
// hang, and stops in time. An upgrade keeps what it has; without the package the data stay, purged they go.
func TestPackage(t *testing.T) {
	first := os.Getenv("PLATEN_TEST_DEB")
	h := boot(t)
	h.copyTo(t, first, "/root/first.deb")
	h.copyTo(t, nextVersion(t, first), "/root/second.deb")
	h.run(t, "dpkg", "-i", "/root/first.deb")
	if got := h.property(t, "ActiveState"); got != "active" {
		t.Fatalf("after the installation the service is %s", got)
	}
	configure(t, h)
	key := accountKey(t, h)
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

// nextVersion makes a package of a later version with the same files.
func nextVersion(t *testing.T, deb string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "next")
	control := filepath.Join(dir, "DEBIAN", "control")
	must(t, "dpkg-deb", "--raw-extract", deb, dir)
	must(t, "sed", "-i", `s/^Version: .*/&.next/`, control)
	must(t, "dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", dir, dir+".deb")
	return dir + ".deb"
}

func must(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
}

// configure lets the API be reached from here, and pages load what the test serves.
func configure(t *testing.T, h *host) {
	t.Helper()
	h.run(t, "sed", "-i", `s/^listen = .*/listen = "0.0.0.0:8080"/; s|^egress_allow = .*|egress_allow = ["`+ourAddress+`/32"]|`, "/etc/platen/platen.toml")
	h.run(t, "mkdir", "-p", "/etc/systemd/system/platen.service.d")
	h.run(t, "sh", "-c", `printf '[Service]\nWatchdogSec=6\nTimeoutAbortSec=2\nRestartSec=1\n' > /etc/systemd/system/platen.service.d/test.conf`)
	h.run(t, "systemctl", "daemon-reload")
	h.run(t, "systemctl", "restart", "platen")
}

// accountKey opens an account as an operator does.
func accountKey(t *testing.T, h *host) string {
	t.Helper()
	admin := []string{"runuser", "-u", "platen", "--", "platen", "admin"}
	created := strings.Fields(h.run(t, append(admin, "account", "create", "--plan", "business", "--data", "/var/lib/platen")...))
	return strings.Fields(h.run(t, append(admin, "key", "create", created[2], "--data", "/var/lib/platen")...))[0]
}

// Nobody but Platen reads the configuration and the data.
func checkPrivate(t *testing.T, h *host) {
	for path, want := range map[string]string{
		"/etc/platen/platen.toml": "640 root platen", "/etc/platen": "750 root platen", "/var/lib/platen": "700 platen platen", "/var/cache/platen": "700 platen platen",
	} {
		if got := h.run(t, "stat", "-c", "%a %U %G", path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func checkExposure(t *testing.T, h *host) {
	out := h.run(t, "systemd-analyze", "security", "platen", "--no-pager")
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
	l, err := net.Listen("tcp", ourAddress+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<!doctype html><title>served</title><p>by the test")
	})}
	go func() { _ = server.Serve(l) }()
	defer server.Close()
	invoice, err := os.ReadFile("../../testdata/demo/invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string]map[string]any{
		"/html-to-pdf":     {"html": "<h1>Sandboxed</h1>"},
		"/markdown-to-pdf": {"markdown": "# Sandboxed"},
		"/url-to-pdf":      {"url": "http://" + l.Addr().String() + "/"},
		"/html-to-image":   {"html": "<h1>Sandboxed</h1>"},
		"/einvoice-to-pdf": {"xml": string(invoice)},
	} {
		job := submit(t, key, path, body)
		awaitDone(t, key, path, job)
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
	req, err := http.NewRequestWithContext(testkit.Context(t), method, api+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-API-Key", key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

func awaitDone(t *testing.T, key, path, job string) {
	t.Helper()
	var answer []byte
	done := testkit.Becomes(func() bool {
		_, answer = request(t, "GET", "/jobs/"+job, key, nil)
		return bytes.Contains(answer, []byte(`"status":"done"`)) || bytes.Contains(answer, []byte(`"status":"failed"`))
	})
	if !done || !bytes.Contains(answer, []byte(`"status":"done"`)) {
		t.Fatalf("%s: %s", path, answer)
	}
	if _, file := request(t, "GET", "/jobs/"+job+"/download", key, nil); !bytes.HasPrefix(file, []byte("%PDF-")) && !bytes.HasPrefix(file, []byte("\x89PNG")) {
		t.Errorf("%s: the file begins with %.20q", path, file)
	}
}

// checkSandbox looks at the processes of the browsers: renderers have seccomp, no new privileges, and users, processes and
// networks of their own; nothing of the service has a capability or may dump its memory.
func checkSandbox(t *testing.T, h *host) {
	main := h.property(t, "MainPID")
	renderers := 0
	for _, pid := range h.processes() {
		if out, _ := h.command("cat", "/proc/"+pid+"/cmdline").Output(); !bytes.Contains(out, []byte("type=renderer")) {
			continue
		}
		renderers++
		status := h.run(t, "cat", "/proc/"+pid+"/status")
		for _, want := range []string{"Seccomp:\t2", "NoNewPrivs:\t1", "CapEff:\t0000000000000000"} {
			if !strings.Contains(status, want) {
				t.Errorf("renderer %s has no %q:\n%s", pid, want, status)
			}
		}
		for _, space := range []string{"user", "pid", "net"} {
			if h.run(t, "readlink", "/proc/"+pid+"/ns/"+space) == h.run(t, "readlink", "/proc/"+main+"/ns/"+space) {
				t.Errorf("renderer %s shares the %s namespace of the node", pid, space)
			}
		}
	}
	if renderers == 0 {
		t.Error("no renderer runs")
	}
	status := h.run(t, "cat", "/proc/"+main+"/status")
	for _, want := range []string{"NoNewPrivs:\t1", "CapBnd:\t0000000000000000", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("the node has no %q:\n%s", want, status)
		}
	}
	if limits := h.run(t, "cat", "/proc/"+main+"/limits"); !regexp.MustCompile(`Max core file size +0 +0 `).MatchString(limits) {
		t.Errorf("the node may dump its memory:\n%s", limits)
	}
}

// A reload goes on with the same process, and says what it did.
func checkReload(t *testing.T, h *host) {
	before := h.property(t, "MainPID")
	h.run(t, "sed", "-i", "s/^reserve_mb = .*/reserve_mb = 7/", "/etc/platen/platen.toml")
	h.run(t, "systemctl", "reload", "platen")
	testkit.Eventually(t, "the node says that it has reloaded", func() bool {
		out := h.run(t, "journalctl", "-u", "platen", "--no-pager")
		return strings.Contains(out, "reloaded:") && strings.Contains(out, "need a restart") && strings.Contains(out, "reserve_mb")
	})
	if after := h.property(t, "MainPID"); after != before || h.property(t, "ActiveState") != "active" {
		t.Errorf("the process was %s and is %s", before, after)
	}
}

// A process that hangs is ended and started again.
func checkWatchdog(t *testing.T, h *host) {
	before := h.property(t, "MainPID")
	h.run(t, "sh", "-c", "kill -STOP "+before)
	testkit.Eventually(t, "the watchdog has started the service again", func() bool {
		return h.property(t, "ActiveState") == "active" && h.property(t, "MainPID") != before
	})
	if got := h.property(t, "NRestarts"); got != "1" {
		t.Errorf("%s restarts", got)
	}
}

// The service stops by itself: neither was it killed, nor is a browser left.
func checkStop(t *testing.T, h *host) {
	h.run(t, "systemctl", "stop", "platen")
	if got := h.property(t, "Result"); got != "success" {
		t.Errorf("the service stopped with %s", got)
	}
	if left := h.processes(); len(left) > 0 {
		t.Errorf("processes are left: %s", left)
	}
	h.run(t, "systemctl", "start", "platen")
}

// An upgrade starts the service again with the same configuration and data.
func checkUpgrade(t *testing.T, h *host, key string, jobs []string) {
	before, config := h.property(t, "MainPID"), h.run(t, "sha256sum", "/etc/platen/platen.toml")
	h.run(t, "dpkg", "--force-confold", "-i", "/root/second.deb")
	if after := h.property(t, "MainPID"); after == before || h.property(t, "ActiveState") != "active" {
		t.Errorf("the process was %s and is %s", before, after)
	}
	if h.run(t, "sha256sum", "/etc/platen/platen.toml") != config {
		t.Error("the configuration is another")
	}
	for _, job := range jobs {
		if _, answer := request(t, "GET", "/jobs/"+job, key, nil); !bytes.Contains(answer, []byte(`"status":"done"`)) {
			t.Errorf("job %s: %s", job, answer)
		}
	}
	awaitDone(t, key, "/html-to-pdf", submit(t, key, "/html-to-pdf", map[string]any{"html": "<p>after"}))
}

// Without the package the configuration and the data stay; purged, they go. The user stays.
func checkRemoval(t *testing.T, h *host) {
	h.run(t, "dpkg", "--remove", "platen")
	h.run(t, "test", "-s", "/etc/platen/platen.toml")
	h.run(t, "test", "-d", "/var/lib/platen/log")
	if left := h.processes(); len(left) > 0 {
		t.Errorf("processes are left: %s", left)
	}
	h.run(t, "dpkg", "--purge", "platen")
	for _, path := range []string{"/etc/platen", "/var/lib/platen", "/var/cache/platen", "/usr/bin/platen", "/usr/share/platen"} {
		h.run(t, "sh", "-c", "! test -e "+path)
	}
	h.run(t, "id", "platen")
}
