//go:build integration

// Package cluster tests the playbooks: on bare hosts, from outside, as an operator runs them.
package cluster

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/deploy/hosttest"
	"platen.dev/events/testkit"
)

const hosts = 3

// number is that of a host's address.
func number(host int) int { return 11 + host }

func name(host int) string { return fmt.Sprintf("platen%d", host+1) }

// Three bare hosts become a cluster that converts documents. Under steady load one of them is lost and replaced by a
// bare one, all are upgraded, and one is rolled back: no job is lost, none is charged twice. In the end all are lost, and
// three bare ones go on from a backup.
func TestHosts(t *testing.T) {
	made := os.Getenv("PLATEN_TEST_HOSTS")
	if made == "" {
		t.Skip("deploy/cluster/integration.sh makes what hosts are booted from, and names it in PLATEN_TEST_HOSTS")
	}
	began := time.Now()
	mark := func(what string) { t.Logf("%s after %s", what, time.Since(began).Round(time.Second)) }
	hosttest.Network(t)
	serve(t, "80", http.FileServer(http.Dir(filepath.Join(made, "packages"))))
	serve(t, pagePort, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><title>served</title><p>by the test")
	}))
	c := newControl(t)
	boot := func(host int) *hosttest.Host {
		return hosttest.Boot(t, filepath.Join(made, "root"), name(host), number(host), "--bind-ro="+c.dir+"/key.pub:/root/.ssh/authorized_keys", "--bind="+c.backups()+":"+backups)
	}
	all := []*hosttest.Host{boot(0), boot(1), boot(2)}
	mark("booted")

	c.play(t, "site.yml")
	from := newClient(t, c.secret("services-ca.pem"))
	account, key := all[0].Key(t)
	from.key = key
	convertAll(t, from, func() { mark("the first PDF") })
	mark("every operation")
	if !testing.Short() {
		if changed := c.play(t, "site.yml"); changed != 0 {
			t.Errorf("the second run changed %d things", changed)
		}
	}

	l := startLoad(t, from)
	l.awaitMore(t, 10)
	all[2].Kill()
	l.awaitMore(t, 10)
	mark("a host lost")
	all[2] = boot(2)
	c.play(t, "replace-host.yml", "--extra-vars", "host="+name(2))
	l.awaitMore(t, 10)
	mark("replaced")

	first := os.Getenv("PLATEN_TEST_DEB")
	second := nextVersion(t, first)
	c.play(t, "upgrade.yml", "--extra-vars", "platen_deb="+second)
	checkVersions(t, all, version(t, second), version(t, second), version(t, second))
	mark("upgraded")
	c.play(t, "upgrade.yml", "--limit", name(1), "--extra-vars", "platen_deb="+first)
	checkVersions(t, all, version(t, second), version(t, first), version(t, second))
	l.awaitMore(t, 10)
	mark("one rolled back")

	l.end(t)
	usage := checkLedger(t, all[0], account, len(l.rendered)+len(operations))
	mark("all checked")

	c.play(t, "backup.yml")
	for host, h := range all {
		h.Kill()
		all[host] = boot(host)
	}
	c.play(t, "restore.yml")
	mark("restored")
	for _, job := range append(l.rendered, l.tested...) {
		from.awaitDone(t, job)
	}
	if got := checkLedger(t, all[0], account, len(l.rendered)+len(operations)); got != usage {
		t.Errorf("after the restore the usage is %s, and was %s", got, usage)
	}
	convertAll(t, from, func() { mark("the first PDF of the restored cluster") })
}

// awaitMore waits until so many more jobs were accepted.
func (l *load) awaitMore(t *testing.T, more int) {
	t.Helper()
	before := l.accepted()
	testkit.Eventually(t, fmt.Sprintf("%d more jobs are accepted", more), func() bool { return l.accepted() >= before+more })
}

// serve serves HTTP in the network of the hosts.
func serve(t *testing.T, port string, handler http.Handler) {
	t.Helper()
	l, err := net.Listen("tcp", hosttest.Address+":"+port)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
}

const pagePort = "8000"

// operations are all there are.
var operations = []struct {
	path string
	body map[string]any
	want string // how the file begins
}{
	{"/html-to-pdf", map[string]any{"html": "<h1>Three hosts</h1>"}, "%PDF-"},
	{"/url-to-pdf", map[string]any{"url": "http://" + hosttest.Address + ":" + pagePort + "/"}, "%PDF-"},
	{"/url-to-image", map[string]any{"url": "http://" + hosttest.Address + ":" + pagePort + "/"}, "\x89PNG"},
	{"/html-to-image", map[string]any{"html": "<h1>Three hosts</h1>"}, "\x89PNG"},
	{"/markdown-to-pdf", map[string]any{"markdown": "# Three hosts"}, "%PDF-"},
	{"/einvoice-to-pdf", nil, "%PDF-"},
}

// convertAll converts a document by every operation, and calls converted after the first.
func convertAll(t *testing.T, from *client, converted func()) {
	t.Helper()
	invoice, err := os.ReadFile("../../testdata/demo/invoice.xml")
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range operations {
		if o.body == nil {
			o.body = map[string]any{"xml": string(invoice)}
		}
		job, _, err := from.submit(testkit.Context(t), o.path, o.body)
		if err != nil {
			t.Fatal(err)
		}
		from.awaitDone(t, job)
		status, file, err := from.do(testkit.Context(t), "GET", "/jobs/"+job+"/download", nil, "")
		if err != nil || status != http.StatusOK || !bytes.HasPrefix(file, []byte(o.want)) {
			t.Errorf("%s: %d %.20q %v", o.path, status, file, err)
		}
		if i == 0 {
			converted()
		}
	}
}

// nextVersion makes a package of a later version with the same files.
func nextVersion(t *testing.T, deb string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "next")
	must(t, "dpkg-deb", "--raw-extract", deb, dir)
	must(t, "sed", "-i", `s/^Version: .*/&.next/`, filepath.Join(dir, "DEBIAN", "control"))
	must(t, "dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", dir, dir+".deb")
	return dir + ".deb"
}

func version(t *testing.T, deb string) string { return must(t, "dpkg-deb", "--field", deb, "Version") }

func must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func checkVersions(t *testing.T, all []*hosttest.Host, want ...string) {
	t.Helper()
	for i, h := range all {
		if got := h.Run(t, "dpkg-query", "--show", "--showformat", "${Version}", "platen"); got != want[i] {
			t.Errorf("%s has version %s, want %s", h.Name, got, want[i])
		}
		if got := h.Property(t, "ActiveState"); got != "active" {
			t.Errorf("the service of %s is %s", h.Name, got)
		}
	}
}

// checkLedger compares the usage ledger with the journal, and what an account was charged with the jobs that it was told of.
func checkLedger(t *testing.T, h *hosttest.Host, account string, jobs int) (usage string) {
	t.Helper()
	out := ""
	if !testkit.Becomes(func() bool {
		answer, err := h.Command("runuser", "-u", "platen", "--", "platen", "admin", "ledger", "reconcile", "--check", "--data", "/var/lib/platen").CombinedOutput()
		out = string(answer)
		return err == nil
	}) {
		t.Fatalf("the ledger differs from the log:\n%s", out)
	}
	t.Logf("reconcile says: %s", strings.TrimSpace(out))
	usage = h.Admin(t, "account", "usage", account)
	t.Logf("the account's usage: %s", usage)
	if want := fmt.Sprintf("jobs %d used, 0 reserved,", jobs); !strings.Contains(strings.Join(strings.Fields(usage), " "), want) {
		t.Errorf("the usage is %s, want %q", usage, want)
	}
	return usage
}
