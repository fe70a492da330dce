package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"platen.dev/cmd/platen/node"
)

// TestBadConfigFile checks the errors for files that cannot be used.
func TestBadConfigFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "platen.toml")
	if err := os.WriteFile(file, []byte("partitions = 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"--config " + file:              "partitions: must be 1 to 4096",
		"--config=/nowhere/platen.toml": "/nowhere/platen.toml",
	} {
		err := run(strings.Fields("serve "+args), &strings.Builder{}, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", args, err, want)
		}
	}
}

// TestFlagsWinOverFile sets the same settings in the file and by flags.
func TestFlagsWinOverFile(t *testing.T) {
	file, secret := filepath.Join(t.TempDir(), "platen.toml"), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("listen = \"127.0.0.1:1\"\npartitions = 7\negress_allow = [\"10.0.0.0/16\"]\negress_deny = [\"10.0.1.0/24\"]\n[kafka]\nbrokers = [\"a:1\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("r7Kq2mXv9TzLp4Wd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, flags := newSettings(), pflag.NewFlagSet("", pflag.ContinueOnError)
	s.declare(flags)
	err := flags.Parse([]string{"--listen", "127.0.0.1:2", "--config", file, "--kafka", "b:1,c:1", "--egress-allow", "10.1.0.0/16", "--egress-allow", "10.2.0.1/16", "--egress-deny", "10.2.1.0/24", "--dev", "--slots=3", "--secret-file", secret})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.valid(flags)
	if err != nil {
		t.Fatal(err)
	}
	want := node.NewConfig()
	want.Listen, want.Partitions, want.Kafka.Brokers = "127.0.0.1:2", 7, []string{"b:1", "c:1"}
	want.EgressDeny = []netip.Prefix{netip.MustParsePrefix("10.2.1.0/24")}
	want.Dev, want.Browser.Slots, want.Cluster.Secret = true, 3, "r7Kq2mXv9TzLp4Wd"
	want.EgressAllow = []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("10.2.0.0/16")}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
