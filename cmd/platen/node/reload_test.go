package node

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// Reload reads a changed certificate before the node would itself, and logs when it expires.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	cfg := TLSConfig{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem")}
	writeCertificate(t, cfg, 1)
	c, err := newCertificate(cfg, testkit.Silent())
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	logger := slog.New(slog.NewTextHandler(&said, nil))
	reload(logger, c, nil)
	first := c.current.Load().Leaf
	writeCertificate(t, cfg, 2)
	reload(logger, c, nil)
	if serial := c.current.Load().Leaf.SerialNumber.Int64(); first.SerialNumber.Int64() != 1 || serial != 2 {
		t.Errorf("the certificate is number %d", serial)
	}
	if n := strings.Count(said.String(), "the certificate of the API"); n != 2 {
		t.Errorf("the node wrote %s", &said)
	}
	if err := os.WriteFile(cfg.KeyFile, []byte("half a"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		said.Reset()
		if reload(logger, c, nil); strings.Contains(said.String(), "INFO") || !strings.Contains(said.String(), "not reloaded: the certificate of the API is unusable") {
			t.Errorf("with half a key the node wrote %s", &said)
		}
	}
	said.Reset()
	reload(logger, nil, nil)
	if !strings.Contains(said.String(), "no certificates") {
		t.Errorf("a node without certificates wrote %s", &said)
	}
}

// Every setting that differs is named, and none that does not.
func TestChanged(t *testing.T) {
	a, b := NewConfig(), NewConfig()
	a.EgressAllow, b.EgressAllow = nil, []netip.Prefix{}
	if got := a.Changed(b); got != nil {
		t.Errorf("equal configurations differ by %q", got)
	}
	b.Listen, b.Kafka.Brokers, b.EgressDeny, b.Browser.Slots = "127.0.0.1:1", []string{"a:1"}, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, 3
	if got, want := a.Changed(b), []string{"browser.slots", "egress_deny", "kafka.brokers", "listen"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
