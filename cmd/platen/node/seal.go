package node

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"platen.dev/events/disk"
	"platen.dev/events/seal"
)

// keyring holds the key that encrypts the credentials of jobs in the log. It is derived from the
// cluster's secrets or, on a node that is alone, from the node's own.
type keyring struct {
	*seal.Key
	cfg      Config
	before   string // the name of another oldest secret that the node had before, "" if there was none
	logger   *slog.Logger
	rotating sync.Mutex // held while the key is rotated
}

func openKeys(b *base) (*keyring, error) {
	first, err := b.cfg.needsFirstSecret()
	if err == nil && first {
		err = disk.WriteFile(b.cfg.sealPath(), seal.NewSecret())
	}
	if err != nil {
		return nil, err
	}
	secrets, err := b.cfg.sealSecrets()
	if err != nil {
		return nil, err
	}
	k := &keyring{Key: seal.NewKey(secrets), cfg: b.cfg, logger: b.logger}
	had, err := b.cfg.formerOldest()
	if err != nil || had == "" || had == k.OldestName() {
		return k, err
	}
	k.before = had // it starts all the same: jobs without credentials are unaffected, and the secret may be lost for good
	if slices.Contains(secrets.Names(), had) {
		b.logger.Error("the oldest secret is another than before: webhooks are signed with other keys", "secret", k.OldestName(), "before", had, "do", b.cfg.findSecret())
	} else {
		b.logger.Error("the node lacks a secret that it had: webhooks are signed with other keys", "secret", had, "do", b.cfg.findSecret())
	}
	return k, nil
}

// noteOldest notes the oldest secret once the node works with it, unless another is noted.
func noteOldest(b *base, k *keyring, p peers) error {
	if k.before != "" || b.cfg.Cluster.Gossip != "" && len(b.cfg.Cluster.Join) > 0 && len(p.members()) < 2 { // nobody has confirmed cluster.secret
		return nil
	}
	path, content := b.cfg.oldestSecretPath(), []byte(k.OldestName()+"\n")
	if noted, err := os.ReadFile(path); err == nil && bytes.Equal(noted, content) {
		return nil
	}
	return disk.WriteFile(path, content)
}

// oldestSecretPath returns the file that names the oldest secret that the node has worked with: the one from which the keys of accounts are derived, so
// that it must never be replaced. Rows and log do not tell it: a value that no secret opens may be of one that was given up.
func (c StorageConfig) oldestSecretPath() string { return filepath.Join(c.Data, "seal.oldest") }

// formerOldest returns the name of the oldest secret that a node has worked with in the data directory, "" if that is not known.
func (c StorageConfig) formerOldest() (string, error) {
	if used, err := c.used(); err != nil || used == "" { // what a start that failed has noted does not count
		return "", err
	}
	b, err := os.ReadFile(c.oldestSecretPath())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(b)), err
}

// findSecret says what to do if the oldest secret is another than before.
func (c StorageConfig) findSecret() string {
	return fmt.Sprintf("put %s back from its copy, or configure cluster.secret, cluster.former_secrets and cluster.seal_key as they were; "+
		"if the secret is lost for good, or the other is to be the oldest, remove %s, and start again", c.sealPath(), c.oldestSecretPath())
}

// needsFirstSecret reports whether the node has to make its own secret: it has none, and no node has used the data directory. In one that a node has
// used, the secret is lost: with a new one the node would start as if nothing were wrong, and give up what waits under the former one.
func (c Config) needsFirstSecret() (bool, error) {
	if c.Cluster.Secret != "" {
		return false, nil
	}
	if _, err := os.Stat(c.sealPath()); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if used, err := c.used(); err != nil || used != "" {
		return false, cmp.Or(err, fmt.Errorf("%s is lost, and a node has used the data directory: there is %s. Without it no waiting webhook, upload or password can be decrypted, "+
			"and webhooks and evidence get other keys. Put it back from its copy, or configure cluster.secret as it was. "+
			"If there is no copy, begin with a new secret: head -c %d /dev/urandom >'%[1]s'; rm -f '%[4]s', as the node's user", c.sealPath(), used, seal.SecretSize, c.oldestSecretPath()))
	}
	return true, nil
}

// sealSecrets returns the secrets: the operator's, followed by those that a node made before it got them, or else the node's own alone.
func (c Config) sealSecrets() (s seal.Secrets, err error) {
	if c.Cluster.Secret == "" {
		own, err := c.ownSecrets()
		if err == nil {
			s.Present, s.Former = own[0], own[1:]
		}
		return s, err
	}
	own, err := c.formerlyOwn()
	if err != nil {
		return s, err
	}
	s = seal.Secrets{Present: []byte(c.Cluster.Secret), Chosen: true, Own: own}
	if c.Cluster.NextSecret != "" {
		s.Next = []byte(c.Cluster.NextSecret)
	}
	for _, former := range c.Cluster.FormerSecrets {
		s.Former = append(s.Former, []byte(former))
	}
	return s, nil
}

// formerlyOwn returns the secrets that a node made when it was alone, newest first: those of the configuration, or of this node's file. Nodes that
// know others would derive other keys from the oldest secret.
func (c Config) formerlyOwn() ([][]byte, error) {
	configured, err := c.Cluster.sealKey()
	if err != nil {
		return nil, fmt.Errorf("cluster.seal_key: %w", err)
	}
	own, err := c.ownSecrets()
	switch {
	case errors.Is(err, fs.ErrNotExist): // the node never was alone
		return configured, nil
	case err != nil:
		return nil, err
	case configured != nil && !slices.EqualFunc(own, configured, bytes.Equal):
		return nil, fmt.Errorf("%s does not match cluster.seal_key. If the key was copied before a rotation, copy it again; "+
			"if it is another node's, and this one has nothing of its own, move the file away, with %s", c.sealPath(), c.oldestSecretPath())
	case configured == nil && c.Cluster.Gossip != "":
		return nil, fmt.Errorf("%s has secrets that this node made when it was alone, and the other nodes lack them. If the accounts were this node's, "+
			"give all nodes of the cluster the output of `base64 -w0 %[1]s` as cluster.seal_key. To join a cluster that has never used them, "+
			"begin with an empty data directory, or move the file away, with %[2]s", c.sealPath(), c.oldestSecretPath())
	}
	return own, nil
}

// ownSecrets returns the node's own secrets, newest first.
func (c StorageConfig) ownSecrets() ([][]byte, error) {
	b, err := os.ReadFile(c.sealPath())
	if err != nil {
		return nil, err
	}
	own, err := randomSecrets(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.sealPath(), err)
	}
	return own, nil
}

// randomSecrets splits the content of a file of a node's own secrets.
func randomSecrets(content []byte) ([][]byte, error) {
	if len(content) == 0 || len(content)%seal.SecretSize != 0 {
		return nil, fmt.Errorf("it has %d bytes, not %d for each secret", len(content), seal.SecretSize)
	}
	return slices.Collect(slices.Chunk(content, seal.SecretSize)), nil
}

// sealPath returns the file of a node's own secrets, newest first.
func (c StorageConfig) sealPath() string { return filepath.Join(c.Data, "seal.key") }

// errClusterSecret explains how to rotate a cluster's secret.
var errClusterSecret = errors.New("the key comes from cluster.secret, the same on all nodes. To rotate it: set cluster.next_secret on every node and restart one after the other; " +
	"then, one after the other, make it cluster.secret, put the one before first into cluster.former_secrets, and leave cluster.next_secret empty")

// rotate makes the node seal with a new secret from now on. Earlier sealed values can still be
// opened.
func (k *keyring) rotate() error {
	if k.cfg.Cluster.Secret != "" {
		return errClusterSecret
	}
	k.rotating.Lock()
	defer k.rotating.Unlock()
	s, err := k.cfg.sealSecrets()
	if err != nil {
		return err
	}
	s.Former = append([][]byte{s.Present}, s.Former...)
	s.Present = seal.NewSecret()
	if err := disk.WriteFile(k.cfg.sealPath(), slices.Concat(s.Present, slices.Concat(s.Former...))); err != nil {
		return err
	}
	k.Replace(s)
	k.logger.Info("credentials are sealed with a new secret", "former", len(s.Former))
	return nil
}
