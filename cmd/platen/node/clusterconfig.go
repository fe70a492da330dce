package node

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"

	"platen.dev/actors/cluster/pki"
	"platen.dev/events/secret"
)

// ClusterConfig is the section [cluster].
type ClusterConfig struct {
	// Gossip is where the node gossips, host:port, TCP and UDP.
	Gossip string `toml:"gossip"`
	// Actors is where the actors of other nodes reach those of this one, host:port, over mutual TLS.
	Actors string `toml:"actors"`
	// Join lists gossip addresses of other nodes.
	Join []string `toml:"join"`
	// Secret encrypts gossip, and the credentials that travel with jobs, and stands for the authority
	// of the nodes' certificates: at least 16 characters that are not easily guessed.
	Secret string `toml:"secret"`
	// NextSecret is accepted, but not used yet. FormerSecrets are past ones, newest first: they open
	// what they have sealed. The first of them is also accepted from other nodes.
	NextSecret    string   `toml:"next_secret"`
	FormerSecrets []string `toml:"former_secrets"`
	// SealKey is the file seal.key of a node that was alone before, as base64: random secrets, older than all others.
	SealKey string `toml:"seal_key"`
	// CertFile, KeyFile and CAFile replace what is derived from the secret: a node's certificate with
	// its key, and the authorities whose nodes are accepted, as PEM.
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
	CAFile   string `toml:"ca_file"`
}

func (c ClusterConfig) validate(k KafkaConfig) error {
	if c.Gossip == "" {
		alone := c.Actors == "" && len(c.Join) == 0 && c.CertFile == "" && c.KeyFile == "" && c.CAFile == ""
		return errors.Join(c.validateSecrets(), check(alone, "cluster.gossip: cluster.actors, cluster.join and the certificate files need it"))
	}
	return errors.Join(
		checkAddress("cluster.gossip", c.Gossip), checkAddress("cluster.actors", c.Actors),
		check(len(k.Brokers) > 0, "kafka.brokers: a cluster needs a shared log"),
		check((c.CertFile == "") == (c.KeyFile == "") && (c.KeyFile == "") == (c.CAFile == ""), "cluster.cert_file, cluster.key_file, cluster.ca_file: all three are needed, or none"),
		check(c.Secret != "", "cluster.secret: a cluster needs one that cannot be guessed, and --secret-file reads it from a file: `platen admin cluster secret` prints a good one"),
		c.validateSecrets(),
	)
}

// validateSecrets checks the secrets, which a node that is alone may do without: it then makes one itself.
func (c ClusterConfig) validateSecrets() error {
	if c.Secret == "" {
		return check(c.NextSecret == "" && len(c.FormerSecrets) == 0 && c.SealKey == "", "cluster.next_secret, cluster.former_secrets, cluster.seal_key: they need cluster.secret")
	}
	var errs []error
	if err := secret.Check(c.Secret); err != nil {
		errs = append(errs, fmt.Errorf("cluster.secret: %w. If this one has been in use, put it first into cluster.former_secrets, so that what it has sealed can be opened", err))
	}
	if c.NextSecret != "" {
		if err := secret.Check(c.NextSecret); err != nil {
			errs = append(errs, fmt.Errorf("cluster.next_secret: %w", err))
		}
	}
	for _, former := range c.FormerSecrets {
		errs = append(errs, check(former != "", "cluster.former_secrets: one of them is empty"))
	}
	if _, err := c.sealKey(); err != nil {
		errs = append(errs, fmt.Errorf("cluster.seal_key: %w", err))
	}
	return errors.Join(errs...)
}

// sealKey returns the secrets of SealKey, newest first; without one, none.
func (c ClusterConfig) sealKey() ([][]byte, error) {
	if c.SealKey == "" {
		return nil, nil
	}
	b, err := base64.StdEncoding.DecodeString(c.SealKey)
	if err != nil {
		return nil, fmt.Errorf("it is not base64; `base64 -w0 seal.key` prints it (%w)", err)
	}
	return randomSecrets(b)
}

// roots returns the secrets that are accepted from other nodes; the first one is used. The newest
// former one is accepted, because a rotation may be under way, unless it is weak.
func (c ClusterConfig) roots() []secret.Root {
	all := []secret.Root{secret.Stretch(c.Secret)}
	if c.NextSecret != "" {
		all = append(all, secret.Stretch(c.NextSecret))
	}
	if len(c.FormerSecrets) > 0 && secret.Check(c.FormerSecrets[0]) == nil {
		all = append(all, secret.Stretch(c.FormerSecrets[0]))
	}
	return all
}

// identity returns this node's identity for other nodes.
func (c ClusterConfig) identity(logger *slog.Logger) (*pki.Identity, error) {
	if c.CertFile == "" {
		return pki.FromSecrets(c.roots())
	}
	i, err := pki.FromFiles(pki.Files{Certificate: c.CertFile, Key: c.KeyFile, Authorities: c.CAFile}, logger)
	if err != nil {
		return nil, fmt.Errorf("cluster.cert_file, cluster.key_file, cluster.ca_file: %w", err)
	}
	return i, nil
}
