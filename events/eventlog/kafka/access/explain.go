package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrRefused means that brokers refuse a client, or it does not trust them: trying again does not
// help.
var ErrRefused = errors.New("no access to Kafka")

// Explain turns an error that means so into ErrRefused, with advice; it returns any other error, and
// nil, unchanged.
func (c Config) Explain(err error) error {
	if err == nil || errors.Is(err, ErrRefused) {
		return err
	}
	if advice := c.advice(err); advice != "" {
		return fmt.Errorf("%w: %s: %w", ErrRefused, advice, err)
	}
	return err
}

func (c Config) advice(err error) string {
	var (
		host      x509.HostnameError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		first     *kgo.ErrFirstReadEOF
	)
	switch {
	case errors.As(err, &host):
		return "the broker's certificate is for another host name than kafka.brokers, or its advertised.listeners, have"
	case errors.As(err, &authority):
		return "the broker's certificate is signed by an authority that kafka.ca_file does not have"
	case errors.As(err, &invalid):
		return "the broker's certificate cannot be used"
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return "kafka.user or kafka.password is wrong"
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return "the broker does not take this kafka.sasl"
	case errors.Is(err, kerr.IllegalSaslState):
		return "the broker takes no kafka.sasl on this port"
	case !c.TLS && strings.Contains(err.Error(), "appear to be a tls alert record"):
		return "the broker speaks TLS on this port: set kafka.tls = true"
	case isAlert(err):
		return "the broker refuses the certificate in kafka.cert_file, or wants one"
	case errors.As(err, &first), !c.IsOpen() && errors.Is(err, io.EOF):
		return "the broker ends the connection at once: it may want another kafka.tls, kafka.sasl, kafka.password or certificate (kafka.cert_file)"
	}
	return ""
}

// isAlert reports whether the peer has ended TLS because of our certificate, or for lack of one.
func isAlert(err error) bool {
	var alert tls.AlertError
	text := err.Error()
	return errors.As(err, &alert) || strings.Contains(text, "remote error: tls: ")
}
