package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"platen.dev/actors/webhook"
	"platen.dev/cmd/platen/cli"
)

// maxWebhook bounds the body of a webhook that is shown, in bytes.
const maxWebhook = 64 << 10

// listenForWebhooks runs `platen webhook listen`: for those who develop a receiver, it shows what
// arrives, and whether the signature is right. It ends with the process.
func listenForWebhooks(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 || args[0] != "listen" {
		fmt.Fprint(stderr, usage())
		return cli.ErrUsage
	}
	var o listenOptions
	flags := o.flags()
	flags.SetOutput(stderr)
	plain, err := cli.Parse(flags, args[1:])
	if err != nil {
		return err
	}
	if len(plain) > 0 || o.status < 200 || o.status > 599 {
		return fmt.Errorf("webhook listen takes flags only, and a status from 200 to 599")
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.port))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening: submit jobs with \"webhook_url\": \"http://%s/\", to a node with --egress-allow 127.0.0.1/32\n", l.Addr())
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, Handler: showWebhooks(stdout, o.secret, o.status)}
	return server.Serve(l)
}

// listenOptions are what the flags of `platen webhook listen` say.
type listenOptions struct {
	port, status int
	secret       string
}

func (o *listenOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen webhook listen", flag.ContinueOnError)
	flags.IntVar(&o.port, "port", 8099, "listen on `PORT` of 127.0.0.1; 0 picks one")
	flags.StringVar(&o.secret, "secret", "", "verify with `SECRET` (whsec_…; platen admin webhook secret show)")
	flags.IntVar(&o.status, "answer", http.StatusNoContent, "answer with `STATUS`, to see what is tried again")
	return flags
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
		fmt.Fprintf(out, "%s  %.80q  %s\n%s\n", time.Now().Format(time.TimeOnly), r.Header.Get("webhook-id"), verdict, text)
		w.WriteHeader(status)
	})
}
