package admin

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"platen.dev/projections"
)

// This file has the commands about webhooks.

func (c call) showSecrets() error {
	var shown webhookSecrets
	err := c.client.do("GET", c.path("webhook-secrets"), nil, &shown)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n", shown.Secrets[0])
		for _, secret := range shown.Secrets[1:] {
			fmt.Fprintf(w, "%s\tuntil %s\n", secret, formatTime(shown.Overlap))
		}
	})
}

func (c call) rotateSecret() error {
	var made webhookSecrets
	err := c.client.do("POST", c.path("webhook-secrets"), overlapRequest{int64(c.overlap / time.Second)}, &made)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "%s\nthe secret before signs too for %s; give receivers the new one meanwhile\n", made.Secrets[0], c.overlap)
	})
}

func (c call) setHeader() error {
	value := c.args[2]
	if value == "-" {
		b, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		value = strings.TrimSpace(string(b))
	}
	err := c.client.do("PUT", c.headerPath(), valueRequest{value}, nil)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "all webhooks of account %s have the header %s\n", c.args[0], c.args[1])
	})
}

func (c call) listHeaders() error {
	var list headerNames
	err := c.client.do("GET", c.path("webhook-headers"), nil, &list)
	return c.print(err, func(w io.Writer) {
		for _, name := range list.Names {
			fmt.Fprintln(w, name)
		}
	})
}

func (c call) deleteHeader() error {
	err := c.client.do("DELETE", c.headerPath(), nil, nil)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "webhooks of account %s have the header %s no more\n", c.args[0], c.args[1])
	})
}

func (c call) headerPath() string { return c.path("webhook-headers/" + url.PathEscape(c.args[1])) }

func (c call) listAttempts() error {
	var log projections.WebhookLog
	err := c.client.do("GET", c.jobPath(), nil, &log)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "ATTEMPT\tAT\tSTATUS\tTOOK\tOUTCOME\tNEXT\tANSWER OR ERROR")
		for _, a := range log.Attempts {
			status := "-"
			if a.Status > 0 {
				status = fmt.Sprint(a.Status)
			}
			fmt.Fprintf(w, "%d\t%s\t%s\t%d ms\t%s\t%s\t%q\n", a.Number, formatTime(a.At), status, a.Millis,
				cmp.Or(string(a.Outcome), "failed"), formatTime(a.Next), cmp.Or(a.Error, a.Answer))
		}
	})
}

func (c call) redeliver() error {
	err := c.client.do("POST", c.jobPath(), nil, nil)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "the webhook of job %s is sent again\n", c.args[1]) })
}

func (c call) jobPath() string { return c.path("jobs/" + url.PathEscape(c.args[1]) + "/webhooks") }
