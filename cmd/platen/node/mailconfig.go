package node

import (
	"errors"
	"fmt"
	"net"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/mail"
	"platen.dev/events/contract"
	"platen.dev/events/tlsfile"
)

// MailConfig is the section [mail]: how to send letters to members.
type MailConfig struct {
	// Server is the SMTP server, host:port; empty sends no letters.
	Server string `toml:"server"`
	// Security is starttls, tls or none.
	Security string `toml:"security"`
	// User and Password authenticate to the server; empty for none.
	User     string `toml:"user"`
	Password string `toml:"password"`
	// From is the sender of the letters.
	From string `toml:"from"`
	// CAFile has certificates (PEM) of the authorities to trust instead of the system's.
	CAFile string `toml:"ca_file"`
}

func (c MailConfig) validate() error {
	if c.Server == "" {
		return check(c == NewConfig().Mail, "mail.server: the section [mail] needs one")
	}
	host, _, err := net.SplitHostPort(c.Server)
	security := mail.Security(c.Security)
	if err != nil || host == "" {
		return fmt.Errorf("mail.server: must be host:port, not %q", c.Server)
	}
	return errors.Join(
		check(security == mail.StartTLS || security == mail.TLS || security == mail.None, "mail.security: must be starttls, tls or none, not %q", c.Security),
		check(security != mail.None || contract.IsLoopback(host), "mail.security: none is for a server on this machine, since letters have links by which people sign in"),
		check((c.User == "") == (c.Password == ""), "mail.user, mail.password: one needs the other"),
		check(security != mail.None || c.User == "", "mail.user: is not shown in clear; it needs starttls or tls"),
		c.tryOut(),
	)
}

// tryOut returns further errors, found by building the mailer.
func (c MailConfig) tryOut() error {
	if _, err := mail.New(mail.Config{Server: c.Server, From: c.From}); err != nil {
		return fmt.Errorf("[mail] %w", err)
	}
	return nil
}

// mailer returns the sender of letters; nil if none is configured.
func (c MailConfig) mailer() (service.Mailer, error) {
	if c.Server == "" {
		return nil, nil
	}
	trusted, err := tlsfile.Client{CA: c.CAFile}.Config()
	if err != nil {
		return nil, fmt.Errorf("mail: %w", err)
	}
	return mail.New(mail.Config{Server: c.Server, Security: mail.Security(c.Security), TLS: trusted, User: c.User, Password: c.Password, From: c.From})
}
