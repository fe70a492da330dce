package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"time"

	"platen.dev/events/tlsfile"
)

// Certificate checks a certificate with its key, in files, that it stays valid for at least long, and that it is for a host, unless that is "".
func Certificate(name, certFile, keyFile, host string, long time.Duration, now func() time.Time) Check {
	return Check{"certificate of " + name, func(context.Context) []Finding {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return []Finding{fail("make them readable to the node's user, and give the key that belongs to the certificate", "%s", err)}
		}
		all := []Finding{validity(pair.Leaf, long, now())}
		if err := pair.Leaf.VerifyHostname(host); host != "" && err != nil { // a proxy before the node may show another
			all = append(all, warn("get one for the host of public_url, unless a proxy shows another to clients", "%s", err))
		}
		return all
	}}
}

func validity(c *x509.Certificate, long time.Duration, now time.Time) Finding {
	const do = "renew it, or look at the clock; the node reads it again by itself"
	until := c.NotAfter.UTC().Format(time.DateOnly)
	if err := tlsfile.CheckValidity(c, now); err != nil {
		return fail(do, "%s", err)
	}
	if c.NotAfter.Sub(now) < long {
		return warn(do, "it expires on %s", until)
	}
	return ok("good until %s", until)
}

// Identity checks that the certificate by which nodes know one another is signed by the authority. load reads the files.
func Identity(load func() error) Check {
	return Check{"identity of the node", func(context.Context) []Finding {
		if err := load(); err != nil {
			return []Finding{fail("`platen admin cluster join DIR NODE` makes a good one", "%s", err)}
		}
		return []Finding{ok("certificate, key and authority belong together")}
	}}
}
