package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/terminal"
)

func readyCommand() *cobra.Command {
	url := "http://127.0.0.1:8080"
	c := &cobra.Command{
		Use: "ready", Short: "Ask a node whether it is ready",
		Long: `Ask a node whether it is ready, for health checks and scripts. The exit status is 0 if it is. Its certificate is not checked.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return askReady(url, c.OutOrStdout()) },
	}
	c.Flags().StringVar(&url, "url", url, "`URL` of the API or of the operators' port, without a path")
	return c
}

// readyTimeout limits how long a node may take to answer.
const readyTimeout = 5 * time.Second

func askReady(url string, stdout io.Writer) error {
	// A certificate is for the name that clients use, not for this one; no secret is sent.
	client := http.Client{Timeout: readyTimeout, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	resp, err := client.Get(strings.TrimSuffix(url, "/") + "/readyz")
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
	return terminal.To(stdout).Text(string(text))
}
