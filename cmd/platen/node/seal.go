package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"platen.dev/events/disk"
	"platen.dev/events/seal"
)

// sealKey is the key that encrypts the credentials of jobs in the log. It is derived from the
// cluster's secrets or, on a node that is alone, from secrets that the node keeps.
func sealKey(cfg Config) (*seal.Key, error) {
	secrets, err := sealSecrets(cfg)
	if err != nil {
		return nil, err
	}
	return seal.NewKey(secrets), nil
}

func sealSecrets(cfg Config) (s seal.Secrets, err error) {
	if c := cfg.Cluster; c.Secret != "" {
		s.Present, s.Chosen = []byte(c.Secret), true
		if c.NextSecret != "" {
			s.Next = []byte(c.NextSecret)
		}
		for _, former := range c.FormerSecrets {
			s.Former = append(s.Former, []byte(former))
		}
		return s, nil
	}
	b, err := os.ReadFile(sealPath(cfg))
	if errors.Is(err, fs.ErrNotExist) {
		b = seal.NewSecret()
		err = disk.WriteFile(sealPath(cfg), b)
	}
	if err != nil {
		return s, err
	}
	if len(b) == 0 || len(b)%seal.SecretSize != 0 {
		return s, fmt.Errorf("%s has %d bytes, not %d for each secret", sealPath(cfg), len(b), seal.SecretSize)
	}
	for at := seal.SecretSize; at < len(b); at += seal.SecretSize {
		s.Former = append(s.Former, b[at:at+seal.SecretSize])
	}
	s.Present = b[:seal.SecretSize]
	return s, nil
}

// sealPath is the file of a node's own secrets, the newest first.
func sealPath(cfg Config) string { return filepath.Join(cfg.Data, "seal.key") }

// errClusterSecret explains how the secret of a cluster is rotated.
var errClusterSecret = errors.New("the key comes from cluster.secret, the same on all nodes. To rotate it: set cluster.next_secret on every node and restart one after the other; " +
	"then, one after the other, make it cluster.secret, put the one before first into cluster.former_secrets, and leave cluster.next_secret empty")

// rotateSeal has the node seal with a new secret from now on. What was sealed before can be opened.
func (n *Node) RotateSeal() error {
	if n.cfg.Cluster.Secret != "" {
		return errClusterSecret
	}
	n.rotating.Lock()
	defer n.rotating.Unlock()
	s, err := sealSecrets(n.cfg)
	if err != nil {
		return err
	}
	s.Former = append([][]byte{s.Present}, s.Former...)
	s.Present = seal.NewSecret()
	if err := disk.WriteFile(sealPath(n.cfg), slices.Concat(s.Present, slices.Concat(s.Former...))); err != nil {
		return err
	}
	n.seal.Replace(s)
	n.logger.Info("credentials are sealed with a new secret", "former", len(s.Former))
	return nil
}
