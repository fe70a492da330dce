// Package tlsfile configures TLS for a client whose certificates are in PEM files, and notices when
// such files change.
package tlsfile

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Client names the files, each "" if it is not needed.
type Client struct {
	// CA holds the authorities that are trusted instead of the system's.
	CA string
	// Cert has the certificate that the client shows if a server asks for one, Key its private key.
	Cert, Key string
}

// Validate returns an error that names a field, ca_file, cert_file or key_file, if the files are
// inconsistent. used says whether TLS is used at all.
func (c Client) Validate(used bool) error {
	switch {
	case !used && c != Client{}:
		return errors.New("ca_file, cert_file, key_file: they need tls = true")
	case (c.Cert == "") != (c.Key == ""):
		return errors.New("cert_file, key_file: both are needed, or none")
	}
	return nil
}

// Config reads the files. The client's certificate is re-read for every connection, so it may be
// renewed while the process runs.
func (c Client) Config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("ca_file: %s has no certificate", c.CA)
		}
	}
	if c.Cert == "" {
		return config, nil
	}
	if _, err := c.certificate(); err != nil {
		return nil, err
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.certificate() }
	return config, nil
}

func (c Client) certificate() (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("cert_file, key_file: %w", err)
	}
	return &pair, nil
}
