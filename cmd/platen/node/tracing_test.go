package node

import (
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// The configurations that a node can use, at the bounds of what TestBadConfig refuses.
func TestTracingConfig(t *testing.T) {
	for _, c := range []TracingConfig{
		{},
		{Sample: 1},
		{Endpoint: "http://127.0.0.1:4318"},
		{Endpoint: "https://collector.example/otlp", CAFile: "/x", Sample: 0.01},
		{Endpoint: "https://collector", CertFile: "/x", KeyFile: "/y"},
	} {
		if err := c.validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A headers file is read completely or refused, naming the line but not its values.
func TestReadHeaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "headers")
	for text, want := range map[string]map[string]string{
		"": {},
		"# of the collector\n\nAuthorization: Bearer a:b==\nx-scope-orgid:  7 \n": {"Authorization": "Bearer a:b==", "X-Scope-Orgid": "7"},
		"Kr0kodil":                     nil,
		"Authorization: ":              nil,
		"a b: Kr0kodil":                nil,
		": Kr0kodil":                   nil,
		"A: Kr0kodil\x00":              nil,
		"A: b\n\nAuth\x01: Kr0kodil\n": nil,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readHeaders(path)
		if (err == nil) != (want != nil) || !maps.Equal(got, want) || err != nil && (strings.Contains(err.Error(), "Kr0kodil") || !strings.Contains(err.Error(), "line ")) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if got, err := readHeaders(""); got != nil || err != nil {
		t.Errorf("no file: %v, %v", got, err)
	}
	if _, err := readHeaders(path + "-missing"); err == nil {
		t.Error("a file that is not there is read")
	}
}

// A node does not start with unusable files for its collector.
func TestTracingFiles(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	authority := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1)).Authority
	for want, c := range map[string]TracingConfig{
		"tracing.headers_file": {Endpoint: "http://127.0.0.1:1", HeadersFile: missing},
		"[tracing]":            {Endpoint: "https://127.0.0.1:1", CAFile: missing},
		"":                     {Endpoint: "https://127.0.0.1:1", CAFile: authority},
	} {
		b := &base{cfg: Config{Tracing: c}, logger: testkit.Silent()}
		_, err := startTracing(b)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v", c, err)
		}
		for _, part := range b.running {
			if err := part.end(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}
