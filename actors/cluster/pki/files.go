package pki

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"platen.dev/events/tlsfile"
)

// Files are PEM files: a node's certificate with its key, and the authorities whose nodes it
// accepts.
type Files struct{ Certificate, Key, Authorities string }

func (f Files) stamp() tlsfile.Stamp { return tlsfile.StampOf(f.Certificate, f.Key, f.Authorities) }

// read reads the files. It fails unless other nodes, which have the same authorities, would accept
// the certificate.
func (f Files) read() (c credentials, err error) {
	if c.certificate, err = tls.LoadX509KeyPair(f.Certificate, f.Key); err != nil {
		return c, fmt.Errorf("%s, %s: %w", f.Certificate, f.Key, err)
	}
	pem, err := os.ReadFile(f.Authorities)
	if err != nil {
		return c, err
	}
	c.roots = x509.NewCertPool()
	if !c.roots.AppendCertsFromPEM(pem) {
		return c, fmt.Errorf("%s has no certificate", f.Authorities)
	}
	chain := make([]*x509.Certificate, len(c.certificate.Certificate))
	for i, der := range c.certificate.Certificate {
		if chain[i], err = x509.ParseCertificate(der); err != nil {
			return c, fmt.Errorf("%s: %w", f.Certificate, err)
		}
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth} {
		if err := c.check(chain, usage); err != nil {
			return c, fmt.Errorf("%s, which must be for servers and clients, name %s and be signed by %s: %w", f.Certificate, Name, f.Authorities, err)
		}
	}
	return c, nil
}
