package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// bucket is storage of the customer's: it takes a file by PUT at a URL that only the customer can
// make, as presigned URLs of S3 are.
type bucket struct {
	server *http.Server
	url    string
	// authority is the file of the certificate that the node must trust.
	authority string
	got       chan []byte
}

const (
	// bucketAddress has the only port to which files are delivered.
	bucketAddress = "127.0.0.1:443"
	// maxDelivered bounds a delivered file, in bytes.
	maxDelivered = 64 << 20
)

// startBucket returns nil if this user may not listen on the port of https.
func startBucket() (*bucket, error) {
	l, err := net.Listen("tcp", bucketAddress)
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EADDRINUSE) {
		fmt.Printf("No file is delivered to a bucket in this run: %v\n", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	certificate, authority, err := certify(net.IPv4(127, 0, 0, 1))
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	path := "/bucket/delivered.pdf?signature=" + rand.Text()
	b := &bucket{url: "https://127.0.0.1" + path, authority: authority, got: make(chan []byte, 1)}
	b.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || r.RequestURI != path {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDelivered))
		if err == nil {
			b.got <- content
		}
	})}
	go func() {
		_ = b.server.Serve(tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{certificate}}))
	}() // until stop
	return b, nil
}

func (b *bucket) stop() {
	if b != nil {
		_ = b.server.Close()
		_ = os.Remove(b.authority) // it has no secret
	}
}

// environment is what the node needs to trust the bucket.
func (b *bucket) environment() []string {
	if b == nil {
		return os.Environ()
	}
	return append(os.Environ(), "SSL_CERT_FILE="+b.authority)
}

// deliver has a document delivered to the bucket, and leaves the file that arrives in out.
func (b *bucket) deliver(ctx context.Context, c *client, d document, out string) (result, error) {
	d.name = "delivered"
	d = d.with("delivery", map[string]string{"url": b.url})
	r := result{document: d, submitted: time.Now()}
	var err error
	if r.id, err = c.submit(ctx, d); err != nil {
		return r, err
	}
	for !r.job.ended() {
		if r.job, err = c.status(ctx, r.id); err != nil {
			return r, err
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	r.wall = time.Since(r.submitted)
	if r.job.Status != "done" {
		return r, fmt.Errorf("the delivery failed: %s", r.job.ErrorCode)
	}
	content := <-b.got // it came before the job was done
	path := filepath.Join(out, r.file())
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return r, err
	}
	return r, check(ctx, path, content, r.job)
}

// wait has a document converted by one request that waits for the file.
func (c *client) wait(ctx context.Context, d document, out string) (took time.Duration, err error) {
	body, err := d.with("wait", true).body("")
	if err != nil {
		return 0, err
	}
	start := time.Now()
	file, err := c.do(ctx, http.MethodPost, "/"+d.operation, body, http.StatusOK)
	if err != nil {
		return 0, err
	}
	return time.Since(start), os.WriteFile(filepath.Join(out, "waited.pdf"), file, 0o644)
}

// certify makes a certificate for an address, and the file of that of its authority.
func certify(address net.IP) (certificate tls.Certificate, authority string, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return certificate, "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "bucket of the demo"}, IPAddresses: []net.IP{address},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return certificate, "", err
	}
	file, err := os.CreateTemp("", "platen-demo-*.pem")
	if err != nil {
		return certificate, "", err
	}
	err = errors.Join(pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: der}), file.Close())
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file.Name(), err
}
