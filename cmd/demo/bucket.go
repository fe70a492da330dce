package main

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// bucket is the customer's own storage: it accepts a file by PUT at a URL that only the customer
// can make, like a presigned URL of S3.
type bucket struct {
	server *httptest.Server
	url    string
	// authority is the file of the certificate that the node must trust.
	authority string
	got       chan []byte
}

const (
	// bucketHost is this machine. Files are delivered only to the https port.
	bucketHost = "127.0.0.1"
	// maxDelivered limits a delivered file, in bytes.
	maxDelivered = 64 << 20
)

// startBucket returns nil if this user may not listen on the https port.
func startBucket() (*bucket, error) {
	l, err := net.Listen("tcp", bucketHost+":443")
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EADDRINUSE) {
		fmt.Printf("No file is delivered to a bucket in this run: %v\n", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	path := "/bucket/delivered.pdf?signature=" + rand.Text()
	got := make(chan []byte, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut || r.RequestURI != path {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxDelivered))
		if err == nil {
			got <- content
		}
	}))
	_ = server.Listener.Close()
	server.Listener = l
	server.StartTLS()
	authority, err := writeCertificate(server.Certificate())
	if err != nil {
		server.Close()
		return nil, err
	}
	return &bucket{server, "https://" + bucketHost + path, authority, got}, nil
}

func (b *bucket) stop() {
	if b != nil {
		b.server.Close()
		_ = os.Remove(b.authority) // it contains no secret
	}
}

// environment returns an environment in which the node trusts the bucket.
func (b *bucket) environment() []string {
	if b == nil {
		return os.Environ()
	}
	return append(os.Environ(), "SSL_CERT_FILE="+b.authority)
}

// deliver has a document delivered to the bucket, and leaves the arrived file in out.
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
	content := <-b.got // it arrived before the job was done
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

// writeCertificate writes a certificate into a file and returns its path.
func writeCertificate(c *x509.Certificate) (string, error) {
	file, err := os.CreateTemp("", "platen-demo-*.pem")
	if err != nil {
		return "", err
	}
	err = errors.Join(pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), file.Close())
	return file.Name(), err
}
