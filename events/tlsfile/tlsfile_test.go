package tlsfile

import (
	"bytes"
	"net"
	"os"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		files Client
		used  bool
		want  string
	}{
		{Client{}, false, ""},
		{Client{}, true, ""},
		{Client{"ca", "cert", "key"}, true, ""},
		{Client{CA: "ca"}, false, "need tls"},
		{Client{Cert: "cert", Key: "key"}, false, "need tls"},
		{Client{Cert: "cert"}, true, "cert_file, key_file: both"},
		{Client{Key: "key"}, true, "cert_file, key_file: both"},
	} {
		err := tc.files.Validate(tc.used)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc, err, tc.want)
		}
	}
}

// Files are checked at once, and the client's certificate is read again for every connection.
func TestConfig(t *testing.T) {
	files, others := testkit.MakeCertificates(t, net.IPv4zero), testkit.MakeCertificates(t, net.IPv4zero)
	good := Client{files.Authority, files.Client, files.ClientKey}
	for want, bad := range map[string]Client{
		"ca_file: open":         {CA: "/does/not/exist"},
		"has no certificate":    {CA: files.Key},
		"cert_file, key_file: ": {Cert: files.Client, Key: others.ClientKey},
	} {
		if _, err := bad.Config(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", bad, err, want)
		}
	}
	config, err := good.Config()
	if err != nil {
		t.Fatal(err)
	}
	shown := func() []byte {
		t.Helper()
		c, err := config.GetClientCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return c.Certificate[0]
	}
	before := shown()
	for from, to := range map[string]string{others.Client: files.Client, others.ClientKey: files.ClientKey} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if bytes.Equal(shown(), before) {
		t.Error("the certificate was renewed, and the old one is shown")
	}
}
