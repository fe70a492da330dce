package node

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"platen.dev/events/disk"
	"platen.dev/events/seal"
)

// keyring holds the key that encrypts the credentials of jobs in the log. It is derived from the
// cluster's secrets or, on a node that is alone, from the node's own.
type keyring struct {
	*seal.Key
	cfg      Config
	logger   *slog.Logger
	rotating sync.Mutex // held while the key is rotated
}

func openKeys(b *base) (*keyring, error) {
	secrets, err := b.cfg.sealSecrets()
	if err != nil {
		return nil, err
	}
	return &keyring{Key: seal.NewKey(secrets), cfg: b.cfg, logger: b.logger}, nil
}

func (c Config) sealSecrets() (s seal.Secrets, err error) {
	if c := c.Cluster; c.Secret != "" {
		s.Present, s.Chosen = []byte(c.Secret), true
		if c.NextSecret != "" {
			s.Next = []byte(c.NextSecret)
		}
		for _, former := range c.FormerSecrets {
			s.Former = append(s.Former, []byte(former))
		}
		return s, nil
	}
	b, err := os.ReadFile(c.sealPath())
	if errors.Is(err, fs.ErrNotExist) {
		b, err = c.firstSecret()
	}
	if err != nil {
		return s, err
	}
	if len(b) == 0 || len(b)%seal.SecretSize != 0 {
		return s, fmt.Errorf("%s has %d bytes, not %d for each secret", c.sealPath(), len(b), seal.SecretSize)
	}
	for at := seal.SecretSize; at < len(b); at += seal.SecretSize {
		s.Former = append(s.Former, b[at:at+seal.SecretSize])
	}
	s.Present = b[:seal.SecretSize]
	return s, nil
}

// firstSecret makes the secret of a data directory that no node has used. In one that a node has used, the secret is lost: with a new one the node
// would start as if nothing were wrong, and give up what waits under the former one.
func (c StorageConfig) firstSecret() ([]byte, error) {
	if used, err := c.used(); err != nil || used != "" {
		return nil, cmp.Or(err, fmt.Errorf("%s is lost, and a node has used the data directory: there is %s. Without it no waiting webhook, upload or password can be decrypted, "+
			"and webhooks and evidence get other keys. Put it back from its copy, or configure cluster.secret as it was. "+
			"If there is no copy, begin with a new secret: head -c %d /dev/urandom >'%[1]s', as the node's user", c.sealPath(), used, seal.SecretSize))
	}
	b := seal.NewSecret()
	return b, disk.WriteFile(c.sealPath(), b)
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
