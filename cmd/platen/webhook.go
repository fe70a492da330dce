package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/actors/webhook"
	"platen.dev/cmd/platen/terminal"
)

// maxWebhook bounds the body of a webhook that is shown, in bytes.
const maxWebhook = 64 << 10

func webhookCommand() *cobra.Command {
	return parent("webhook", "Develop receivers of webhooks", listenCommand())
}

func listenCommand() *cobra.Command {
	port, secret, status := 8099, "", http.StatusNoContent
	c := &cobra.Command{
		Use: "listen", Short: "Show and verify the webhooks that arrive", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if status < 200 || status > 599 {
				return fmt.Errorf("--answer must be a status from 200 to 599, not %d", status)
			}
			return listenForWebhooks(c.OutOrStdout(), port, secret, status)
		},
	}
	flags := c.Flags()
	flags.IntVar(&port, "port", port, "listen on `PORT` of 127.0.0.1; 0 picks a free one")
	flags.StringVar(&secret, "secret", "", "verify signatures with `SECRET` (whsec_…; platen admin webhook secret show)")
	flags.IntVar(&status, "answer", status, "answer with `STATUS`, to see what is retried")
	return c
}

// listenForWebhooks shows arriving webhooks until the process ends.
func listenForWebhooks(out io.Writer, port int, secret string, status int) error {
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening: submit jobs with \"webhook_url\": \"http://%s/\", to a node with --egress-allow 127.0.0.1/32\n", l.Addr())
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, Handler: showWebhooks(out, secret, status)}
	return server.Serve(l)
}

// showWebhooks prints each webhook as a line about it, and its body.
func showWebhooks(out io.Writer, secret string, status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
		if err != nil {
			http.Error(w, "the body is too large, or ended early", http.StatusBadRequest)
			return
		}
		verdict := "not verified: give --secret"
		if secret != "" {
			verdict = "verified"
			if err := webhook.Verify(r.Header, body, secret, time.Now()); err != nil {
				verdict = err.Error()
			}
		}
		text := fmt.Sprintf("%q", body)
		if json.Valid(body) {
			text = string(body)
		}
		to := terminal.To(out)
		to.Printf("%s  %.80q  %s\n", time.Now().Format(time.TimeOnly), r.Header.Get("webhook-id"), verdict)
		to.Text(text + "\n")
		w.WriteHeader(status)
	})
}
