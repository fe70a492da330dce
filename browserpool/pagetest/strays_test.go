package pagetest

import "testing"

// On the machine that made the pictures, no block may differ; elsewhere, a few may.
func TestStrays(t *testing.T) {
	for release, want := range map[string]int{
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n": 0,
		"PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\nVERSION_ID=\"13\"\nID=debian\n":   4,
		"NAME=\"Linux Mint\"\nVERSION_ID=\"12\"\nID=linuxmint\nID_LIKE=debian\n":         4,
		"": 4,
	} {
		if got := strays(release); got != want {
			t.Errorf("%q: %d blocks may differ, want %d", release, got, want)
		}
	}
}
