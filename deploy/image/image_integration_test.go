//go:build integration

// Package image tests the container image as a user without root's rights runs it.
package image

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"platen.dev/deploy/hosttest"
	"platen.dev/events/testkit"
)

const (
	api  = "http://127.0.0.1:8080"
	user = "10001"
)

// A container of the image becomes healthy, converts documents in sandboxed browsers, and stops by itself; another one on
// its volume has its jobs. The first runs with the flags that deploy/README.md names, the second with podman's defaults.
func TestImage(t *testing.T) {
	flags := os.Getenv("PLATEN_TEST_FLAGS")
	if flags == "" {
		t.Skip("deploy/image/integration.sh reads the flags in deploy/README.md, and names them in PLATEN_TEST_FLAGS")
	}
	name := load(t)

	run(t, name, strings.Fields(flags)...)
	awaitHealthy(t)
	checkSandbox(t, true)
	account := strings.Fields(podman(t, "exec", "platen", "platen", "admin", "account", "create", "--plan", "business", "--data", "/var/lib/platen"))[2]
	key := strings.Fields(podman(t, "exec", "platen", "platen", "admin", "key", "create", account, "--data", "/var/lib/platen"))[0]
	files := convert(t, key)
	checkSandbox(t, true)
	stop(t)

	run(t, name)
	awaitHealthy(t)
	for job, file := range files {
		if _, again := request(t, "GET", "/jobs/"+job+"/download", key, nil); !bytes.Equal(again, file) {
			t.Errorf("job %s: another file, of %d bytes, which begins with %.20q", job, len(again), again)
		}
	}
	convert(t, key)
	checkSandbox(t, false)
	stop(t)
}

// load loads the image from the standard input, and returns its name.
func load(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("podman", "load", "--quiet")
	cmd.Stdin = os.Stdin
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("load: %v\n%s", err, out)
	}
	_, name, _ := strings.Cut(strings.TrimSpace(string(out)), "Loaded image: ")
	version := podman(t, "image", "inspect", name, "--format", `{{index .Labels "org.opencontainers.image.version"}}`)
	if tag := strings.ReplaceAll(version, "+", "-"); version == "" || name != "localhost/platen:"+tag {
		t.Errorf("the image is %s, of version %q", name, version)
	}
	return name
}

// podman runs podman, which must succeed, and returns what it prints.
func podman(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("podman", args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		logs, _ := exec.Command("podman", "logs", "platen").CombinedOutput()
		t.Fatalf("podman %q: %v\n%s\n%s\n%s", args, err, out, errs.Bytes(), logs)
	}
	return strings.TrimSpace(string(out))
}

// run runs the image, with a volume that stays, and lets pages load what the test serves (deploy/image/rootless.sh has the address).
func run(t *testing.T, image string, flags ...string) {
	t.Helper()
	args := []string{"run", "--name=platen", "--detach", "--publish=127.0.0.1:8080:8080", "--volume=platen:/var/lib/platen"}
	args = append(append(args, flags...), image, "--egress-allow", hosttest.Address+"/32")
	podman(t, args...)
}

// awaitHealthy runs the health check until the container is healthy. A timer of the user's systemd would, if there were one.
func awaitHealthy(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "the container is healthy", func() bool {
		_ = exec.Command("podman", "healthcheck", "run", "platen").Run()
		return podman(t, "inspect", "platen", "--format", "{{.State.Health.Status}}") == "healthy"
	})
}

// convert converts documents, and returns the file of each job.
func convert(t *testing.T, key string) (files map[string][]byte) {
	t.Helper()
	page := hosttest.Serve(t, "0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>served</title><p>by the test")
	}))
	files = map[string][]byte{}
	for _, o := range []struct{ path, field, document, begins string }{
		{"/html-to-pdf", "html", "<h1>In a container</h1>", "%PDF-"},
		{"/markdown-to-pdf", "markdown", "# In a container", "%PDF-"},
		{"/url-to-image", "url", page, "\x89PNG"},
	} {
		body, err := json.Marshal(map[string]any{o.field: o.document, "wait": true})
		if err != nil {
			t.Fatal(err)
		}
		header, file := request(t, "POST", o.path, key, body)
		if !bytes.HasPrefix(file, []byte(o.begins)) {
			t.Fatalf("%s: the file begins with %.20q", o.path, file)
		}
		files[header.Get("X-Platen-Job-Id")] = file
	}
	return files
}

// request sends a request, which must succeed.
func request(t *testing.T, method, path, key string, body []byte) (http.Header, []byte) {
	t.Helper()
	resp, answer := hosttest.Request(t, method, api+path, key, body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s\n%s", method, path, resp.Status, answer)
	}
	return resp.Header, answer
}

// lookAround prints a line for the node and for each renderer: what it is, its namespaces, and what it may do.
const lookAround = `for p in /proc/[0-9]*; do
  case $(tr '\0' ' ' < $p/cmdline) in
  '/usr/lib/chromium/'*' --type=renderer '*) kind=renderer ;;
  '/usr/bin/platen serve '*) kind=node ;;
  *) continue ;;
  esac
  echo $kind $(readlink $p/ns/user $p/ns/pid $p/ns/net) $(grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' $p/status)
done 2> /dev/null
true`

var process = regexp.MustCompile(`(?m)^(\w+) (user:\S+) (pid:\S+) (net:\S+) Uid: (\d+) .* CapEff: (\S+) CapBnd: (\S+) NoNewPrivs: (\d) Seccomp: (\d)$`)

// checkSandbox looks at the processes: none is root's; renderers have seccomp, no privileges, and users, processes and
// networks of their own. Confined, the node has no capability but chroot's (18), and gets no other.
func checkSandbox(t *testing.T, confined bool) {
	t.Helper()
	var node []string
	var renderers [][]string
	testkit.Eventually(t, "a renderer runs", func() bool {
		node, renderers = nil, nil
		for _, p := range process.FindAllStringSubmatch(podman(t, "exec", "platen", "sh", "-c", lookAround), -1) {
			if p[1] == "node" {
				node = p
			} else {
				renderers = append(renderers, p)
			}
		}
		return node != nil && len(renderers) > 0
	})
	for _, r := range renderers {
		if r[5] != user || r[6] != "0000000000000000" || r[8] != "1" || r[9] != "2" {
			t.Errorf("a renderer has privileges: %s", r[0])
		}
		if r[2] == node[2] || r[3] == node[3] || r[4] == node[4] {
			t.Errorf("a renderer shares a namespace with the node: %s; %s", r[0], node[0])
		}
	}
	if node[5] != user || node[9] != "2" {
		t.Errorf("the node is root's or without seccomp: %s", node[0])
	}
	if confined && (node[7] != "0000000000040000" || node[8] != "1") {
		t.Errorf("the node can get privileges: %s", node[0])
	}
}

// stop stops and removes the container, which must end by itself.
func stop(t *testing.T) {
	t.Helper()
	podman(t, "stop", "--time=60", "platen")
	if code := podman(t, "inspect", "platen", "--format", "{{.State.ExitCode}}"); code != "0" {
		t.Errorf("the container ended with %s", code)
	}
	podman(t, "rm", "platen")
}
