//go:build integration

package cluster

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What roles do is tried on this machine here, without hosts: what they call on a host is in a directory of its own.

// local writes a playbook for this machine, and programs that come before those of the system.
func (c control) local(t *testing.T, playbook string, programs map[string]string) (path string) {
	t.Helper()
	roles, err := filepath.Abs("roles")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(c.dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(c.dir, "local.yml")
	if err := os.WriteFile(path, []byte(playbook), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ANSIBLE_ROLES_PATH", roles)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return path
}

const secrets = `- hosts: cluster[0]
  connection: local
  gather_facts: false
  roles: [settings, authority]
`

// A name or an address that changes gets into the certificates, and nothing else is made again. A program that fails
// leaves nothing that the next run takes for a password.
func TestSecrets(t *testing.T) {
	c := newControl(t)
	binary, err := filepath.Abs("../../dist/cluster/platen")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("deploy/cluster/fetch.sh builds it: ", err)
	}
	failing := filepath.Join(c.dir, "failing")
	playbook := c.local(t, secrets, map[string]string{"openssl": `[ "$1" != rand ] || [ ! -e ` + failing + ` ] || exit 1
PATH=${PATH#*:} exec openssl "$@"
`})
	args := []string{"--extra-vars", "platen_binary=" + binary, playbook}

	if err := os.WriteFile(failing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run(args); err == nil {
		t.Errorf("a password is made without openssl:\n%s", tail(out, 2_000))
	}
	if err := os.Remove(failing); err != nil {
		t.Fatal(err)
	}
	c.play(t, args...)
	for _, name := range []string{"storage-password", "ledger-password", "kafka-id", "kafka-directory-platen2"} {
		if secret := read(t, c.secret(name)); len(secret) < 22 {
			t.Errorf("%s is %q", name, secret)
		}
	}
	if changed := c.play(t, args...); changed != 0 {
		t.Errorf("a second run changes %d things", changed)
	}

	before := read(t, c.secret("host-platen2.pem"))
	inventory := strings.NewReplacer(publicName, "other.platen.test", "address: 198.18.92.11,", "address: 198.18.92.99,").Replace(read(t, c.inventory))
	if err := os.WriteFile(c.inventory, []byte(inventory), 0o600); err != nil {
		t.Fatal(err)
	}
	c.play(t, args...)
	checkNames(t, c.secret("public.pem"), "other.platen.test", "198.18.92.99")
	checkNames(t, c.secret("host-platen1.pem"), "platen1", "198.18.92.99")
	if read(t, c.secret("host-platen2.pem")) != before {
		t.Error("the certificate of a host that did not change was made again")
	}
}

// checkNames looks whether a certificate is for all of these names.
func checkNames(t *testing.T, file string, names ...string) {
	t.Helper()
	block, _ := pem.Decode([]byte(read(t, file)))
	if block == nil {
		t.Fatalf("%s is no PEM", file)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for _, name := range names {
		if err := certificate.VerifyHostname(name); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

const restarts = `- hosts: cluster
  connection: local
  gather_facts: false
  roles: [settings]
  vars: {patience: 3, platen_before: {stdout: active}, kafka_before: {stdout: active}}
  tasks:
    - {ansible.builtin.command: "true", notify: "Restart %[1]s"}
  handlers:
    - ansible.builtin.import_tasks: %[2]s
`

// A node that does not start with new settings is the only one that is restarted.
func TestRestartsEnd(t *testing.T) {
	for service, role := range map[string]string{"Platen": "platen", "Kafka": "kafka"} {
		t.Run(service, func(t *testing.T) {
			c := newControl(t)
			log := filepath.Join(c.dir, "restarts")
			handlers, err := filepath.Abs(filepath.Join("roles", role, "handlers/main.yml"))
			if err != nil {
				t.Fatal(err)
			}
			up := "[ ! -e " + log + " ]\n" // everything is well until the first restart
			playbook := c.local(t, fmt.Sprintf(restarts, service, handlers), map[string]string{
				"systemctl": `case "$*" in restart*) echo "$*" >> ` + log + `; ` + up + "esac\n", "platen": up, "kafka-tool": up,
			})
			if out, err := c.run([]string{playbook}); err == nil {
				t.Errorf("the playbook reports no failure\n%s", tail(out, 2_000))
			}
			if got, want := read(t, log), "restart "+role+"\n"; got != want {
				t.Errorf("restarted: %q, want %q", got, want)
			}
		})
	}
}

// covering is an ansible-playbook for which a directory of this machine is empty, and stays as it is.
func covering(dir string) string {
	return `export PATH=${PATH#*:} BIN=${PATH%%:*}
exec unshare --mount sh -c 'mount -t tmpfs covering ` + dir + ` && real=$(command -v ansible-playbook) && PATH=$BIN:$PATH exec "$real" "$@"' sh "$@"
`
}

const backupsEnd = `- hosts: cluster[0]
  connection: local
  gather_facts: false
  roles: [settings]
  tasks:
    - ansible.builtin.include_role: {name: platen, tasks_from: backups.yml}
    - ansible.builtin.stat: {path: /etc/systemd/system/platen-backup.timer}
      register: before
    - ansible.builtin.include_role: {name: platen, tasks_from: backups.yml}
      vars: {backup_to: ""}
    - ansible.builtin.stat: {path: /etc/systemd/system/platen-backup.timer}
      register: after
    - ansible.builtin.assert: {that: [before.stat.exists, not after.stat.exists]}
`

// Where backup_to is empty again, the timer takes no more backups.
func TestBackupsEnd(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can cover /etc/systemd/system")
	}
	c := newControl(t)
	log := filepath.Join(c.dir, "calls")
	playbook := c.local(t, backupsEnd, map[string]string{
		"systemctl":        `echo "$*" >> ` + log + `; case "$*" in *show*) echo LoadState=loaded; echo ActiveState=active;; esac` + "\n",
		"ansible-playbook": covering("/etc/systemd/system"),
	})
	c.play(t, playbook)
	if got := read(t, log); !strings.Contains(got, "disable --now platen-backup.timer") {
		t.Errorf("the timer still runs:\n%s", got)
	}
}

// A node that does not run, as after an upgrade that failed, cannot be drained, and gets another version without.
func TestUpgradeOfANodeThatIsDown(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can cover /var/cache")
	}
	for state, drained := range map[string]bool{"active": true, "activating": false, "failed": false} {
		t.Run(state, func(t *testing.T) {
			c := newControl(t)
			log := filepath.Join(c.dir, "calls")
			deb := c.local(t, "no package", map[string]string{
				"systemctl": "echo " + state + "; [ " + state + " = active ]\n", "dpkg-deb": "echo 1\n", "dpkg-query": "echo 2\n",
				"runuser": "echo \"$*\" >> " + log + "; [ " + state + " = active ]\n", "ansible-playbook": covering("/var/cache"),
			})
			out, err := c.run([]string{"--connection", "local", "--limit", "platen1", "--extra-vars", "platen_deb=" + deb + " ansible_become=false", "upgrade.yml"})
			if err == nil || !strings.Contains(string(out), "TASK [Install]") { // which fails: it is not a package
				t.Errorf("%s: nothing is installed: %v\n%s", state, err, tail(out, 2_000))
			}
			if calls, _ := os.ReadFile(log); strings.Contains(string(calls), "platen drain --wait") != drained {
				t.Errorf("%s: called %q", state, calls)
			}
		})
	}
}
