package hosttest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NextVersion makes a package of a later version with the same files.
func NextVersion(t *testing.T, deb string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "next")
	do(t, "dpkg-deb", "--raw-extract", deb, dir)
	do(t, "sed", "-i", `s/^Version: .*/&.next/`, filepath.Join(dir, "DEBIAN", "control"))
	do(t, "dpkg-deb", "-Zgzip", "-z1", "--root-owner-group", "--build", dir, dir+".deb")
	return dir + ".deb"
}

// Version is that of a package.
func Version(t *testing.T, deb string) string {
	t.Helper()
	return do(t, "dpkg-deb", "--field", deb, "Version")
}

// do runs a command on this machine, which must succeed, and returns what it prints.
func do(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}
