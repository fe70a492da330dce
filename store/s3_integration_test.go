//go:build integration

package store

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"platen.dev/store/s3test"
)

// gateway is a server of S3 with an empty bucket.
type gateway struct {
	*s3test.Gateway
	cfg S3Config
}

func startGateway(t *testing.T) *gateway {
	t.Helper()
	g := s3test.StartGateway(t, closedPort(t))
	cfg := S3Config{Endpoint: g.Endpoint, Region: s3test.Region, PathStyle: true, Bucket: s3test.Bucket, Prefix: "platen", CAFile: g.Authority}
	if err := mustOpenS3(t, cfg).client.MakeBucket(t.Context(), cfg.Bucket, minio.MakeBucketOptions{Region: cfg.Region}); err != nil {
		t.Fatal(err)
	}
	return &gateway{g, cfg}
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
	if err := s.Each(t.Context(), func(name string, _ int64, _ time.Time) error { kept = append(kept, name); return nil }); err != nil {
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

// A byte that changes on the server's disk is noticed, in files of one part and of many, and so is
// a server that dies in the middle of a file.
func TestGatewayFails(t *testing.T) {
	g := startGateway(t)
	s := mustOpenS3(t, g.cfg)
	for _, size := range []int64{1000, largest} {
		if _, err := s.Put(t.Context(), "a.pdf", patternOf(size), size); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(g.Root, "results", "platen", "a.pdf")
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
	g.Kill()
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
		t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.GatewaySecretKey)
		if _, err := s.Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		} else {
			t.Log(err)
		}
	}
}
