//go:build integration

package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"platen.dev/deploy/hosttest"
)

// control is the machine that runs the playbooks: this one, with an inventory of its own.
type control struct {
	dir       string
	inventory string
}

const publicName = "api.platen.test"

// backups is where the hosts reach a directory of this machine, as they would one of a file server.
const backups = "/var/backups/platen"

// inventory has three hosts, the first of which also has the ledger and the results. Backups are taken when the test says so: the timer, which is
// hourly by default, must not take one in between.
const inventory = `all:
  vars:
    public_name: %s
    ansible_user: root
    ansible_ssh_private_key_file: %s/key
    ansible_ssh_common_args: -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null
    admin_networks: [%[3]s/32]
    monitoring_networks: [%[3]s/32]
    kafka_heap: 512m
    backup_to: %[7]s
    backup_when: "2099-01-01"
    platen_settings:
      "": {egress_allow: [%[3]s/32]}
  children:
    cluster:
      hosts:
        platen1: {address: %[4]s, ansible_host: %[4]s, kafka_id: 1}
        platen2: {address: %[5]s, ansible_host: %[5]s, kafka_id: 2}
        platen3: {address: %[6]s, ansible_host: %[6]s, kafka_id: 3}
    ledger: {hosts: {platen1: }}
    storage: {hosts: {platen1: }}
`

func newControl(t *testing.T) control {
	t.Helper()
	c := control{dir: t.TempDir()}
	c.inventory = filepath.Join(c.dir, "inventory.yml")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(c.dir, "key")).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	if err := errors.Join(os.Mkdir(c.backups(), 0o700), os.Chmod(c.backups(), 0o777)); err != nil { // each host has users of its own
		t.Fatal(err)
	}
	text := fmt.Sprintf(inventory, publicName, c.dir, hosttest.Address, hosttest.AddressOf(number(0)), hosttest.AddressOf(number(1)), hosttest.AddressOf(number(2)), backups)
	if err := os.WriteFile(c.inventory, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c control) backups() string { return filepath.Join(c.dir, "backups") }

// secret is the path of a file among the cluster's secrets.
func (c control) secret(name string) string { return filepath.Join(c.dir, "secrets", name) }

// play runs a playbook, which must succeed, and returns how many tasks changed something.
func (c control) play(t *testing.T, args ...string) (changed int) {
	t.Helper()
	began := time.Now()
	out, err := c.run(args)
	if err != nil {
		t.Fatalf("ansible-playbook %s: %v\n%s", strings.Join(args, " "), err, tail(out, 12_000))
	}
	for _, m := range regexp.MustCompile(`(?m)^\S+ +: ok=.* changed=(\d+) `).FindAllSubmatch(out, -1) {
		var n int
		_, _ = fmt.Sscan(string(m[1]), &n)
		changed += n
	}
	t.Logf("ansible-playbook %s: %d changes in %s", strings.Join(args, " "), changed, time.Since(began).Round(time.Second))
	return changed
}

// refused runs a playbook, which must fail and say why.
func (c control) refused(t *testing.T, why string, args ...string) {
	t.Helper()
	if out, err := c.run(args); err == nil || !strings.Contains(string(out), why) {
		t.Errorf("ansible-playbook %s: %v, and does not say %q\n%s", strings.Join(args, " "), err, why, tail(out, 4_000))
	}
}

func (c control) run(args []string) ([]byte, error) {
	cmd := exec.Command("ansible-playbook", append([]string{"--inventory", c.inventory}, args...)...)
	cmd.Env = append(os.Environ(), "ANSIBLE_HOME="+filepath.Join(c.dir, "ansible"), "ANSIBLE_HOST_KEY_CHECKING=False", "ANSIBLE_NOCOLOR=1", "LC_ALL=C.UTF-8")
	return cmd.CombinedOutput()
}

func tail(text []byte, most int) []byte { return text[max(0, len(text)-most):] }
