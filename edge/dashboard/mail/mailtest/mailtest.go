// Package mailtest is an SMTP server for tests.
package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Server is an SMTP server that keeps what it takes.
type Server struct {
	// Address is host:port. Trusted is a client's configuration that trusts it.
	Address string
	Trusted *tls.Config
	// Got receives the accepted letters.
	Got chan Letter
	// Refuse makes the server refuse every letter.
	Refuse bool
}

// Letter is a letter that the server has taken.
type Letter struct{ User, From, To, Data string }

// Password is the one that the server takes, of any user.
const Password = "Kr0kodil"

// New starts a server which encrypts as told: starttls, tls or none.
func New(t *testing.T, how string) *Server {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS()
	t.Cleanup(web.Close)
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	s := &Server{Got: make(chan Letter, 1), Trusted: &tls.Config{RootCAs: roots}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Address = l.Addr().String()
	encrypted := &tls.Config{Certificates: web.TLS.Certificates}
	smtpServer := smtp.NewServer(s)
	switch how {
	case "tls":
		l = tls.NewListener(l, encrypted)
	case "starttls":
		smtpServer.TLSConfig = encrypted
	}
	go func() { _ = smtpServer.Serve(l) }()
	t.Cleanup(func() { _ = smtpServer.Close() })
	return s
}

// NewSession begins a connection.
func (s *Server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

type session struct {
	server *Server
	letter Letter
}

// AuthMechanisms lists the supported mechanisms.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth takes a password.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if password != Password {
			return smtp.ErrAuthFailed
		}
		s.letter.User = user
		return nil
	}), nil
}

// Mail accepts the sender of a letter.
func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.letter.From = from; return nil }

// Rcpt accepts the recipient of a letter.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.server.Refuse {
		return errors.New("no such mailbox")
	}
	s.letter.To = to
	return nil
}

// Data takes a letter.
func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.letter.Data = string(b)
	s.server.Got <- s.letter
	return err
}

// Reset forgets a letter.
func (s *session) Reset() {}

// Logout ends a connection.
func (s *session) Logout() error { return nil }
