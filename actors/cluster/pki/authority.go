// Package pki holds the certificates by which the nodes of a cluster know one another: who signs
// them, which one a node shows, and which ones it accepts (docs/decisions/0033).
package pki

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"platen.dev/events/secret"
)

// Name is the DNS name in the certificate of every node. Other certificates of the same authority
// lack it, and get no connection.
const Name = "platen-node"

// How long certificates in files are valid. Certificates derived from a secret live as long as
// their process, whatever its clock says.
const (
	authorityLife = 10 * 365 * 24 * time.Hour
	nodeLife      = 365 * 24 * time.Hour
)

// beginning and end are the validity of derived certificates; RFC 5280 gives this end to a
// certificate that does not expire.
var (
	beginning = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	end       = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
)

// Authority signs the certificates of a cluster's nodes.
type Authority struct {
	certificate *x509.Certificate
	key         ed25519.PrivateKey
}

// NewAuthority makes an authority that is valid for ten years.
func NewAuthority(now time.Time) (Authority, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return Authority{}, err
	}
	return newAuthority(key, now.Add(-time.Hour), now.Add(authorityLife))
}

// Derive returns the authority of all nodes that know a secret. It is deterministic.
func Derive(root secret.Root) (Authority, error) {
	seed := root.Key("platen cluster authority v1")
	return newAuthority(ed25519.NewKeyFromSeed(seed[:]), beginning, end)
}

func newAuthority(key ed25519.PrivateKey, from, to time.Time) (Authority, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "platen cluster"}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return Authority{}, err
	}
	certificate, err := x509.ParseCertificate(der)
	return Authority{certificate, key}, err
}

// Issue returns a certificate, with a new key, for a node under a name for people. It is valid for
// a year.
func (a Authority) Issue(node string, now time.Time) (tls.Certificate, error) {
	return a.issue(node, now.Add(-time.Hour), now.Add(nodeLife))
}

func (a Authority) issue(node string, from, to time.Time) (tls.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return tls.Certificate{}, err
	}
	public, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: node}, NotBefore: from, NotAfter: to, DNSNames: []string{Name},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, public, a.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	leaf, err := x509.ParseCertificate(der)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, err
}

// Encode returns the authority's certificate and key as PEM.
func (a Authority) Encode() (certificate, key []byte, err error) {
	return Encode(tls.Certificate{Certificate: [][]byte{a.certificate.Raw}, PrivateKey: a.key})
}

// DecodeAuthority reads the output of Encode.
func DecodeAuthority(certificate, key []byte) (Authority, error) {
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return Authority{}, err
	}
	signer, is := pair.PrivateKey.(ed25519.PrivateKey)
	if !is || !pair.Leaf.IsCA {
		return Authority{}, errors.New("it is not the authority of a cluster, with its Ed25519 key")
	}
	return Authority{pair.Leaf, signer}, nil
}

// Encode returns a certificate and its key as PEM.
func Encode(c tls.Certificate) (certificate, key []byte, err error) {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return nil, nil, fmt.Errorf("encode key: %w", err)
	}
	for _, one := range c.Certificate {
		certificate = append(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: one})...)
	}
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
