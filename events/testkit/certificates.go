package testkit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificates are the files of a server's and a client's certificates, with their keys, signed by
// an authority of their own: ca.pem, server.pem, server.key, client.pem and client.key. The server's says where the authority's can be found, as those of public
// authorities do.
type Certificates struct{ Authority, Server, Key, Client, ClientKey string }

// MakeCertificates makes a certificate for addresses and one for a client, valid for a day.
func MakeCertificates(t testing.TB, addresses ...net.IP) Certificates {
	t.Helper()
	dir := t.TempDir()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of the tests"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		IPAddresses: addresses, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IssuingCertificateURL: []string{"http://authority.example/ca.crt"},
	}
	client := &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "client of the tests"}, NotBefore: authority.NotBefore, NotAfter: authority.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	authorityKey, serverKey, clientKey := newKey(t), newKey(t), newKey(t)
	write := func(name, kind string, der []byte, err error) string {
		path := filepath.Join(dir, name)
		if err == nil {
			err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	signed := func(name string, certificate *x509.Certificate, key *ecdsa.PublicKey) string {
		der, err := x509.CreateCertificate(rand.Reader, certificate, authority, key, authorityKey)
		return write(name, "CERTIFICATE", der, err)
	}
	stored := func(name string, key *ecdsa.PrivateKey) string {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		return write(name, "PRIVATE KEY", der, err)
	}
	return Certificates{
		signed("ca.pem", authority, &authorityKey.PublicKey), signed("server.pem", server, &serverKey.PublicKey), stored("server.key", serverKey),
		signed("client.pem", client, &clientKey.PublicKey), stored("client.key", clientKey),
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
