package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"platen.dev/cmd/platen/cli"
)

// readyOptions are what the flags of `platen ready` say.
type readyOptions struct{ url string }

func (o *readyOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen ready", flag.ContinueOnError)
	flags.StringVar(&o.url, "url", "http://127.0.0.1:8080", "`URL` of the API or of the operators' port, without a path; no certificate is checked")
	return flags
}

// readyTimeout is how long a node may take to answer.
const readyTimeout = 5 * time.Second

// askReady runs `platen ready`, for health checks of containers and for scripts: it asks /readyz.
func askReady(args []string, stdout, stderr io.Writer) error {
	var o readyOptions
	if err := cli.ParseOnly(o.flags(), args, stderr); err != nil {
		return err
	}
	// A certificate is for the name by which clients come, not for this one; no secret is sent.
	client := http.Client{Timeout: readyTimeout, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	resp, err := client.Get(strings.TrimSuffix(o.url, "/") + "/readyz")
	if err != nil {
		return fmt.Errorf("%w\nname the node's API or operators' port by --url, as its configuration has it (listen, ops)", err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	_, err = stdout.Write(text)
	return err
}
