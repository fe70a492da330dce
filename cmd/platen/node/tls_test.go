package node

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// writeCertificate writes a new certificate for this machine with a serial number, and its key.
func writeCertificate(t *testing.T, cfg TLSConfig, serial int64) *x509.CertPool {
	t.Helper()
	return writeCertificateUntil(t, cfg, serial, time.Now().Add(time.Hour))
}

func writeCertificateUntil(t *testing.T, cfg TLSConfig, serial int64, until time.Time) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{cfg.CertFile: {Type: "CERTIFICATE", Bytes: der}, cfg.KeyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, time.Time{}, time.Unix(serial, 0)); err != nil {
			t.Fatal(err)
		}
	}
	pool := x509.NewCertPool()
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(certificate)
	return pool
}

// A certificate is reread when its files change; an unusable one leaves the previous one in use.
func TestCertificateIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	cfg := TLSConfig{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	if _, err := newCertificate(cfg, testkit.Silent()); err == nil {
		t.Error("a certificate without files was accepted")
	}
	writeCertificate(t, cfg, 1)
	c, err := newCertificate(cfg, testkit.Silent())
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 { return c.current.Load().Leaf.SerialNumber.Int64() }
	first := c.current.Load()
	if err := c.look(); err != nil || c.current.Load() != first {
		t.Error("files that have not changed were read again")
	}
	writeCertificate(t, cfg, 2)
	if err := c.look(); err != nil || serial() != 2 {
		t.Errorf("the certificate is number %d", serial())
	}
	if err := os.WriteFile(cfg.KeyFile, []byte("half a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.look(); err == nil || serial() != 2 {
			t.Errorf("after half a key the certificate is number %d, %v", serial(), err)
		}
	}
	writeCertificate(t, cfg, 3)
	if err := c.look(); err != nil || serial() != 3 {
		t.Errorf("after it the certificate is number %d", serial())
	}
}

// A certificate that has expired is shown, and warned of: when it replaces another, and when the node starts with it.
func TestExpiredCertificateIsWarnedOf(t *testing.T) {
	dir := t.TempDir()
	cfg := NewConfig()
	cfg.TLS = TLSConfig{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	var said bytes.Buffer
	warned := func() bool {
		defer said.Reset()
		return strings.Contains(said.String(), "level=WARN") && strings.Contains(said.String(), "it expired on")
	}
	open := func() *certificate {
		t.Helper()
		b := newBase(cfg, Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
		c, err := openCertificate(b)
		if err := errors.Join(err, b.close(time.Minute, time.Minute)); err != nil {
			t.Fatal(err)
		}
		return c
	}
	writeCertificate(t, cfg.TLS, 1)
	c := open()
	if warned() {
		t.Error("a good certificate is warned of")
	}
	meanwhile := *c.current.Load().Leaf
	meanwhile.NotAfter = time.Now().Add(-time.Second)
	c.current.Store(&tls.Certificate{Leaf: &meanwhile})
	for n := range 2 {
		if err := c.look(); err != nil || warned() != (n == 0) {
			t.Errorf("one that expires while it is used, at look %d: %v", n+1, err)
		}
	}
	writeCertificateUntil(t, cfg.TLS, 2, time.Now().Add(-time.Hour))
	if err := c.look(); err != nil || !warned() || c.current.Load().Leaf.SerialNumber.Int64() != 2 {
		t.Errorf("a new one that has expired: %v", err)
	}
	if open(); !warned() {
		t.Error("no warning at the start")
	}
}

// Status names the files of a certificate that have become unusable, and why.
func TestUnusableCertificateIsReported(t *testing.T) {
	dir := t.TempDir()
	cfg := TLSConfig{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	other := TLSConfig{CertFile: filepath.Join(dir, "other.pem"), KeyFile: cfg.KeyFile}
	writeCertificate(t, cfg, 1)
	c, err := newCertificate(cfg, testkit.Silent())
	if err != nil {
		t.Fatal(err)
	}
	f := &front{}
	f.api.Store(&listening{certificate: c})
	r := &reporter{network: &network{front: f}}
	for name, spoil := range map[string]func() error{
		"no file":       func() error { return os.Remove(cfg.CertFile) },
		"junk":          func() error { return os.WriteFile(cfg.CertFile, []byte("junk"), 0o600) },
		"another's key": func() error { writeCertificate(t, other, 9); return nil },
		"a directory":   func() error { return errors.Join(os.Remove(cfg.KeyFile), os.Mkdir(cfg.KeyFile, 0o700)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got := r.certificates()[0]; !strings.Contains(got.Unusable, cfg.CertFile) || got.Expires.IsZero() {
			t.Errorf("%s: %+v", name, got)
		}
		if err := os.RemoveAll(cfg.KeyFile); err != nil {
			t.Fatal(err)
		}
		writeCertificate(t, cfg, 2)
		if got := r.certificates()[0]; got.Unusable != "" {
			t.Errorf("after %s: %+v", name, got)
		}
	}
}

// A node with a certificate serves TLS, not below 1.2, and says so to browsers. Operators have
// their own listener.
func TestNodeServesTLS(t *testing.T) {
	cfg := NewConfig()
	dir := t.TempDir()
	cfg.Data, cfg.Listen, cfg.Ops, cfg.Partitions, cfg.Browser.Slots = filepath.Join(dir, "data"), "127.0.0.1:0", "127.0.0.1:0", 4, 2
	cfg.TLS = TLSConfig{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	pool := writeCertificate(t, cfg.TLS, 1)
	n, err := Start(t.Context(), cfg, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	client := func(config *tls.Config) (*http.Response, error) {
		config.RootCAs = pool
		transport := &http.Transport{TLSClientConfig: config}
		defer transport.CloseIdleConnections()
		return (&http.Client{Transport: transport}).Get(n.URL() + "/metrics")
	}
	resp, err := client(&tls.Config{NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != 404 || resp.Header.Get("Strict-Transport-Security") == "" || resp.TLS.NegotiatedProtocol != "http/1.1" {
		t.Errorf("got %d %v by %q", resp.StatusCode, resp.Header, resp.TLS.NegotiatedProtocol)
	}
	if resp, err := client(&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		_ = resp.Body.Close()
		t.Error("TLS 1.1 was accepted")
	}
	ops, err := http.Get("http://" + n.OpsAddress() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	_ = ops.Body.Close()
	if ops.StatusCode != 200 {
		t.Errorf("the operator's listener answered %d", ops.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()
}
