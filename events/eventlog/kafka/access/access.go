// Package access configures how clients of Kafka connect: TLS and authentication. One configuration
// serves both clients, franz-go and sarama.
package access

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"platen.dev/events/tlsfile"
)

// Config says how to connect. The zero value is for brokers that admit anybody, unencrypted.
type Config struct {
	// TLS encrypts connections.
	TLS bool
	// Files are the authorities to trust, and the certificate for brokers that ask for one.
	Files tlsfile.Client
	// SASL is plain, scram-sha-256 or scram-sha-512, with User and Password; "" for none.
	SASL           string
	User, Password string
}

// mechanisms are the SASL mechanisms, by the names that both clients use.
var mechanisms = map[string]struct {
	kgo    func(user, password string) sasl.Mechanism
	sarama sarama.SASLMechanism
}{
	"plain":         {func(u, p string) sasl.Mechanism { return plain.Auth{User: u, Pass: p}.AsMechanism() }, sarama.SASLTypePlaintext},
	"scram-sha-256": {func(u, p string) sasl.Mechanism { return scram.Auth{User: u, Pass: p}.AsSha256Mechanism() }, sarama.SASLTypeSCRAMSHA256},
	"scram-sha-512": {func(u, p string) sasl.Mechanism { return scram.Auth{User: u, Pass: p}.AsSha512Mechanism() }, sarama.SASLTypeSCRAMSHA512},
}

// Validate returns an error that names an invalid field.
func (c Config) Validate() error {
	_, known := mechanisms[c.SASL]
	switch {
	case c.SASL != "" && !known:
		return fmt.Errorf("sasl: must be plain, scram-sha-256, scram-sha-512 or empty, not %q", c.SASL)
	case c.SASL != "" && (c.User == "" || c.Password == ""):
		return errors.New("user, password: both are needed with sasl")
	case c.SASL == "" && (c.User != "" || c.Password != ""):
		return errors.New("user, password: they need sasl")
	case c.SASL == "plain" && !c.TLS:
		return errors.New("sasl: plain shows the password to the network, so it needs tls = true")
	}
	return c.Files.Validate(c.TLS)
}

// IsOpen reports whether the configuration uses neither TLS nor SASL.
func (c Config) IsOpen() bool { return !c.TLS && c.SASL == "" }

// tls returns nil without TLS.
func (c Config) tls() (*tls.Config, error) {
	if !c.TLS {
		return nil, nil
	}
	return c.Files.Config()
}

// Kgo returns the options of franz-go. dialer makes the connections that TLS runs over.
func (c Config) Kgo(dialer *net.Dialer, handshake time.Duration) ([]kgo.Opt, error) {
	config, err := c.tls()
	if err != nil {
		return nil, err
	}
	opts := []kgo.Opt{kgo.Dialer(dialer.DialContext)}
	if config != nil {
		opts[0] = kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, handshake)
			defer cancel()
			return (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, network, address)
		})
	}
	if c.SASL != "" {
		opts = append(opts, kgo.SASL(mechanisms[c.SASL].kgo(c.User, c.Password)))
	}
	return opts, nil
}

// Sarama sets the configuration of sarama.
func (c Config) Sarama(to *sarama.Config) error {
	config, err := c.tls()
	if err != nil {
		return err
	}
	to.Net.TLS.Enable, to.Net.TLS.Config = config != nil, config
	if c.SASL == "" {
		return nil
	}
	m := mechanisms[c.SASL]
	to.Net.SASL.Enable, to.Net.SASL.Handshake, to.Net.SASL.Version = true, true, sarama.SASLHandshakeV1
	to.Net.SASL.Mechanism, to.Net.SASL.User, to.Net.SASL.Password = m.sarama, c.User, c.Password
	to.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &exchange{mechanism: m.kgo(c.User, c.Password)} }
	return nil
}

// exchange adapts one conversation of franz-go's SCRAM to sarama.
type exchange struct {
	mechanism sasl.Mechanism
	session   sasl.Session
	first     []byte
	done      bool
}

// Begin implements sarama.SCRAMClient. The mechanism already knows the user.
func (e *exchange) Begin(_, _, _ string) (err error) {
	e.session, e.first, err = e.mechanism.Authenticate(context.Background(), "")
	return err
}

// Step implements sarama.SCRAMClient.
func (e *exchange) Step(challenge string) (string, error) {
	if challenge == "" {
		return string(e.first), nil
	}
	done, answer, err := e.session.Challenge([]byte(challenge))
	e.done = done
	return string(answer), err
}

// Done implements sarama.SCRAMClient.
func (e *exchange) Done() bool { return e.done }
