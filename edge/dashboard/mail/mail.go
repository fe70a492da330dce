// Package mail sends letters to members by SMTP (RFC 5321). It does not know their contents.
package mail

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Security is how connections to the server are encrypted.
type Security string

// The kinds of encryption.
const (
	// StartTLS begins in clear, and goes no further if the server does not encrypt (RFC 3207).
	StartTLS Security = "starttls"
	// TLS is encrypted from the beginning (RFC 8314).
	TLS Security = "tls"
	// None sends letters unencrypted.
	None Security = "none"
)

// Config configures how letters are sent.
type Config struct {
	// Server is host:port.
	Server   string
	Security Security
	// TLS configures trust; nil for the system's authorities.
	TLS *tls.Config
	// User and Password are shown to the server: with StartTLS by the best way that it knows, with TLS by PLAIN, and not in
	// clear. Empty for none.
	User, Password string
	// From is the sender: an address, or a name with an address in angle brackets.
	From string
}

// sendTime is how long sending a letter may take.
const sendTime = 15 * time.Second

// Sender sends letters, each on a connection of its own. It may be used by several goroutines.
type Sender struct{ cfg Config }

// New returns a sender. An error means that the configuration is wrong; the server is not contacted.
func New(cfg Config) (*Sender, error) {
	s := &Sender{cfg}
	if _, err := s.client(); err != nil {
		return nil, err
	}
	_, err := s.letter("nobody@localhost", "", "")
	return s, err
}

// Send sends a letter. An error means that the server has not taken it.
func (s *Sender) Send(ctx context.Context, to, subject, text string) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	letter, err := s.letter(to, subject, text)
	if err != nil {
		return err
	}
	client, err := s.client()
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, letter)
}

// letter writes a letter. It refuses an address that is none; the library encodes the rest, so that no text becomes a header.
func (s *Sender) letter(to, subject, text string) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent()) // it would tell the version, and link to the library
	if err := m.From(s.cfg.From); err != nil {
		return nil, fmt.Errorf("from: %w", err)
	}
	if err := m.To(to); err != nil {
		return nil, fmt.Errorf("to: %w", err)
	}
	m.SetDate()
	m.SetMessageID()
	m.Subject(subject)
	m.SetBodyString(gomail.TypeTextPlain, text)
	return m, nil
}

func (s *Sender) client() (*gomail.Client, error) {
	host, portText, err := net.SplitHostPort(s.cfg.Server)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, fmt.Errorf("server: port %q is not a number", portText)
	}
	options := []gomail.Option{gomail.WithPort(port), gomail.WithTimeout(sendTime), gomail.WithTLSPolicy(gomail.NoTLS)}
	auth := gomail.SMTPAuthAutoDiscover
	switch s.cfg.Security {
	case TLS:
		auth = gomail.SMTPAuthPlainNoEnc // the library does not know that the connection from dial is encrypted
	case StartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory), gomail.WithTLSConfig(s.trusted(host)))
	}
	options = append(options, gomail.WithDialContextFunc(func(ctx context.Context, network, address string) (net.Conn, error) {
		return s.dial(ctx, network, address, host)
	}))
	if s.cfg.User != "" {
		options = append(options, gomail.WithSMTPAuth(auth), gomail.WithUsername(s.cfg.User), gomail.WithPassword(s.cfg.Password))
	}
	return gomail.NewClient(host, options...)
}

// trusted returns the TLS configuration for a host.
func (s *Sender) trusted(host string) *tls.Config {
	cfg := &tls.Config{}
	if s.cfg.TLS != nil {
		cfg = s.cfg.TLS.Clone()
	}
	cfg.ServerName, cfg.MinVersion = host, tls.VersionTLS12
	return cfg
}

// dial makes a connection that lasts as long as ctx does: the library waits for a server without a bound.
func (s *Sender) dial(ctx context.Context, network, address, host string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if until, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(until)
	}
	if s.cfg.Security == TLS && err == nil {
		encrypted := tls.Client(conn, s.trusted(host))
		if err = encrypted.HandshakeContext(ctx); err == nil {
			return encrypted, nil
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}
