package mail_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/mail"
	"os"
	"strings"
	"testing"
	"time"

	sender "platen.dev/edge/dashboard/mail"
	"platen.dev/edge/dashboard/mail/mailtest"
	"platen.dev/events/testkit"
)

func newSender(t *testing.T, s *mailtest.Server, how sender.Security, change func(*sender.Config)) *sender.Sender {
	t.Helper()
	cfg := sender.Config{Server: s.Address, Security: how, TLS: s.Trusted, User: "platen", Password: mailtest.Password, From: "Platen <platen@example.com>"}
	if how == sender.None {
		cfg.User, cfg.Password = "", ""
	}
	if change != nil {
		change(&cfg)
	}
	m, err := sender.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A letter arrives as it was written, however the connection is encrypted.
func TestSend(t *testing.T) {
	for _, how := range []sender.Security{sender.StartTLS, sender.TLS, sender.None} {
		s := mailtest.New(t, string(how))
		const text = "Grüße,\n\n.\nhttps://platen.example/dashboard/invitation/acc_a/mem_b/c?d=e\n"
		if err := newSender(t, s, how, nil).Send(testkit.Context(t), "ada@example.com", "Your link — ß", text); err != nil {
			t.Errorf("%s: %v", how, err)
			continue
		}
		got := <-s.Got
		if (got.User == "platen") != (how != sender.None) || got.From != "platen@example.com" || got.To != "ada@example.com" {
			t.Errorf("%s: %+v", how, got)
		}
		m, err := mail.ReadMessage(strings.NewReader(got.Data))
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.Get("From") != `"Platen" <platen@example.com>` || m.Header.Get("Date") == "" || m.Header.Get("Message-Id") == "" || !strings.Contains(got.Data, "/acc_a/mem_b/c") {
			t.Errorf("%s: %s", how, got.Data)
		}
		if agent := m.Header.Get("User-Agent") + m.Header.Get("X-Mailer"); agent != "" {
			t.Errorf("%s: it tells which program wrote it: %s", how, agent)
		}
	}
}

// A letter that is refused, or that would be sent in clear text, is an error.
func TestNotSent(t *testing.T) {
	for name, tc := range map[string]struct {
		server sender.Security
		how    sender.Security
		change func(*sender.Config)
		refuse bool
		to     string
	}{
		"a wrong password":       {server: sender.StartTLS, how: sender.StartTLS, change: func(c *sender.Config) { c.Password = "x" }},
		"a stranger's server":    {server: sender.StartTLS, how: sender.StartTLS, change: func(c *sender.Config) { c.TLS = nil }},
		"no encryption":          {server: sender.None, how: sender.StartTLS},
		"the other encryption":   {server: sender.StartTLS, how: sender.TLS},
		"no such mailbox":        {server: sender.StartTLS, how: sender.StartTLS, refuse: true},
		"an address with a line": {server: sender.None, how: sender.None, to: "ada@example.com\r\nBcc: eve@example.com"},
		"two addresses":          {server: sender.None, how: sender.None, to: "ada@example.com, eve@example.com"},
		"no address":             {server: sender.None, how: sender.None, to: "ada"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mailtest.New(t, string(tc.server))
			s.Refuse = tc.refuse
			if tc.to == "" {
				tc.to = "ada@example.com"
			}
			if err := newSender(t, s, tc.how, tc.change).Send(testkit.Context(t), tc.to, "x", "y"); err == nil {
				t.Error("it was sent")
			}
			if len(s.Got) > 0 {
				t.Errorf("the server got %+v", <-s.Got)
			}
		})
	}
}

// A subject is one line, whatever it contains.
func TestSubject(t *testing.T) {
	s := mailtest.New(t, "none")
	if err := newSender(t, s, sender.None, nil).Send(testkit.Context(t), "ada@example.com", "x\r\nBcc: eve@example.com", "y"); err != nil {
		t.Fatal(err)
	}
	if m, err := mail.ReadMessage(bytes.NewReader([]byte((<-s.Got).Data))); err != nil || m.Header.Get("Bcc") != "" {
		t.Errorf("%v, %v", m.Header, err)
	}
}

// Sending to a server that does not answer is given up.
func TestSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	m := newSender(t, &mailtest.Server{Address: l.Addr().String()}, sender.None, nil)
	if err := m.Send(ctx, "ada@example.com", "x", "y"); !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
