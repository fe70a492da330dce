package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"platen.dev/actors/cluster/pki"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/events/secret"
)

// This file has the commands that prepare the nodes of a cluster. They work on files, without a
// node.

// newSecret prints a secret for a cluster.
func (c call) newSecret() error {
	_, err := fmt.Fprintln(c.out, secret.New())
	return err
}

// clusterDir is the directory in which `cluster init` keeps a cluster's authority and secret.
type clusterDir string

func (d clusterDir) path(name string) string { return filepath.Join(string(d), name) }

// initCluster makes the authority, the secret and the first node's certificate.
func runInitCluster(c call) error {
	dir := clusterDir(c.args[0])
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return err
	}
	a, err := pki.NewAuthority(time.Now())
	if err != nil {
		return err
	}
	certificate, key, err := a.Encode()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"ca.key", key}, {"ca.pem", certificate}, {"secret", []byte(secret.New() + "\n")}} {
		if err := writeNew(dir.path(f.name), f.content); err != nil {
			return err
		}
	}
	return c.issue(dir, a, "node1")
}

// joinCluster makes a certificate for one more node, or a new one for a node that has one.
func runJoinCluster(c call) error {
	dir, node := clusterDir(c.args[0]), c.args[1]
	certificate, err := os.ReadFile(dir.path("ca.pem"))
	if err != nil {
		return fmt.Errorf("%w: `platen admin cluster init` makes it", err)
	}
	key, err := os.ReadFile(dir.path("ca.key"))
	if err != nil {
		return err
	}
	a, err := pki.DecodeAuthority(certificate, key)
	if err != nil {
		return fmt.Errorf("%s: %w", dir.path("ca.pem"), err)
	}
	return c.issue(dir, a, node)
}

// nodeName matches the node names allowed in the names of its files.
var nodeName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$`)

func (c call) issue(dir clusterDir, a pki.Authority, node string) error {
	if !nodeName.MatchString(node) || node == "ca" {
		return fmt.Errorf("a node's name consists of letters, digits, dots and dashes and is not ca: %q", node)
	}
	issued, err := a.Issue(node, time.Now())
	if err != nil {
		return err
	}
	certificate, key, err := pki.Encode(issued)
	if err != nil {
		return err
	}
	if err := errors.Join(replace(dir.path(node+".key"), key), replace(dir.path(node+".pem"), certificate)); err != nil {
		return err
	}
	return c.print(nil, func(w terminal.Lines) {
		w.Printf(`Copy these files to the node, into a directory that only Platen's user can read, such as /etc/platen:

  %s
  %s
  %s
  %s

and put these lines into its platen.toml:

  [cluster]
  cert_file = "/etc/platen/%s.pem"
  key_file = "/etc/platen/%s.key"
  ca_file = "/etc/platen/ca.pem"

It reads the secret by --secret-file /etc/platen/secret. The certificate expires on %s; "platen admin cluster join %s %s"
makes the next one, which a node uses as soon as the files are there. Keep %s where no node is: it lets nodes in.
`, dir.path("secret"), dir.path("ca.pem"), dir.path(node+".pem"), dir.path(node+".key"), node, node,
			issued.Leaf.NotAfter.Format(time.DateOnly), dir, node, dir.path("ca.key"))
	})
}

// writeNew writes a file that only its owner can read; the file must not exist yet.
func writeNew(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and stays as it is: a cluster is made in a directory of its own", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// replace writes a file that only its owner can read, atomically.
func replace(path string, content []byte) error {
	fresh := path + ".new"
	if err := os.WriteFile(fresh, content, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
