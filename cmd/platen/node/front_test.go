package node

import "testing"

// A browser on this machine does not know the address that means all addresses.
func TestFromHere(t *testing.T) {
	for listener, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "[::1]:8080": "[::1]:8080", "192.0.2.1:80": "192.0.2.1:80",
		"0.0.0.0:8080": "127.0.0.1:8080", "[::]:8080": "127.0.0.1:8080", "pdf.example:80": "pdf.example:80",
	} {
		if got := fromHere(listener); got != want {
			t.Errorf("%s: got %s, want %s", listener, got, want)
		}
	}
}
