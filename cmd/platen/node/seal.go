package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"platen.dev/events/seal"
)

// sealKey is the key that encrypts the credentials of jobs in the log. It is derived from
// the cluster's secret or, on a node that is alone, from a secret that the node keeps.
func sealKey(cfg Config) (seal.Key, error) {
	if cfg.Cluster.Secret != "" {
		return seal.NewKey([]byte(cfg.Cluster.Secret)), nil
	}
	path := filepath.Join(cfg.Data, "seal.key")
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret = seal.NewSecret()
		err = writeFile(path, secret)
	}
	if err != nil {
		return seal.Key{}, err
	}
	if len(secret) != seal.SecretSize {
		return seal.Key{}, fmt.Errorf("%s has %d bytes, not %d", path, len(secret), seal.SecretSize)
	}
	return seal.NewKey(secret), nil
}
