package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpguts"

	"platen.dev/events/tlsfile"
	"platen.dev/events/tracing"
)

// TracingConfig is the section [tracing].
type TracingConfig struct {
	// Endpoint is the URL of an OpenTelemetry collector that accepts OTLP over HTTP, to which
	// /v1/traces is added; empty makes no traces.
	Endpoint string `toml:"endpoint"`
	// HeadersFile has headers for the collector, one "Name: value" per line; empty for none.
	HeadersFile string `toml:"headers_file"`
	// CAFile has certificates (PEM) of the authorities to trust instead of the system's.
	CAFile string `toml:"ca_file"`
	// CertFile and KeyFile have the node's certificate and key (PEM), for a collector that asks for a certificate.
	CertFile string `toml:"cert_file"`
	KeyFile  string `toml:"key_file"`
	// Sample is the fraction of requests, 0 to 1, that begin a recorded trace.
	Sample float64 `toml:"sample"`
}

func (c TracingConfig) files() tlsfile.Client {
	return tlsfile.Client{CA: c.CAFile, Cert: c.CertFile, Key: c.KeyFile}
}

func (c TracingConfig) validate() error {
	if err := check(c.Sample >= 0 && c.Sample <= 1, "tracing.sample: must be 0 to 1, not %v", c.Sample); err != nil {
		return err
	}
	if c.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("tracing.endpoint: must be https://host:port or http://host:port, perhaps with a path, without user, query and fragment") // which may be secret
	}
	if err := c.files().Validate(u.Scheme == "https"); err != nil {
		return fmt.Errorf("[tracing] %w", err)
	}
	return nil
}

// startTracing begins to send the spans of this node; nil without a collector.
func startTracing(b *base) (*tracing.Tracer, error) {
	cfg, err := b.cfg.Tracing.tracer()
	if err != nil || cfg == nil {
		return nil, err
	}
	cfg.Node, cfg.Version, cfg.Logger = b.id, b.version, b.logger
	traces, err := tracing.Start(*cfg)
	if err != nil {
		return nil, err
	}
	b.onClose("traces", func(ctx context.Context) error {
		if err := traces.Close(ctx); err != nil { // the collector does not accept the waiting spans, which is no reason to report a failed stop
			b.logger.Warn("traces end early", "error", err)
		}
		return nil
	})
	return traces, nil
}

// tracer returns how spans are sent; nil without a collector.
func (c TracingConfig) tracer() (*tracing.Config, error) {
	if c.Endpoint == "" {
		return nil, nil
	}
	endpoint, err := url.Parse(c.Endpoint)
	if err != nil {
		return nil, err // impossible: the configuration was validated
	}
	cfg := &tracing.Config{Endpoint: endpoint, Sample: c.Sample}
	if cfg.Headers, err = readHeaders(c.HeadersFile); err != nil {
		return nil, fmt.Errorf("tracing.headers_file: %w", err)
	}
	if endpoint.Scheme == "https" {
		if cfg.TLS, err = c.files().Config(); err != nil {
			return nil, fmt.Errorf("[tracing] %w", err)
		}
	}
	return cfg, nil
}

// readHeaders reads a file of headers; "" is none. Its errors do not show values, which are secret.
func readHeaders(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	headers, lines := map[string]string{}, bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !found || value == "" || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fmt.Errorf("line %d of %s is not \"Name: value\"", number, path)
		}
		headers[http.CanonicalHeaderKey(name)] = value
	}
	return headers, lines.Err()
}
