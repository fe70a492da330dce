//go:build integration

package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"platen.dev/events"
	"platen.dev/store/s3test"
)

// A file is delivered to a real S3 server, by a URL presigned with an independent signer. URLs that
// sign something else end the job.
func TestPresigned(t *testing.T) {
	g := s3test.StartGateway(t, "127.0.0.1:443")
	s3 := s3Client(t, g)
	if err := s3.MakeBucket(t.Context(), s3test.Bucket, minio.MakeBucketOptions{Region: s3test.Region}); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, "--dev", "--egress-allow", "127.0.0.1/32")
	m.env = []string{"SSL_CERT_FILE=" + g.Authority}
	p := m.start(t)
	from := client{m.devKey(t, events.PlanPro)}
	deliver := func(to string) events.JobID {
		t.Helper()
		id, status, err := from.post(p.address+"/html-to-pdf", map[string]any{"html": "<p>presigned</p>", "delivery": map[string]any{"url": to}})
		if err != nil || status != 202 {
			t.Fatalf("submit: %d, %v", status, err)
		}
		return id
	}
	presign := func(name string) *url.URL {
		t.Helper()
		u, err := s3.PresignedPutObject(t.Context(), s3test.Bucket, name, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for _, name := range []string{"report.pdf", "2026/März/Rechnung 1+2 (Kopie)~.pdf"} {
		awaitStatus(t, p, from, deliver(presign(name).String()), events.StatusDone)
		object, err := s3.GetObject(t.Context(), s3test.Bucket, name, minio.GetObjectOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(object); err != nil || !bytes.HasPrefix(content, []byte("%PDF-")) {
			t.Errorf("%s: %d bytes, %v", name, len(content), err)
		}
	}
	other := strings.Replace(presign("a.pdf").String(), "a.pdf", "b.pdf", 1)
	for name, to := range map[string]string{"another name": other, "unsigned": g.Endpoint + "/" + s3test.Bucket + "/d.pdf"} {
		if failed := awaitStatus(t, p, from, deliver(to), events.StatusFailed); failed["error_code"] != "DELIVERY_FAILED" {
			t.Errorf("%s: %v", name, failed)
		}
	}
	for object := range s3.ListObjects(t.Context(), s3test.Bucket, minio.ListObjectsOptions{Recursive: true}) {
		if object.Err != nil || object.Key != "report.pdf" && !strings.HasPrefix(object.Key, "2026/") {
			t.Errorf("the bucket has %s, %v", object.Key, object.Err)
		}
	}
	p.stop(t)
}

func s3Client(t *testing.T, g *s3test.Gateway) *minio.Client {
	t.Helper()
	pem, err := os.ReadFile(g.Authority)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem)
	s3, err := minio.New(strings.TrimPrefix(g.Endpoint, "https://"), &minio.Options{
		Creds: credentials.NewStaticV4(s3test.GatewayAccessKey, s3test.GatewaySecretKey, ""), Secure: true, Region: s3test.Region,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s3
}
