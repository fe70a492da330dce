//go:build integration

package store

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"platen.dev/events/testkit"
)

// gatewayVariable names versitygw's binary, a server of S3 on a directory. The tests of a gateway
// run if it is set; testdata/s3/integration.sh builds it.
const gatewayVariable = "PLATEN_TEST_VERSITYGW"

// gateway is a server of S3 that runs until the test ends.
type gateway struct {
	cfg     S3Config
	root    string // of its files
	process *exec.Cmd
}

// startGateway starts a gateway with an empty bucket, over TLS, whose certificate only its own
// authority has signed.
func startGateway(t *testing.T) *gateway {
	t.Helper()
	binary := os.Getenv(gatewayVariable)
	if binary == "" {
		t.Fatalf("%s is not set: run testdata/s3/integration.sh", gatewayVariable)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "platen-test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "the secret of the tests")
	dir, address := t.TempDir(), closedPort(t)
	g := &gateway{root: filepath.Join(dir, "root")}
	g.cfg = S3Config{
		Endpoint: "https://" + address, Region: "eu-test-1", PathStyle: true, Bucket: "results", Prefix: "platen", CAFile: filepath.Join(dir, "ca.pem"),
	}
	for _, d := range []string{"root", "sidecar"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	makeCertificates(t, dir)
	g.process = exec.Command(binary, "--port", address, "--region", g.cfg.Region, "--quiet", "--keep-alive",
		"--cert", filepath.Join(dir, "server.pem"), "--key", filepath.Join(dir, "server.key"),
		"posix", "--sidecar", filepath.Join(dir, "sidecar"), g.root)
	g.process.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID=platen-test", "ROOT_SECRET_ACCESS_KEY=the secret of the tests")
	said := new(strings.Builder)
	g.process.Stderr = said
	if err := g.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.kill()
		if t.Failed() {
			t.Logf("the gateway said:\n%s", said)
		}
	})
	testkit.Eventually(t, "the gateway listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	if err := mustOpenS3(t, g.cfg).client.MakeBucket(t.Context(), g.cfg.Bucket, minio.MakeBucketOptions{Region: g.cfg.Region}); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *gateway) kill() {
	_ = g.process.Process.Kill()
	_ = g.process.Wait()
}

// makeCertificates makes ca.pem, and server.pem with server.key, for 127.0.0.1.
func makeCertificates(t *testing.T, dir string) {
	t.Helper()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the tests"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	authorityKey, serverKey := newKey(t), newKey(t)
	signed := func(certificate *x509.Certificate, key *ecdsa.PrivateKey) string {
		der, err := x509.CreateCertificate(rand.Reader, certificate, authority, &key.PublicKey, authorityKey)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	der, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "ca.pem"), signed(authority, authorityKey))
	writeFile(t, filepath.Join(dir, "server.pem"), signed(server, serverKey))
	writeFile(t, filepath.Join(dir, "server.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// The suite passes on a server that shares no code with Platen.
func TestGateway(t *testing.T) {
	g := startGateway(t)
	suite(t, func(t *testing.T) backEnd {
		cfg := g.cfg
		cfg.Prefix = "platen/" + strings.ToLower(rand.Text())
		s := mustOpenS3(t, cfg)
		return backEnd{s, func(t *testing.T) []string { return keptBy(t, s) }}
	})
}

// keptBy lists the files of a store, and the uploads that have begun.
func keptBy(t *testing.T, s *S3) (kept []string) {
	t.Helper()
	if err := s.Each(t.Context(), func(name string, _ time.Time) error { kept = append(kept, name); return nil }); err != nil {
		t.Fatal(err)
	}
	uploads, err := s.client.ListMultipartUploads(t.Context(), s.cfg.Bucket, s.key(""), "", "", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range uploads.Uploads {
		kept = append(kept, u.Key)
	}
	return kept
}

// A byte that changes on the server's disk is noticed, in a file of one part and in one of many,
// and so is a server that dies in the middle of a file.
func TestGatewayFails(t *testing.T) {
	g := startGateway(t)
	s := mustOpenS3(t, g.cfg)
	for _, size := range []int64{1000, largest} {
		if _, err := s.Put(t.Context(), "a.pdf", patternOf(size), size); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(g.root, "results", "platen", "a.pdf")
		content, err := os.ReadFile(path)
		if err != nil || int64(len(content)) != size {
			t.Fatalf("%d bytes, %v", len(content), err)
		}
		content[size/2]++
		writeFile(t, path, string(content))
		f, err := s.Open(t.Context(), "a.pdf")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.CopyN(io.Discard, f, size); !errors.Is(err, ErrCorrupt) || n == size {
			t.Errorf("%d of %d bytes and %v, want ErrCorrupt", n, size, err)
		}
		_ = f.Close()
	}
	const size = 150 << 20
	if _, err := s.Put(t.Context(), "b.pdf", patternOf(size), size); err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(t.Context(), "b.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.CopyN(io.Discard, f, 1<<20); err != nil {
		t.Fatal(err)
	}
	g.kill()
	if n, err := io.Copy(io.Discard, f); err == nil {
		t.Errorf("%d bytes more were read from a server that was killed, without an error", n)
	}
}

// A real server's refusals are explained.
func TestGatewayRefuses(t *testing.T) {
	g := startGateway(t)
	for want, change := range map[string]func(*S3Config){
		"create the bucket other":                           func(c *S3Config) { c.Bucket = "other" },
		"the bucket is in eu-test-1, s3.region says mars-1": func(c *S3Config) { c.Region = "mars-1" },
		"s3.ca_file": func(c *S3Config) { c.CAFile = "" },
		"the credentials are wrong or have expired": func(*S3Config) { t.Setenv("AWS_SECRET_ACCESS_KEY", "another") },
	} {
		cfg := g.cfg
		change(&cfg)
		s := mustOpenS3(t, cfg)
		t.Setenv("AWS_SECRET_ACCESS_KEY", "the secret of the tests")
		if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		} else {
			t.Log(err)
		}
	}
}
