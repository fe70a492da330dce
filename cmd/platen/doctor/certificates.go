package doctor

import (
	"context"
	"crypto/tls"
	"time"
)

// Certificate checks a certificate with its key, in files, that it stays valid for at least long, and that it is for a host, unless that is "".
func Certificate(name, certFile, keyFile, host string, long time.Duration, now func() time.Time) Check {
	return Check{"certificate of " + name, func(context.Context) []Finding {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return []Finding{fail("make them readable to the node's user, and give the key that belongs to the certificate", "%s", err)}
		}
		all := []Finding{validity(pair.Leaf.NotBefore, pair.Leaf.NotAfter, long, now())}
		if err := pair.Leaf.VerifyHostname(host); host != "" && err != nil { // a proxy before the node may show another
			all = append(all, warn("get one for the host of public_url, unless a proxy shows another to clients", "%s", err))
		}
		return all
	}}
}

func validity(from, to time.Time, long time.Duration, now time.Time) Finding {
	const do = "renew it; the node reads it again by itself"
	switch {
	case now.Before(from):
		return fail("look at the clock, or wait", "it is good from %s on", from.Format(time.DateOnly))
	case !now.Before(to):
		return fail(do, "it expired on %s", to.Format(time.DateOnly))
	case to.Sub(now) < long:
		return warn(do, "it expires on %s", to.Format(time.DateOnly))
	}
	return ok("good until %s", to.Format(time.DateOnly))
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
