package node

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/events/seal"
)

// A data directory gets a secret once: where a node has worked, a lost one is not replaced, unless the operator makes one. A cluster's secret needs no file.
func TestLostSecret(t *testing.T) {
	c := NewConfig()
	c.Data = t.TempDir()
	first := secretsOf(t, c)
	if again := secretsOf(t, c); !slices.Equal(again, first) {
		t.Errorf("another secret at the second start: %q, %q", first, again)
	}
	if err := os.Mkdir(filepath.Join(c.Data, "replica-2"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.sealPath()); err != nil {
		t.Fatal(err)
	}
	if _, err := openKeys(newBase(c, Options{})); err == nil || !strings.Contains(err.Error(), c.sealPath()+" is lost") || !strings.Contains(err.Error(), "head -c 32 /dev/urandom >'"+c.sealPath()) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(c.sealPath()); err == nil {
		t.Error("there is a new secret")
	}
	cluster := c
	cluster.Cluster.Secret = "r7Kq2mXv9TzLp4Wd"
	secretsOf(t, cluster)
	if err := os.WriteFile(c.sealPath(), seal.NewSecret(), 0o600); err != nil {
		t.Fatal(err)
	}
	secretsOf(t, c)
}

// secretsOf opens the keys as a node does, and names their secrets.
func secretsOf(t *testing.T, c Config) []string {
	t.Helper()
	if _, err := openKeys(newBase(c, Options{})); err != nil {
		t.Fatal(err)
	}
	s, err := c.sealSecrets()
	if err != nil {
		t.Fatal(err)
	}
	return s.Names()
}

// A node that gets a secret of the operator's keeps its own as former ones. In a cluster, whose other nodes lack them, it does not start with both.
func TestOwnSecretsStay(t *testing.T) {
	c := NewConfig()
	c.Data = t.TempDir()
	own := secretsOf(t, c)
	alone, err := openKeys(newBase(c, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := alone.rotate(); err != nil {
		t.Fatal(err)
	}
	own = append(secretsOf(t, c)[:1], own...)
	c.Cluster.Secret, c.Cluster.FormerSecrets = "r7Kq2mXv9TzLp4Wd", []string{"Gk4vRz9qMx2nTb7c"}
	if names := secretsOf(t, c); len(names) != 4 || !slices.Equal(names[2:], own) {
		t.Errorf("of %q are left %q", own, names)
	}
	given, err := openKeys(newBase(c, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if given.WebhookKey("acc") != alone.WebhookKey("acc") {
		t.Error("the account's webhooks get another key")
	}
	if err := c.checkSecrets(own); err != nil {
		t.Errorf("a restore of what they sealed: %v", err)
	}
	c.Cluster.Gossip = "127.0.0.1:1"
	if _, err := openKeys(newBase(c, Options{})); err == nil || !strings.Contains(err.Error(), c.sealPath()+" has secrets that this node made when it was alone") {
		t.Errorf("in a cluster: %v", err)
	}
	content, err := os.ReadFile(c.sealPath())
	if err != nil {
		t.Fatal(err)
	}
	other := c
	c.Cluster.SealKey = base64.StdEncoding.EncodeToString(content)
	if names := secretsOf(t, c); len(names) != 4 || !slices.Equal(names[2:], own) {
		t.Errorf("in a cluster, of %q are left %q", own, names)
	}
	other.Data, other.Cluster.SealKey = t.TempDir(), c.Cluster.SealKey
	joined, err := openKeys(newBase(other, Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if joined.WebhookKey("acc") != alone.WebhookKey("acc") {
		t.Error("the account's webhooks get another key from another node")
	}
	if err := os.WriteFile(other.sealPath(), seal.NewSecret(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openKeys(newBase(other, Options{})); err == nil || !strings.Contains(err.Error(), "does not match cluster.seal_key") {
		t.Errorf("a node with secrets of its own in another's cluster: %v", err)
	}
	if err := os.WriteFile(c.sealPath(), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Cluster.Gossip = ""
	if _, err := openKeys(newBase(c, Options{})); err == nil || !strings.Contains(err.Error(), "has 5 bytes") {
		t.Errorf("damaged: %v", err)
	}
}

// A node whose oldest secret is another than before says so, and so does doctor. A rotation, and the present secret's coming back, change nothing; nor does
// what a start has left that never used the data directory.
func TestReplacedSecret(t *testing.T) {
	c := NewConfig()
	c.Data = t.TempDir()
	opened := func() (*keyring, string) {
		t.Helper()
		var said bytes.Buffer
		b := newBase(c, Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
		k, err := openKeys(b)
		if err == nil {
			err = noteOldest(b, k, peers{})
		}
		if err != nil {
			t.Fatal(err)
		}
		return k, said.String()
	}
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(c.sealPath(), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opened()
	write(seal.NewSecret())
	k, said := opened()
	if k.before != "" || said != "" {
		t.Errorf("before a node has used the directory: %q, %s", k.before, said)
	}
	if err := os.Mkdir(filepath.Join(c.Data, "replica-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	name := secretsOf(t, c)[0]
	if err := k.rotate(); err != nil {
		t.Fatal(err)
	}
	right, err := os.ReadFile(c.sealPath())
	if err != nil {
		t.Fatal(err)
	}
	const lacks, another = "the node lacks a secret", "the oldest secret is another"
	for _, tc := range []struct {
		content []byte
		says    string
	}{
		{right, ""},
		{seal.NewSecret(), lacks},
		{right[:seal.SecretSize], lacks},
		{slices.Concat(right, seal.NewSecret()), another},
	} {
		write(tc.content)
		for range 2 { // what was said once is said at the next start, too
			k, said := opened()
			now, before, do, err := c.oldestSecrets()
			if err != nil || before != name || now != k.OldestName() || (now != before) != (tc.says != "") || !strings.Contains(do, c.oldestSecretPath()) {
				t.Errorf("doctor: %q, %q, %s, %v; want %q", now, before, do, err, name)
			}
			if (k.before == name) != (tc.says != "") || strings.Contains(said, "level=ERROR") != (tc.says != "") || !strings.Contains(said, tc.says) {
				t.Errorf("before %q; log: %s", k.before, said)
			}
		}
	}
	if err := os.Remove(c.oldestSecretPath()); err != nil {
		t.Fatal(err)
	}
	if k, said := opened(); k.before != "" || said != "" {
		t.Errorf("a secret that is given up: %q, %s", k.before, said)
	}
}

// A node that no other has answered notes nothing: its cluster.secret may be mistyped.
func TestUnheardNodeNotesNothing(t *testing.T) {
	c := NewConfig()
	c.Data, c.Cluster.Secret, c.Cluster.Gossip, c.Cluster.Join = t.TempDir(), "r7Kq2mXv9TzLp4Wd", "127.0.0.1:1", []string{"127.0.0.1:2"}
	b := newBase(c, Options{})
	k, err := openKeys(b)
	if err == nil {
		err = noteOldest(b, k, peers{})
	}
	if _, missing := os.Stat(c.oldestSecretPath()); err != nil || missing == nil {
		t.Errorf("%v, or it was noted", err)
	}
}
