package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"platen.dev/events/tlsfile"
)

// certificate is a certificate with its key, from files that may change.
type certificate struct {
	cfg     TLSConfig
	logger  *slog.Logger
	current atomic.Pointer[tls.Certificate]
	mu      sync.Mutex    // one look at a time
	seen    tlsfile.Stamp // of the files, when they were last read; guarded by mu
	wrong   error         // why they are unusable since then, nil if they are not; guarded by mu
	refused bool          // whether the log says that clients refuse the certificate; guarded by mu
}

func (c TLSConfig) stamp() tlsfile.Stamp { return tlsfile.StampOf(c.CertFile, c.KeyFile) }

// certificateInterval is how often the files are checked.
const certificateInterval = 5 * time.Second

// newCertificate reads a certificate.
func newCertificate(cfg TLSConfig, logger *slog.Logger) (*certificate, error) {
	c := &certificate{cfg: cfg, logger: logger, seen: cfg.stamp()}
	return c, c.load()
}

func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.cfg.CertFile, c.cfg.KeyFile)
	if err != nil {
		return fmt.Errorf("[tls] %s, %s: %w", c.cfg.CertFile, c.cfg.KeyFile, err)
	}
	c.current.Store(&pair)
	return nil
}

// look rereads the files if they have changed. If they are unusable, as between the writing of the
// one and the other, the certificate stays as it was, and look returns why.
func (c *certificate) look() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.cfg.stamp()
	if now == c.seen {
		if !c.refused && tlsfile.CheckValidity(c.current.Load().Leaf, time.Now()) != nil { // it has expired meanwhile
			c.tell()
		}
		return c.wrong
	}
	c.seen = now
	if c.wrong = c.load(); c.wrong != nil {
		c.logger.Error("the new certificate is unusable; keeping the previous one", "error", c.wrong)
		return c.wrong
	}
	c.tell()
	return nil
}

// tell logs what was read. One that is not good now is shown all the same: the operator may know better than the clock, or have no other.
func (c *certificate) tell() {
	leaf := c.current.Load().Leaf
	err := tlsfile.CheckValidity(leaf, time.Now())
	c.refused = err != nil
	if err != nil {
		c.logger.Warn("clients refuse the certificate", "file", c.cfg.CertFile, "error", err)
		return
	}
	c.logger.Info("certificate read", "file", c.cfg.CertFile, "expires", leaf.NotAfter)
}

// config returns the TLS configuration of clients' connections, nil for plain HTTP.
func (c *certificate) config() *tls.Config {
	if c == nil {
		return nil
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	}
}

// expires returns when the certificate expires.
func (c *certificate) expires() time.Time { return c.current.Load().Leaf.NotAfter }

// openCertificate returns the API's certificate, which follows its files until the node closes; nil without TLS.
func openCertificate(b *base) (*certificate, error) {
	if b.cfg.TLS.CertFile == "" {
		return nil, nil
	}
	c, err := newCertificate(b.cfg.TLS, b.logger)
	if err == nil {
		c.tell()
		b.periodically("certificate", certificateInterval, func(context.Context) { _ = c.look() }) // it has logged its error
	}
	return c, err
}
