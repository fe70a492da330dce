package admin

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/actors/cluster/pki"
	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

// run runs an admin command that needs no node, and returns what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	c := Command(t.TempDir())
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(io.Discard)
	err := c.Execute()
	return out.String(), err
}

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	out, err := run(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The files that the commands make admit nodes, and nobody else can read them. Existing files are
// not lost: the authority stays, and a node's certificate is renewed.
func TestClusterFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cluster")
	testkit.Contains(t, mustRun(t, "cluster", "init", dir), `cert_file = "/etc/platen/node1.pem"`, filepath.Join(dir, "ca.pem"), "expires on")
	testkit.Contains(t, mustRun(t, "cluster", "join", dir, "node2"), `key_file = "/etc/platen/node2.key"`)
	before := open(t, dir, "node2")
	mustRun(t, "cluster", "join", dir, "node2")
	open(t, dir, "node1")
	if again := open(t, dir, "node2"); again == before {
		t.Error("the certificate was not renewed")
	}
	text, err := os.ReadFile(filepath.Join(dir, "secret"))
	if err != nil || secret.Check(strings.TrimSpace(string(text))) != nil {
		t.Errorf("the secret is %q, %v", text, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 7 {
		t.Errorf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %s, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s: mode %s, %v", dir, info.Mode(), err)
	}
	for want, args := range map[string][]string{
		"is there already":    {"cluster", "init", dir},
		"cluster init` makes": {"cluster", "join", t.TempDir(), "node1"},
		"a node's name":       {"cluster", "join", dir, "../node"},
		`and is not ca: "ca"`: {"cluster", "join", dir, "ca"},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

// open returns a node's certificate, as the node would use it.
func open(t *testing.T, dir, node string) string {
	t.Helper()
	f := pki.Files{Certificate: filepath.Join(dir, node+".pem"), Key: filepath.Join(dir, node+".key"), Authorities: filepath.Join(dir, "ca.pem")}
	if _, err := pki.FromFiles(f, testkit.Silent()); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestClusterSecret(t *testing.T) {
	if s := strings.TrimSpace(mustRun(t, "cluster", "secret")); secret.Check(s) != nil || s == strings.TrimSpace(mustRun(t, "cluster", "secret")) {
		t.Errorf("got %q", s)
	}
}
