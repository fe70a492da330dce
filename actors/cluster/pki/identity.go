package pki

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"platen.dev/events/secret"
	"platen.dev/events/tlsfile"
)

// ErrStranger means that the other end of a connection is not a node of this cluster.
var ErrStranger = errors.New("not a node of this cluster")

// Identity is the certificate that a node shows, with the authorities whose nodes it accepts. It is
// safe for concurrent use.
type Identity struct {
	files  Files // zero if everything is derived
	logger *slog.Logger

	mu      sync.Mutex
	present credentials   // guarded by mu
	stamp   tlsfile.Stamp // guarded by mu: of the files that were read last
	wrong   error         // guarded by mu: why these are unusable; nil if they are not
}

// credentials are the certificate and the roots of an identity at a moment.
type credentials struct {
	certificate tls.Certificate
	roots       *x509.CertPool
}

// FromSecrets returns the identity of a node that knows the secrets of its cluster. Each secret
// stands for an authority: nodes of all are accepted, and the first one signs this node's
// certificate, which never leaves the process.
func FromSecrets(secrets []secret.Root) (*Identity, error) {
	if len(secrets) == 0 {
		return nil, errors.New("a cluster needs a secret")
	}
	i := &Identity{present: credentials{roots: x509.NewCertPool()}}
	for n, s := range secrets {
		a, err := Derive(s)
		if err != nil {
			return nil, err
		}
		i.present.roots.AddCert(a.certificate)
		if n > 0 {
			continue
		}
		if i.present.certificate, err = a.issue("", beginning, end); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// FromFiles returns the identity in files. After a change they are read again for the next
// connection; if they cannot be used, the previous identity stays in use and the logger is told.
func FromFiles(f Files, logger *slog.Logger) (*Identity, error) {
	i := &Identity{files: f, logger: logger, stamp: f.stamp()}
	var err error
	i.present, err = f.read()
	return i, err
}

// current returns the credentials for a connection that is being made.
func (i *Identity) current() credentials {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.files == (Files{}) {
		return i.present
	}
	stamp := i.files.stamp()
	if stamp == i.stamp {
		return i.present
	}
	i.stamp = stamp
	changed, err := i.files.read()
	if i.wrong = err; err != nil {
		i.logger.Error("the new cluster certificates are unusable; keeping the previous ones", "error", err)
		return i.present
	}
	i.present = changed
	i.logger.Info("the certificates of the cluster have changed", "expires", changed.certificate.Leaf.NotAfter)
	return i.present
}

// Check returns why the files of the identity are unusable, as they are now; nil if they are not, or if it has none.
func (i *Identity) Check() error {
	i.current()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.wrong
}

// Expires returns when the certificate that the node shows expires.
func (i *Identity) Expires() time.Time { return i.current().certificate.Leaf.NotAfter }

// Server returns the TLS configuration for incoming connections, Client that for outgoing ones.
// Both verify the peer at every connection, and fail with ErrStranger.
func (i *Identity) Server() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true,
		ClientAuth:       tls.RequireAnyClientCert,
		GetCertificate:   func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return i.show(), nil },
		VerifyConnection: i.verify(x509.ExtKeyUsageClientAuth),
	}
}

// Client is documented at Server.
func (i *Identity) Client() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true, ServerName: Name,
		InsecureSkipVerify:   true, // VerifyConnection does it, with the current authorities
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return i.show(), nil },
		VerifyConnection:     i.verify(x509.ExtKeyUsageServerAuth),
	}
}

func (i *Identity) show() *tls.Certificate {
	c := i.current().certificate
	return &c
}

// verify checks that the peer's certificate is for Name and a usage, and signed by an authority of
// this cluster.
func (i *Identity) verify(usage x509.ExtKeyUsage) func(tls.ConnectionState) error {
	return func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return fmt.Errorf("%w: it shows no certificate", ErrStranger)
		}
		return i.current().check(s.PeerCertificates, usage)
	}
}

func (c credentials) check(chain []*x509.Certificate, usage x509.ExtKeyUsage) error {
	between := x509.NewCertPool()
	for _, one := range chain[1:] {
		between.AddCert(one)
	}
	_, err := chain[0].Verify(x509.VerifyOptions{Roots: c.roots, Intermediates: between, DNSName: Name, KeyUsages: []x509.ExtKeyUsage{usage}})
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStranger, err)
	}
	return nil
}
