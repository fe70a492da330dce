//go:build integration

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"platen.dev/cmd/platen/node"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/events/tracing/tracingtest"
)

// collectorConfig is that of a collector which takes spans from clients of an authority, over mutual
// TLS, and passes them on.
const collectorConfig = `
receivers:
  otlp:
    protocols:
      http:
        endpoint: %s
        tls: {cert_file: %s, key_file: %s, client_ca_file: %s}
exporters:
  otlp_http:
    endpoint: %s
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp_http]}
`

// runCollector runs a collector until stop is called or the test ends.
func runCollector(t *testing.T, address, to string, c testkit.Certificates) (stop func()) {
	t.Helper()
	binary := os.Getenv("PLATEN_TEST_OTEL")
	if binary == "" {
		t.Skip("NO COLLECTOR: testdata/otel/integration.sh builds one and names it in PLATEN_TEST_OTEL")
	}
	config := filepath.Join(t.TempDir(), "otel.yaml")
	write(t, config, fmt.Sprintf(collectorConfig, address, c.Server, c.Key, c.Authority, to))
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, binary, "--config", config)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // its end is all that matters
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	testkit.Eventually(t, "the collector listens", func() bool {
		select {
		case <-ended:
			t.Fatal("the collector has ended")
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	return stop
}

// A real collector accepts the trace of a job, and passes on what was sent. Jobs do not depend on it:
// neither before it starts, nor after it has ended.
func TestCollector(t *testing.T) {
	behind, address, files := tracingtest.Start(t), testkit.FreePorts(t, 1)[0], testkit.MakeCertificates(t, net.IPv4(127, 0, 0, 1))
	n := startInProcessNode(t, func(c *node.Config) {
		c.Tracing.Endpoint, c.Tracing.CAFile, c.Tracing.CertFile, c.Tracing.KeyFile = "https://"+address, files.Authority, files.Client, files.ClientKey
	})
	receiver := newHooks(t)
	submit := func() events.JobID {
		id := n.submitAs(t, "00-"+clientTrace+"-"+clientSpan+"-01", "html-to-pdf", map[string]any{"html": "<p>x</p>", "webhook_url": receiver.url})
		if got := receiver.next(t); got.fields["job_id"] != id.String() || got.fields["status"] != "done" {
			t.Errorf("webhook %s", got.body)
		}
		return id
	}
	submit()
	stop := runCollector(t, address, behind.URL, files)
	spans := awaitSpans(t, behind, submit(), allOfAJob...)
	for name, s := range spans {
		if s.Trace != clientTrace || s.Resource["service.name"] != "platen" || s.Resource["service.instance.id"] != string(n.ID()) {
			t.Errorf("%s: %+v", name, s)
		}
		checkAttributes(t, name, s.Attributes, spanMay)
	}
	if s := spans["store"]; s.Parent != spans["attempt"].ID || spans["attempt"].Parent != spans["request"].ID || spans["request"].Parent != clientSpan {
		t.Errorf("spans %+v", spans)
	}
	stop()
	submit()
	if err := n.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
