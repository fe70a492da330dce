package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"slices"
	"time"

	"platen.dev/events/tlsfile"
)

// Certificate checks a certificate with its key, in files, that it stays valid for at least long, that the file has its issuer's if clients may need it,
// and that it is for a host, unless that is "".
func Certificate(name, certFile, keyFile, host string, long time.Duration, now func() time.Time) Check {
	return Check{"certificate of " + name, func(context.Context) []Finding {
		pair, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return []Finding{fail("make them readable to the node's user, and give the key that belongs to the certificate", "%s", err)}
		}
		all := []Finding{validity(pair.Leaf, long, now())}
		if lacksIssuer(pair, now()) {
			all = append(all, warn("append the intermediate certificates, or clients refuse it", "%s lacks the certificate of its issuer, %s", certFile, pair.Leaf.Issuer))
		}
		if err := pair.Leaf.VerifyHostname(host); host != "" && err != nil { // a proxy before the node may show another
			all = append(all, warn("get one for the host of public_url, unless a proxy shows another to clients", "%s", err))
		}
		return all
	}}
}

// lacksIssuer reports whether the certificate's issuer is not among those that follow it, nor a root of this machine. Private authorities usually do not
// say where their certificate can be found: their clients have it.
func lacksIssuer(pair tls.Certificate, now time.Time) bool {
	isIssuer := func(der []byte) bool {
		c, err := x509.ParseCertificate(der)
		return err == nil && bytes.Equal(c.RawSubject, pair.Leaf.RawIssuer)
	}
	if len(pair.Leaf.IssuingCertificateURL) == 0 || slices.ContainsFunc(pair.Certificate[1:], isIssuer) {
		return false
	}
	_, err := pair.Leaf.Verify(x509.VerifyOptions{CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &unknown)
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
