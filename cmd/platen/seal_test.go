package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events/seal"
	"platen.dev/events/testkit"
)

// The sealing secret is rotated twice while a webhook waits: values sealed with a former one can be
// opened by this node and its next start, and the account signs its webhooks as before.
func TestRotateSeal(t *testing.T) {
	testkit.Long(t)
	n, receiver := startInProcessNode(t), newHooks(t)
	path := filepath.Join(n.cfg.Data, "seal.key")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimSpace(n.machine.admin(t, "webhook", "secret", "show", n.account(t)))
	n.machine.admin(t, "webhook", "headers", "set", n.account(t), "Authorization", "Bearer Kr0kodil")
	receiver.status.Store(500)
	id := n.submit(t, map[string]any{"html": "<p>x</p>", "options": map[string]any{"user_password": "Kr0kodil"}, "webhook_url": receiver.url + "/?token=Kr0kodil"})
	n.machine.admin(t, "seal", "rotate")
	check := func(h hook) {
		t.Helper()
		h.signed(t, secret, 0)
		if h.fields["job_id"] != id.String() || h.fields["status"] != "done" || h.path != "/?token=Kr0kodil" || h.header.Get("Authorization") != "Bearer Kr0kodil" {
			t.Errorf("%s %s %s", h.path, h.header, h.body)
		}
	}
	check(receiver.next(t))
	n.awaitAttempts(t, id, 1)
	n.machine.admin(t, "seal", "rotate")
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	n.start(t)
	receiver.status.Store(200)
	n.machine.admin(t, "webhook", "redeliver", id.String())
	check(receiver.next(t))
	if after, err := os.ReadFile(path); err != nil || len(after) != 3*seal.SecretSize || !bytes.HasSuffix(after, before) {
		t.Errorf("seal.key has %d bytes, %v", len(after), err)
	}
}

// The secret of a cluster is the operator's: the command says how to rotate it.
func TestRotateSealOfCluster(t *testing.T) {
	cfg := nodetest.Config(t)
	cfg.Cluster.Secret = "r7Kq2mXv9TzLp4Wd"
	nodetest.Start(t, cfg, node.Options{})
	var out, errs strings.Builder
	if err := run([]string{"admin", "seal", "rotate", "--data", cfg.Data}, &out, &errs); err == nil || !strings.Contains(err.Error(), "cluster.next_secret") {
		t.Errorf("got %v", err)
	}
}
