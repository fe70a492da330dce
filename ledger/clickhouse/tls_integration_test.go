//go:build integration

package clickhouse

import (
	"net"
	"os"
	"strings"
	"testing"

	"platen.dev/events/testkit"
	"platen.dev/events/tlsfile"
	"platen.dev/ledger/clickhouse/clickhousetest"
)

// Over TLS a real server takes the client with its certificate, and no other.
func TestServerTLS(t *testing.T) {
	if os.Getenv("PLATEN_TEST_CLICKHOUSE") != "" {
		t.Skip("engine.py, which serves the current engine, does not speak TLS")
	}
	files, others := testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1)), testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	s := clickhousetest.StartSecure(t, files)
	c := fresh(t, s.Address)
	for name, tc := range map[string]struct {
		address string
		files   tlsfile.Client
		want    string // of what is wrong; the server may end the connection before its reason arrives
	}{
		"certificate":           {s.Secure, tlsfile.Client{CA: files.Authority, Cert: files.Client, Key: files.ClientKey}, ""},
		"no certificate":        {s.Secure, tlsfile.Client{CA: files.Authority}, "cannot be reached"},
		"another's certificate": {s.Secure, tlsfile.Client{CA: files.Authority, Cert: others.Client, Key: others.ClientKey}, "cannot be reached"},
		"unknown authority":     {s.Secure, tlsfile.Client{CA: others.Authority, Cert: files.Client, Key: files.ClientKey}, "unknown authority"},
		"another host name":     {strings.Replace(s.Secure, "127.0.0.1", "localhost", 1), tlsfile.Client{CA: files.Authority, Cert: files.Client, Key: files.ClientKey}, "localhost"},
		"in the clear":          {s.Address, tlsfile.Client{CA: files.Authority}, "tls: "},
	} {
		secure := c
		secure.Addresses, secure.TLS, secure.Files = []string{tc.address}, true, tc.files
		l, err := Open(testkit.Context(t), secure)
		if tc.want != "" {
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v, want %q", name, err, tc.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := l.Append(testkit.Context(t), records(10)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
