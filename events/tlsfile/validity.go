package tlsfile

import (
	"crypto/x509"
	"fmt"
	"time"
)

// CheckValidity returns why clients refuse a certificate at a time, by its dates; nil if they do not.
func CheckValidity(c *x509.Certificate, now time.Time) error {
	switch {
	case now.Before(c.NotBefore):
		return fmt.Errorf("not valid before %s", c.NotBefore.UTC().Format(time.DateTime))
	case now.After(c.NotAfter):
		return fmt.Errorf("it expired on %s", c.NotAfter.UTC().Format(time.DateTime))
	}
	return nil
}
