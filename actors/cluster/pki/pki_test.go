package pki

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

var first, second, third = secret.Random([]byte("first")), secret.Random([]byte("second")), secret.Random([]byte("third"))

func mustDerive(t *testing.T, r secret.Root) Authority {
	t.Helper()
	a, err := Derive(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func fromSecrets(t *testing.T, secrets ...secret.Root) *Identity {
	t.Helper()
	i, err := FromSecrets(secrets)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// connect makes a connection and returns each end's verdict on it.
func connect(t *testing.T, server, client *tls.Config) (serverSays, clientSays error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	told := make(chan error, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			told <- err
			return
		}
		defer conn.Close()
		secured := tls.Server(conn, server)
		if err = secured.Handshake(); err == nil {
			_, err = secured.Write([]byte("x"))
		}
		told <- err
		_, _ = secured.Read(make([]byte, 1)) // the other end reads what it was told, and closes
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	secured := tls.Client(conn, client)
	if clientSays = secured.Handshake(); clientSays == nil { // in TLS 1.3 the server's verdict comes later
		_, clientSays = secured.Read(make([]byte, 1))
	}
	_ = conn.Close()
	return <-told, clientSays
}

// Nodes that know the same secret are accepted; so are those before, during and after its rotation.
func TestSecrets(t *testing.T) {
	for name, tc := range map[string]struct {
		server, client []secret.Root
		taken          bool
	}{
		"the same":             {[]secret.Root{first}, []secret.Root{first}, true},
		"another":              {[]secret.Root{first}, []secret.Root{second}, false},
		"prepared and rotated": {[]secret.Root{first, second}, []secret.Root{second, first}, true},
		"rotated and prepared": {[]secret.Root{second, first}, []secret.Root{first, second}, true},
		"before and prepared":  {[]secret.Root{first}, []secret.Root{first, second}, true},
		"before and rotated":   {[]secret.Root{first}, []secret.Root{second, first}, false},
	} {
		serverSays, clientSays := connect(t, fromSecrets(t, tc.server...).Server(), fromSecrets(t, tc.client...).Client())
		if (serverSays == nil && clientSays == nil) != tc.taken {
			t.Errorf("%s: %v, %v", name, serverSays, clientSays)
		}
	}
	if _, err := FromSecrets(nil); err == nil {
		t.Error("a node has an identity without a secret")
	}
}

// A peer without a node certificate by this cluster's authority is a stranger, at either end.
func TestStrangers(t *testing.T) {
	node := fromSecrets(t, first, second)
	now := time.Now()
	us, other := mustDerive(t, first), mustDerive(t, third)
	issue := func(a Authority, change func(*x509.Certificate)) *tls.Certificate {
		c, err := a.issue("x", now.Add(-time.Hour), now.Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		template := *c.Leaf
		template.SignatureAlgorithm = 0
		change(&template)
		der, err := x509.CreateCertificate(nil, &template, a.certificate, c.Leaf.PublicKey, a.key)
		if err != nil {
			t.Fatal(err)
		}
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: c.PrivateKey}
	}
	same := func(*x509.Certificate) {}
	self, err := tls.X509KeyPair(selfSigned(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		shows  *tls.Certificate
		server string // what a server that shows it is told; "" if it is taken
		client string
	}{
		"ours":                   {issue(us, same), "", ""},
		"of the next secret":     {issue(mustDerive(t, second), same), "", ""},
		"self-signed":            {&self, "platen-node", "platen-node"},
		"of another cluster":     {issue(other, same), "unknown authority", "unknown authority"},
		"with its own authority": {withChain(issue(other, same), other), "unknown authority", "unknown authority"},
		"expired":                {issue(us, func(c *x509.Certificate) { c.NotAfter = now.Add(-time.Minute) }), "expired", "expired"},
		"of tomorrow":            {issue(us, func(c *x509.Certificate) { c.NotBefore = now.Add(time.Minute) }), "not yet valid", "not yet valid"},
		"with another name":      {issue(us, func(c *x509.Certificate) { c.DNSNames = []string{"other.example"} }), "platen-node", "platen-node"},
		"without a name":         {issue(us, func(c *x509.Certificate) { c.DNSNames = nil }), "platen-node", "platen-node"},
		"for servers only":       {issue(us, func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[:1] }), "", "incompatible key usage"},
		"for clients only":       {issue(us, func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[1:] }), "incompatible key usage", ""},
		"for neither of the two": {issue(us, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning} }), "incompatible key usage", "incompatible key usage"},
	} {
		is := func(err error, want string) bool {
			return want == "" && err == nil || want != "" && errors.Is(err, ErrStranger) && strings.Contains(err.Error(), want)
		}
		if got, _ := connect(t, node.Server(), &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{*tc.shows}}); !is(got, tc.client) {
			t.Errorf("a client with a certificate %s: %v, want %q", name, got, tc.client)
		}
		server := &tls.Config{Certificates: []tls.Certificate{*tc.shows}, ClientAuth: tls.RequireAnyClientCert}
		if _, got := connect(t, server, node.Client()); !is(got, tc.server) {
			t.Errorf("a server with a certificate %s: %v, want %q", name, got, tc.server)
		}
	}
	if got, _ := connect(t, node.Server(), &tls.Config{InsecureSkipVerify: true}); got == nil {
		t.Error("a client without a certificate is taken")
	}
	if got, _ := connect(t, node.Server(), &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*issue(us, same)}}); got == nil {
		t.Error("TLS 1.2 is taken")
	}
}

// withChain adds an authority to the chain that a node shows.
func withChain(c *tls.Certificate, a Authority) *tls.Certificate {
	c.Certificate = append(c.Certificate, a.certificate.Raw)
	return c
}

func selfSigned(t *testing.T) (certificate, key []byte) {
	t.Helper()
	a, err := NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if certificate, key, err = a.Encode(); err != nil {
		t.Fatal(err)
	}
	return certificate, key
}

// write stores a node's certificate and the authority as files.
func write(t *testing.T, f Files, a Authority, life time.Duration) {
	t.Helper()
	c, err := a.issue("node", time.Now().Add(-time.Hour), time.Now().Add(life))
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	authority, _, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for path, b := range map[string][]byte{f.Certificate: certificate, f.Key: key, f.Authorities: authority} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func filesIn(dir string) Files {
	return Files{filepath.Join(dir, "node.pem"), filepath.Join(dir, "node.key"), filepath.Join(dir, "ca.pem")}
}

// Changed files count from the next connection on. While they are unusable, the previous ones do.
func TestFilesAreReadAgain(t *testing.T) {
	f := filesIn(t.TempDir())
	a, b := mustDerive(t, first), mustDerive(t, second)
	write(t, f, a, time.Hour)
	node, err := FromFiles(f, testkit.Silent())
	if err != nil {
		t.Fatal(err)
	}
	check := func(when string, peer *Identity, taken bool) {
		t.Helper()
		if serverSays, clientSays := connect(t, node.Server(), peer.Client()); (serverSays == nil && clientSays == nil) != taken {
			t.Errorf("%s: as server: %v, %v", when, serverSays, clientSays)
		}
		if serverSays, clientSays := connect(t, peer.Server(), node.Client()); (serverSays == nil && clientSays == nil) != taken {
			t.Errorf("%s: as client: %v, %v", when, serverSays, clientSays)
		}
	}
	before, after := fromSecrets(t, first), fromSecrets(t, second)
	check("at first", before, true)
	check("at first", after, false)
	expires := node.Expires()
	if err := os.WriteFile(f.Certificate, []byte("half of a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("while a file is written", before, true)
	if err := os.Remove(f.Key); err != nil {
		t.Fatal(err)
	}
	check("while a file is missing", before, true)
	if node.Check() == nil {
		t.Error("nothing is said to be wrong")
	}
	write(t, f, b, 2*time.Hour)
	check("after the change", before, false)
	check("after the change", after, true)
	if err := node.Check(); err != nil || !node.Expires().After(expires) {
		t.Errorf("it expires at %s, as before, or %v", node.Expires(), err)
	}
}

// A node does not start with files that other nodes would reject.
func TestBadFiles(t *testing.T) {
	a := mustDerive(t, first)
	for want, change := range map[string]func(*testing.T, Files){
		"no such file":         func(t *testing.T, f Files) { remove(t, f.Key) },
		"ca.pem: no such file": func(t *testing.T, f Files) { remove(t, f.Authorities) },
		"has no certificate":   func(t *testing.T, f Files) { overwrite(t, f.Authorities, nil) },
		"expired":              func(t *testing.T, f Files) { write(t, f, a, -time.Minute) },
		"unknown authority":    func(t *testing.T, f Files) { c, _ := selfSigned(t); overwrite(t, f.Authorities, c) },
		"which must be for": func(t *testing.T, f Files) {
			c, k := selfSigned(t)
			overwrite(t, f.Certificate, c)
			overwrite(t, f.Key, k)
		},
		"node.key: tls: failed": func(t *testing.T, f Files) { overwrite(t, f.Key, []byte("x")) },
	} {
		f := filesIn(t.TempDir())
		write(t, f, a, time.Hour)
		change(t, f)
		if _, err := FromFiles(f, testkit.Silent()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// An authority still signs as before after being written and read.
func TestAuthority(t *testing.T) {
	now := time.Now()
	a, err := NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeAuthority(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	c, err := again.Issue("node", now)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Leaf.CheckSignatureFrom(a.certificate); err != nil || c.Leaf.NotAfter.Sub(now).Round(time.Hour) != nodeLife || c.Leaf.IsCA {
		t.Errorf("%v, valid until %s", err, c.Leaf.NotAfter)
	}
	nodeCertificate, nodeKey, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeAuthority(nodeCertificate, nodeKey); err == nil {
		t.Error("a node's certificate is taken for an authority")
	}
}
