package store

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

const (
	// dialLimit is how long connecting may take.
	dialLimit = 10 * time.Second
	// silenceLimit is how long a connection may be silent in both directions while something is
	// awaited.
	silenceLimit = 20 * time.Second
	// roleLimit is how long the machine may take to report its role.
	roleLimit = 5 * time.Second
)

// newTransport returns a transport that trusts a file's certificates besides the system's, and
// whose connections fail after a silence. It speaks HTTP/1.1, in which a connection carries one
// request at a time.
func newTransport(caFile string, silence time.Duration) (*http.Transport, error) {
	trusted := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		certificates, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("certificates: %w", err)
		}
		if trusted.RootCAs, err = x509.SystemCertPool(); err != nil {
			return nil, fmt.Errorf("certificates: %w", err)
		}
		if !trusted.RootCAs.AppendCertsFromPEM(certificates) {
			return nil, fmt.Errorf("certificates: %s has none (PEM)", caFile)
		}
	}
	dialer := &net.Dialer{Timeout: min(dialLimit, silence)}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return impatient{conn, silence}, nil
		},
		TLSClientConfig:     trusted,
		TLSHandshakeTimeout: min(dialLimit, silence),
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     silence / 2, // so that no request gets a connection that is about to fail
		DisableCompression:  true,
	}, nil
}

// impatient is a connection that fails after a silence: each Read and Write extends its deadline.
type impatient struct {
	net.Conn
	silence time.Duration
}

func (c impatient) Read(b []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c impatient) Write(b []byte) (int, error) {
	if err := c.SetDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// errNoCredentials means that no source has credentials.
var errNoCredentials = errors.New("no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, " +
	"or name a file with them by AWS_SHARED_CREDENTIALS_FILE, or give the machine a role")

// findCredentials returns the first source that has credentials.
func findCredentials(ctx context.Context) (*credentials.Credentials, error) {
	role := &http.Client{Timeout: roleLimit, Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	found := credentials.New(&sources{credentials.Chain{Providers: []credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: role},
	}}})
	_, err := found.GetWithContext(&credentials.CredContext{Client: role, Context: ctx})
	return found, err
}

// sources finds credentials as a Chain does, but fails if there are none.
type sources struct{ credentials.Chain }

// RetrieveWithCredContext implements credentials.Provider.
func (s *sources) RetrieveWithCredContext(ctx *credentials.CredContext) (credentials.Value, error) {
	value, err := s.Chain.RetrieveWithCredContext(ctx)
	if err == nil && (value.AccessKeyID == "" || value.SecretAccessKey == "") {
		err = errNoCredentials
	}
	return value, err
}

// Retrieve implements credentials.Provider.
func (s *sources) Retrieve() (credentials.Value, error) { return s.RetrieveWithCredContext(nil) }
