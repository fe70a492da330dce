package store

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/lifecycle"

	"platen.dev/events/testkit"
	"platen.dev/store/s3test"
)

// brief is how long the stores of these tests tolerate a silent server.
const brief = 500 * time.Millisecond

func configOf(server *s3test.Server) S3Config {
	return S3Config{Endpoint: server.URL, Region: s3test.Region, PathStyle: true, Bucket: s3test.Bucket, Prefix: "platen/files"}
}

func mustOpenS3(t *testing.T, cfg S3Config) *S3 {
	t.Helper()
	s, err := openS3(t.Context(), cfg, silenceLimit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// startS3 returns a store on a server of its own.
func startS3(t *testing.T) (*S3, *s3test.Server) {
	t.Helper()
	server := s3test.Start(t)
	return mustOpenS3(t, configOf(server)), server
}

func TestS3(t *testing.T) {
	suite(t, func(t *testing.T) backEnd {
		s, server := startS3(t)
		return backEnd{s, func(*testing.T) []string { return append(server.Keys(), server.Uploads()...) }}
	})
}

// A file below the size of a part takes one request, any other takes parts. Both have all of
// their content.
func TestS3Parts(t *testing.T) {
	s, server := startS3(t)
	var requests atomic.Int32
	server.Intercept(func(w http.ResponseWriter, r *http.Request) { requests.Add(1); server.Serve(w, r) })
	for size, want := range map[int64]int32{
		0: 1, 1: 1, partSize - 1: 1, partSize: 3, partSize + 1: 4, 2*partSize - 1: 4, 2 * partSize: 4, 2*partSize + 1: 5,
	} {
		requests.Store(0)
		got, err := s.Put(t.Context(), "a.pdf", patternOf(size), size)
		if err != nil || got != size || requests.Load() != want {
			t.Errorf("%d bytes: %d, %v in %d requests, want %d", size, got, err, requests.Load(), want)
		}
		f, err := s.Open(t.Context(), "a.pdf")
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, f, patternOf(size))
		_ = f.Close()
	}
}

// The largest file that a job may produce is never in memory as a whole, whatever its size.
func TestS3Streams(t *testing.T) {
	s, server := startS3(t)
	server.Intercept(func(w http.ResponseWriter, r *http.Request) { // keeps nothing
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Method == http.MethodPut:
			w.Header().Set("ETag", `"etag"`)
		case r.URL.Query().Has("uploads"):
			fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
		default:
			fmt.Fprint(w, "<CompleteMultipartUploadResult><Bucket>results</Bucket></CompleteMultipartUploadResult>")
		}
	})
	const size = 150 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := s.Put(t.Context(), "large.pdf", patternOf(size), size); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 3*partSize {
		t.Errorf("putting %d MiB allocated %d KiB", size>>20, grown>>10)
	}
}

// Buckets are paths or hosts, and a prefix is optional.
func TestS3Addresses(t *testing.T) {
	for _, tc := range []struct {
		pathStyle            bool
		prefix               string
		wantHost, wantObject string
	}{
		{true, "", "s3.test", "/results/a.pdf"},
		{true, "p/q", "s3.test", "/results/p/q/a.pdf"},
		{false, "", "results.s3.test", "/a.pdf"},
		{false, "p", "results.s3.test", "/p/a.pdf"},
	} {
		server := s3test.Start(t)
		var host, path string
		server.Intercept(func(w http.ResponseWriter, r *http.Request) { host, path = r.Host, r.URL.Path; server.Serve(w, r) })
		s := mustOpenS3(t, S3Config{Endpoint: "http://s3.test", Region: s3test.Region, PathStyle: tc.pathStyle, Bucket: s3test.Bucket, Prefix: tc.prefix})
		s.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(server.URL, "http://"))
		}
		mustPut(t, s, "a.pdf", "x")
		if host != tc.wantHost || path != tc.wantObject {
			t.Errorf("%+v: got %s %s", tc, host, path)
		}
		if got := mustRead(t, s, "a.pdf"); got != "x" {
			t.Errorf("%+v: reads %q", tc, got)
		}
	}
}

// Without an endpoint, AWS is used, in the region of the bucket.
func TestS3OnAWS(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	for pathStyle, want := range map[bool]string{true: "s3.eu-west-1.amazonaws.com:443", false: "results.s3.eu-west-1.amazonaws.com:443"} {
		s := mustOpenS3(t, S3Config{Region: "eu-west-1", PathStyle: pathStyle, Bucket: "results"})
		ctx, cancel := context.WithCancel(t.Context())
		var got string
		s.transport.Proxy = nil
		s.transport.DialContext = func(_ context.Context, _, address string) (net.Conn, error) {
			got = address
			cancel()
			return nil, errors.New("not dialed in tests")
		}
		if err := s.Delete(ctx, "a"); !errors.Is(err, context.Canceled) || got != want {
			t.Errorf("dialed %q, want %q; %v", got, want, err)
		}
	}
}

// The sample lifecycle rule is valid, and the documentation shows it. It removes parts that were
// never completed, and no file that may still be downloaded.
func TestLifecycleSample(t *testing.T) {
	sample, err := os.ReadFile("../deploy/s3/lifecycle.json")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../docs/STORAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```json\n"+string(sample)+"```") {
		t.Error("docs/STORAGE.md shows another rule")
	}
	var rules lifecycle.Configuration
	decoder := json.NewDecoder(bytes.NewReader(sample))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&rules); err != nil || len(rules.Rules) != 1 {
		t.Fatalf("%+v, %v", rules, err)
	}
	if r := rules.Rules[0]; r.Status != "Enabled" || r.Expiration.Days != 2 || r.AbortIncompleteMultipartUpload.DaysAfterInitiation != 1 ||
		r.NoncurrentVersionExpiration.NoncurrentDays != 1 || r.RuleFilter.Prefix != "platen/" {
		t.Errorf("got %+v", r)
	}
}

// Each sees the files of its own prefix only, and no objects that are not files.
func TestS3Prefix(t *testing.T) {
	server := s3test.Start(t)
	for _, prefix := range []string{"", "a", "a/b", "ab"} {
		cfg := configOf(server)
		cfg.Prefix = prefix
		mustPut(t, mustOpenS3(t, cfg), "in-"+strings.ReplaceAll(prefix, "/", "-"), "x")
	}
	cfg := configOf(server)
	cfg.Prefix = "a"
	var seen []string
	if err := mustOpenS3(t, cfg).Each(t.Context(), func(name string, _ int64, _ time.Time) error { seen = append(seen, name); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || seen[0] != "in-a" {
		t.Errorf("got %v, want the file of the prefix", seen)
	}
}

// Server-side encryption is asked for, for small files and for large ones.
func TestS3Encryption(t *testing.T) {
	server := s3test.Start(t)
	for _, tc := range []struct{ sse, key string }{{"", ""}, {"AES256", ""}, {"aws:kms", ""}, {"aws:kms", "key-7"}} {
		cfg := configOf(server)
		cfg.SSE, cfg.KMSKey = tc.sse, tc.key
		s := mustOpenS3(t, cfg)
		for _, size := range []int64{1, partSize + 1} {
			if _, err := s.Put(t.Context(), "a.pdf", patternOf(size), size); err != nil {
				t.Fatal(err)
			}
			header := server.Header("platen/files/a.pdf")
			sse, key := header.Get("X-Amz-Server-Side-Encryption"), header.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id")
			if sse != tc.sse || key != tc.key {
				t.Errorf("%d bytes: got %q and key %q, want %+v", size, sse, key, tc)
			}
		}
	}
	if _, err := OpenS3(t.Context(), S3Config{Region: "r", SSE: "rot13"}); err == nil || !strings.Contains(err.Error(), "rot13") {
		t.Errorf("an encryption that is not known: %v", err)
	}
}

// A request to a server that is overloaded for a moment is retried, with the same content.
func TestS3SlowDown(t *testing.T) {
	s, server := startS3(t)
	failing := func(times int32) {
		var left atomic.Int32
		left.Store(times)
		server.Intercept(func(w http.ResponseWriter, r *http.Request) {
			if left.Add(-1) >= 0 {
				_, _ = io.Copy(io.Discard, r.Body)
				s3test.Refuse(w, http.StatusServiceUnavailable, "SlowDown")
				return
			}
			server.Serve(w, r)
		})
	}
	failing(2)
	if _, err := s.Put(t.Context(), "a.pdf", patternOf(partSize+1), partSize+1); err != nil {
		t.Fatal(err)
	}
	failing(1)
	f, err := s.Open(t.Context(), "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	checkSame(t, f, patternOf(partSize+1))
	failing(1)
	if err := s.Delete(t.Context(), "a.pdf"); err != nil {
		t.Error(err)
	}
	failing(1000)
	if err := s.Delete(t.Context(), "a.pdf"); err == nil || !strings.Contains(err.Error(), "SlowDown (503)") {
		t.Errorf("a server that stays overloaded: %v", err)
	}
}

// A part that is refused, and the end of a file that fails with status 200, leave nothing behind.
func TestS3PutIsAborted(t *testing.T) {
	for _, failed := range []func(*http.Request) bool{
		func(r *http.Request) bool { return r.URL.Query().Get("partNumber") == "2" },
		func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Query().Has("uploadId") },
	} {
		s, server := startS3(t)
		mustPut(t, s, "a.pdf", "old")
		server.Intercept(func(w http.ResponseWriter, r *http.Request) {
			if !failed(r) {
				server.Serve(w, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			s3test.Refuse(w, map[string]int{http.MethodPut: 400, http.MethodPost: 200}[r.Method], "InvalidRequest")
		})
		if _, err := s.Put(t.Context(), "a.pdf", patternOf(largest), largest); err == nil || !strings.Contains(err.Error(), "InvalidRequest") {
			t.Errorf("got %v, want the refusal", err)
		}
		if left := server.Uploads(); len(left) > 0 || mustRead(t, s, "a.pdf") != "old" {
			t.Errorf("the old file changed, or uploads are left: %v", left)
		}
	}
}

// A server that does not answer is given up: at any request, and in the middle of a file.
func TestS3Hangs(t *testing.T) {
	testkit.Long(t)
	server := s3test.Start(t)
	s, err := openS3(t.Context(), configOf(server), brief)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.limit = 3 * brief
	for _, hangs := range []func(*http.Request) bool{
		func(*http.Request) bool { return true },
		func(r *http.Request) bool { return r.URL.Query().Has("partNumber") },
	} {
		server.Intercept(func(w http.ResponseWriter, r *http.Request) {
			if hangs(r) {
				_, _ = io.Copy(io.Discard, r.Body) // after which the server sees that the client is gone
				<-r.Context().Done()
				return
			}
			server.Serve(w, r)
		})
		if _, err := s.Put(t.Context(), "b.pdf", patternOf(partSize+1), 1<<30); err == nil {
			t.Error("put succeeded")
		}
		if len(server.Uploads()) > 0 {
			t.Errorf("uploads are left: %v", server.Uploads())
		}
	}
	server.Intercept(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, errOpen := s.Open(t.Context(), "a.pdf")
	errDelete := s.Delete(t.Context(), "a.pdf")
	errEach := s.Each(t.Context(), func(string, int64, time.Time) error { return nil })
	for _, err := range []error{errOpen, errDelete, errEach} {
		if err == nil || errors.Is(err, ErrNotExist) {
			t.Errorf("of a server that hangs: %v", err)
		}
	}
	server.Intercept(half(func(r *http.Request) { <-r.Context().Done() }))
	if n, err := readAll(t, s, "a.pdf"); err == nil || n != 5 {
		t.Errorf("%d bytes and %v of a file that stops in the middle", n, err)
	}
}

// A context that ends ends what waits for the server.
func TestS3Canceled(t *testing.T) {
	s, server := startS3(t)
	for _, do := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := s.Put(ctx, "a", patternOf(1), 1); return err },
		func(ctx context.Context) error { _, err := s.Open(ctx, "a"); return err },
		func(ctx context.Context) error { return s.Delete(ctx, "a") },
		func(ctx context.Context) error { return s.Each(ctx, nil) },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		server.Intercept(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		})
		if err := do(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	}
}

// half announces ten bytes, and fails after five.
func half(fail func(*http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "10")
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_, _ = w.Write([]byte("%PDF-"))
		_ = http.NewResponseController(w).Flush()
		fail(r)
	}
}

func readAll(t *testing.T, s *S3, name string) (int64, error) {
	t.Helper()
	f, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return io.Copy(io.Discard, f)
}

// A connection that breaks in the middle of a file is an error, never a short file.
func TestS3Breaks(t *testing.T) {
	s, server := startS3(t)
	server.Intercept(half(func(*http.Request) { panic(http.ErrAbortHandler) }))
	if n, err := readAll(t, s, "a.pdf"); !errors.Is(err, io.ErrUnexpectedEOF) || n != 5 {
		t.Errorf("%d bytes and %v, want 5 and an unexpected end", n, err)
	}
}

// A file without a known size is refused, as nobody could tell when it is whole.
func TestS3UnknownSize(t *testing.T) {
	s, server := startS3(t)
	server.Intercept(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		_ = http.NewResponseController(w).Flush()
	})
	if _, err := s.Open(t.Context(), "a.pdf"); err == nil || !strings.Contains(err.Error(), "how large") {
		t.Errorf("got %v", err)
	}
}

// A file that has changed on the server is an error before its last bytes are given away, even
// to a reader that stops at its size.
func TestS3Corrupt(t *testing.T) {
	s, server := startS3(t)
	for _, size := range []int64{1, 100_000, partSize + 1} {
		if _, err := s.Put(t.Context(), "a.pdf", patternOf(size), size); err != nil {
			t.Fatal(err)
		}
		server.Corrupt("platen/files/a.pdf")
		f, err := s.Open(t.Context(), "a.pdf")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.CopyN(io.Discard, f, size); !errors.Is(err, ErrCorrupt) || n >= size {
			t.Errorf("%d of %d bytes, %v; want ErrCorrupt", n, size, err)
		}
		if _, err := f.Read(make([]byte, 1)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("the end: %v, want ErrCorrupt", err)
		}
		_ = f.Close()
	}
}

// The server has received something other than what was sent.
func TestS3CorruptPart(t *testing.T) {
	s, server := startS3(t)
	server.Intercept(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("partNumber") {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("X-Amz-Checksum-Crc32c", "AAAAAA==")
			return
		}
		server.Serve(w, r)
	})
	if _, err := s.Put(t.Context(), "a.pdf", patternOf(partSize), partSize); !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v, want ErrCorrupt", err)
	}
}

// A server without checksums serves files all the same.
func TestS3WithoutChecksums(t *testing.T) {
	s, server := startS3(t)
	server.Intercept(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		server.Serve(answer, r)
		for name, values := range answer.Header() {
			if !strings.HasPrefix(name, "X-Amz-Checksum") {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
	mustPut(t, s, "a.pdf", "x")
	if got := mustRead(t, s, "a.pdf"); got != "x" {
		t.Errorf("reads %q", got)
	}
}

// An operator's wrong settings are reported, with advice, and without the secret.
func TestS3Errors(t *testing.T) {
	testkit.Long(t)
	server := s3test.Start(t)
	for name, tc := range map[string]struct {
		change func(*S3Config)
		refuse string // with what code the server refuses
		want   string
	}{
		"bucket":   {func(c *S3Config) { c.Bucket = "other" }, "", "create the bucket other, or correct --files"},
		"region":   {func(c *S3Config) { c.Region = "mars-1" }, "", "the bucket is in eu-test-1, s3.region says mars-1"},
		"access":   {func(*S3Config) {}, "AccessDenied", "the credentials need s3:GetObject"},
		"key":      {func(*S3Config) {}, "InvalidAccessKeyId", "the credentials are wrong or have expired"},
		"clock":    {func(*S3Config) {}, "RequestTimeTooSkewed", "the clock of this machine is wrong"},
		"endpoint": {func(c *S3Config) { c.Endpoint = "http://" + closedPort(t) }, "", "cannot be reached"},
	} {
		cfg := configOf(server)
		tc.change(&cfg)
		server.Intercept(nil)
		if tc.refuse != "" {
			server.Intercept(func(w http.ResponseWriter, _ *http.Request) { s3test.Refuse(w, http.StatusForbidden, tc.refuse) })
		}
		s := mustOpenS3(t, cfg)
		_, errPut := s.Put(t.Context(), "a", strings.NewReader("x"), 1)
		_, errOpen := s.Open(t.Context(), "a")
		for _, err := range []error{errPut, errOpen, s.Delete(t.Context(), "a"), s.Each(t.Context(), nil)} {
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret of the tests") {
				t.Errorf("%s: got %v, want %q", name, err, tc.want)
			}
		}
	}
}

// closedPort returns an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// A server whose certificate is not trusted is refused, one whose authority is named is not.
func TestS3Certificates(t *testing.T) {
	plain := s3test.Start(t)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(plain.Serve))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	cfg := configOf(plain)
	cfg.Endpoint = secure.URL
	if _, err := mustOpenS3(t, cfg).Put(t.Context(), "a", strings.NewReader("x"), 1); err == nil || !strings.Contains(err.Error(), "s3.ca_file") {
		t.Errorf("not trusted: %v", err)
	}
	cfg.CAFile = filepath.Join(t.TempDir(), "ca.pem")
	if _, err := OpenS3(t.Context(), cfg); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
	writeFile(t, cfg.CAFile, "nothing")
	if _, err := OpenS3(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "has none (PEM)") {
		t.Errorf("a file without certificates: %v", err)
	}
	writeFile(t, cfg.CAFile, pemOf(secure.Certificate()))
	mustPut(t, mustOpenS3(t, cfg), "a", "x")
}

// Credentials come from the environment, or from the file; without any, nothing is opened.
func TestS3Credentials(t *testing.T) {
	server := s3test.Start(t)
	file := filepath.Join(t.TempDir(), "credentials")
	writeFile(t, file, "[default]\naws_access_key_id = "+s3test.AccessKey+"\naws_secret_access_key = s\n")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	mustPut(t, mustOpenS3(t, configOf(server)), "a", "x")

	role := httptest.NewServer(http.NotFoundHandler())
	defer role.Close()
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", role.URL)
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file+"-missing")
	if _, err := OpenS3(t.Context(), configOf(server)); !errors.Is(err, errNoCredentials) {
		t.Errorf("got %v, want errNoCredentials", err)
	}

	role.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"AccessKeyId":%q,"SecretAccessKey":"s","Token":"t","Expiration":%q}`, s3test.AccessKey, time.Now().Add(time.Hour).Format(time.RFC3339))
	})
	mustPut(t, mustOpenS3(t, configOf(server)), "b", "x")
	if got := server.Header("platen/files/b").Get("X-Amz-Security-Token"); got != "t" {
		t.Errorf("the role's token is %q", got)
	}
}

func pemOf(certificate *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
