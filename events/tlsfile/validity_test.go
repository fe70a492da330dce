package tlsfile

import (
	"crypto/x509"
	"testing"
	"time"
)

// A certificate is good from its first second to its last.
func TestCheckValidity(t *testing.T) {
	from := time.Unix(1_700_000_000, 0)
	c := &x509.Certificate{NotBefore: from, NotAfter: from.Add(time.Hour)}
	for after, good := range map[time.Duration]bool{-1: false, 0: true, time.Hour: true, time.Hour + 1: false} {
		if err := CheckValidity(c, from.Add(after)); (err == nil) != good {
			t.Errorf("after %s: %v", after, err)
		}
	}
}
