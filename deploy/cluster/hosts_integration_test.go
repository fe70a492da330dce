//go:build integration

// Package cluster tests the playbooks: on bare hosts, from outside, as an operator runs them.
package cluster

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"platen.dev/deploy/hosttest"
)

const hosts = 3

// number is that of a host's address.
func number(host int) int { return 11 + host }

func name(host int) string { return fmt.Sprintf("platen%d", host+1) }

// cluster is three hosts, and who uses them.
type cluster struct {
	control
	made    string // what hosts are booted from
	all     []*hosttest.Host
	from    *client
	account string

	began, last time.Time
}

// Three bare hosts become a cluster that converts documents. Under steady load one of them is lost and replaced by a
// bare one, all are upgraded, one is rolled back, and a backup is taken: no job is lost, none is charged twice. In the end all
// are lost, and three bare ones continue from the backup. The short test leaves out the second run, the upgrade and the way back.
func TestHosts(t *testing.T) {
	made := os.Getenv("PLATEN_TEST_HOSTS")
	if made == "" {
		t.Skip("deploy/cluster/integration.sh makes what hosts are booted from, and names it in PLATEN_TEST_HOSTS")
	}
	hosttest.Network(t)
	hosttest.Serve(t, "80", http.FileServer(http.Dir(filepath.Join(made, "packages"))))
	operations := hosttest.Operations(t)
	c := &cluster{control: newControl(t), made: made, began: time.Now(), last: time.Now()}
	c.all = []*hosttest.Host{c.boot(t, 0), c.boot(t, 1), c.boot(t, 2)}
	c.phase(t, "three bare hosts boot")
	c.begin(t)
	files := c.convertAll(t, operations)
	c.phase(t, "every operation")
	if !testing.Short() {
		c.again(t)
	}

	l := startLoad(t, c.from)
	l.awaitMore(t, 10)
	c.lose(t, l)
	if !testing.Short() {
		c.upgrade(t, l)
	}
	before := l.jobs()
	c.backUp(t)
	l.awaitMore(t, 10)
	c.phase(t, "a backup is taken")
	l.end(t)
	charged := len(l.rendered) + len(files)
	c.checkLedger(t, charged)
	c.phase(t, "every job is done and charged once")

	c.restore(t)
	c.checkRestored(t, l, before, files)
	c.convertAll(t, operations)
	c.phase(t, "the restored cluster converts")
}

// phase says how long what was done since the last call took.
func (c *cluster) phase(t *testing.T, what string) {
	t.Logf("%4.0f s, %4.0f s in all: %s", time.Since(c.last).Seconds(), time.Since(c.began).Seconds(), what)
	c.last = time.Now()
}

func (c *cluster) boot(t *testing.T, host int) *hosttest.Host {
	return hosttest.Boot(t, filepath.Join(c.made, "root"), name(host), number(host), "--bind-ro="+c.dir+"/key.pub:/root/.ssh/authorized_keys", "--bind="+c.backups()+":"+backups)
}

// begin makes a cluster of the hosts, and opens an account.
func (c *cluster) begin(t *testing.T) {
	c.nameKafka(t, "-like-a-flag-0123456-A")
	c.play(t, "site.yml")
	checkControllers(t, c.all)
	c.from = newClient(t, c.secret("services-ca.pem"))
	c.account, c.from.key = c.all[0].Key(t)
	c.phase(t, "site.yml makes them a cluster")
}

// nameKafka names Kafka's cluster before the playbook does. One of 64 names that it makes begins with a dash.
func (c *cluster) nameKafka(t *testing.T, id string) {
	path := c.secret("kafka-id")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(id), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) again(t *testing.T) {
	if changed := c.play(t, "site.yml"); changed != 0 {
		t.Errorf("the second run changed %d things", changed)
	}
	c.phase(t, "a second run changes nothing")
}

// lose loses the third host, and puts another one in its place. One that is not lost is not replaced.
func (c *cluster) lose(t *testing.T, l *load) {
	c.refused(t, "it is not lost", "replace-host.yml", "--extra-vars", "host="+name(2))
	c.all[2].Kill()
	l.awaitMore(t, 10)
	c.phase(t, "a host is lost")
	c.all[2] = c.boot(t, 2)
	c.play(t, "replace-host.yml", "--extra-vars", "host="+name(2))
	checkControllers(t, c.all)
	l.awaitMore(t, 10)
	c.phase(t, "it is replaced")
}

// upgrade upgrades all hosts, and takes one of them back.
func (c *cluster) upgrade(t *testing.T, l *load) {
	first := os.Getenv("PLATEN_TEST_DEB")
	second := hosttest.NextVersion(t, first)
	old, now := hosttest.Version(t, first), hosttest.Version(t, second)
	c.play(t, "upgrade.yml", "--extra-vars", "platen_deb="+second)
	checkVersions(t, c.all, now, now, now)
	c.phase(t, "all are upgraded")
	c.play(t, "upgrade.yml", "--limit", name(1), "--extra-vars", "platen_deb="+first)
	checkVersions(t, c.all, now, old, now)
	l.awaitMore(t, 10)
	c.phase(t, "one is taken back")
}

// backUp takes a backup, once it is told why there can be none.
func (c *cluster) backUp(t *testing.T) {
	allow := func(mode os.FileMode) {
		if err := os.Chmod(c.backups(), mode); err != nil {
			t.Fatal(err)
		}
	}
	allow(0o755)
	c.refused(t, "permission denied", "backup.yml")
	allow(0o777)
	c.play(t, "backup.yml")
	c.refused(t, "take new hosts", "restore.yml")
}

// restore loses all hosts, and makes others a cluster from the backup.
func (c *cluster) restore(t *testing.T) {
	for host, h := range c.all {
		h.Kill()
		c.all[host] = c.boot(t, host)
	}
	c.phase(t, "three other bare hosts boot")
	c.play(t, "restore.yml", "--extra-vars", "keep_revoked=true") // the test continues with its key
	checkControllers(t, c.all)
	c.phase(t, "restore.yml makes them the cluster of before")
}
