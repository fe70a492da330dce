package s3test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// gatewayVariable names the binary of versitygw, an S3 server on a directory. The tests with a
// gateway run if it is set; testdata/s3/integration.sh builds it.
const gatewayVariable = "PLATEN_TEST_VERSITYGW"

// Gateway is a real S3 server, without a bucket, that runs until the test ends.
type Gateway struct {
	// Endpoint is its URL. Its certificate is signed only by Authority, a PEM file.
	Endpoint, Authority string
	// Root is the directory of its files.
	Root    string
	process *exec.Cmd
}

// Credentials of the gateway's owner, which StartGateway puts into the environment.
const (
	GatewayAccessKey = "platen-test"
	GatewaySecretKey = "the secret of the tests"
)

// StartGateway starts a gateway at an address of 127.0.0.1, over TLS.
func StartGateway(t *testing.T, address string) *Gateway {
	t.Helper()
	binary := os.Getenv(gatewayVariable)
	if binary == "" {
		t.Fatalf("%s is not set: run testdata/s3/integration.sh", gatewayVariable)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", GatewayAccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", GatewaySecretKey)
	dir, c := t.TempDir(), testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	g := &Gateway{Endpoint: "https://" + strings.TrimSuffix(address, ":443"), Authority: c.Authority, Root: filepath.Join(dir, "root")}
	for _, d := range []string{"root", "sidecar"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	g.process = exec.Command(binary, "--port", address, "--region", Region, "--quiet", "--keep-alive", "--cert", c.Server, "--key", c.Key,
		"posix", "--sidecar", filepath.Join(dir, "sidecar"), g.Root)
	g.process.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+GatewayAccessKey, "ROOT_SECRET_ACCESS_KEY="+GatewaySecretKey)
	said := new(strings.Builder)
	g.process.Stderr = said
	if err := g.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.Kill()
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
	return g
}

// Kill ends the gateway's process.
func (g *Gateway) Kill() {
	_ = g.process.Process.Kill() // it may have ended
	_ = g.process.Wait()
}
