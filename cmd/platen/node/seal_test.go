package node

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/seal"
)

// A data directory gets a secret once: where a node has worked, a lost one is not replaced, unless the operator makes one. A cluster's secret needs no file.
func TestLostSecret(t *testing.T) {
	c := NewConfig()
	c.Data = t.TempDir()
	first, err := c.sealSecrets()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.sealSecrets(); err != nil || !bytes.Equal(again.Present, first.Present) {
		t.Errorf("another secret at the second start: %v", err)
	}
	if err := os.Mkdir(filepath.Join(c.Data, "replica-2"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.sealPath()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.sealSecrets(); err == nil || !strings.Contains(err.Error(), c.sealPath()+" is lost") || !strings.Contains(err.Error(), "head -c 32 /dev/urandom >'"+c.sealPath()) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(c.sealPath()); err == nil {
		t.Error("there is a new secret")
	}
	cluster := c
	cluster.Cluster.Secret = "r7Kq2mXv9TzLp4Wd"
	if _, err := cluster.sealSecrets(); err != nil {
		t.Errorf("in a cluster: %v", err)
	}
	if err := os.WriteFile(c.sealPath(), seal.NewSecret(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.sealSecrets(); err != nil {
		t.Errorf("with a secret of the operator's: %v", err)
	}
}
