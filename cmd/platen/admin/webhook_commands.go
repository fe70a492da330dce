package admin

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"platen.dev/cmd/platen/logdump"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/cmd/platen/textfile"
	"platen.dev/events"
	"platen.dev/projections"
)

// This file has the commands about webhooks.

func runShowSecrets(c call) error {
	var shown webhookSecrets
	err := c.client.do("GET", c.path("webhook-secrets"), nil, &shown)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("%s\n", shown.Secrets[0])
		for _, secret := range shown.Secrets[1:] {
			w.Printf("%s\tuntil %s\n", secret, formatTime(shown.Overlap))
		}
	})
}

func runRotateSecret(c call) error {
	var made webhookSecrets
	err := c.client.wait(c.path("webhook-secrets"), overlapRequest{int64(c.overlap / time.Second), c.ends}, &made)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("%s\nthe secret before signs too for %s; give receivers the new one meanwhile\n", made.Secrets[0], c.overlap)
	})
}

func runSetHeader(c call) error {
	value := c.args[2]
	if value == "-" {
		b, err := io.ReadAll(os.Stdin)
		if err == nil {
			b, err = textfile.Decode("standard input", b)
		}
		if err != nil {
			return err
		}
		value = strings.TrimSpace(string(b))
	}
	err := c.client.do("PUT", c.headerPath(), valueRequest{value}, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("all webhooks of account %s have the header %s\n", c.args[0], c.args[1])
	})
}

func runListHeaders(c call) error {
	var list headerNames
	err := c.client.do("GET", c.path("webhook-headers"), nil, &list)
	return c.print(err, func(w terminal.Lines) {
		for _, name := range list.Names {
			w.Printf("%s\n", name)
		}
	})
}

func runDeleteHeader(c call) error {
	err := c.client.do("DELETE", c.headerPath(), nil, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("webhooks of account %s have the header %s no more\n", c.args[0], c.args[1])
	})
}

func (c call) headerPath() string { return c.path("webhook-headers/" + url.PathEscape(c.args[1])) }

func runListAttempts(c call) error {
	var log projections.WebhookLog
	err := c.client.do("GET", c.jobPath(), nil, &log)
	return c.print(err, func(w terminal.Lines) {
		w.Text("ATTEMPT\tBEGAN\tSTATUS\tTOOK\tOUTCOME\tNEXT\tANSWER OR ERROR\n")
		for _, a := range log.Attempts {
			status := "-"
			if a.Status > 0 {
				status = fmt.Sprint(a.Status)
			}
			w.Printf("%d\t%s\t%s\t%d ms\t%s\t%s\t%q\n", a.Number, formatTime(a.Began()), status, a.Millis,
				cmp.Or(string(a.Outcome), "failed"), formatTime(a.Next), cmp.Or(a.Error, a.Answer))
		}
	})
}

// redeliver sends the webhook of one job again, or those of an account.
func runRedeliver(c call) error {
	if c.account == "" {
		if len(c.args) != 1 || c.since != "" || c.failed {
			return errors.New("name one job, or --account ID with --since TIME, --failed or both")
		}
		err := c.client.wait(c.jobPath(), nil, nil)
		return c.print(err, func(w terminal.Lines) { w.Printf("the webhook of job %s is sent again\n", c.args[0]) })
	}
	if len(c.args) > 0 || c.since == "" && !c.failed {
		return errors.New("with --account, give --since TIME, --failed or both, and no job")
	}
	since, err := sinceOf(c.since, time.Now())
	if err != nil {
		return err
	}
	var done redelivered
	err = c.client.wait("/accounts/"+url.PathEscape(c.account)+"/webhooks", redeliverRequest{since, c.failed}, &done)
	return c.print(err, func(w terminal.Lines) { w.Printf("%d webhooks of account %s are sent again\n", done.Count, c.account) })
}

// sinceOf reads a time, or how long ago it was; "" means the beginning.
func sinceOf(text string, now time.Time) (events.Instant, error) {
	if text == "" {
		return 0, nil
	}
	at, err := logdump.ParseFrom(text, now)
	if err != nil {
		return 0, fmt.Errorf("--since: %w", err)
	}
	return events.At(at), nil
}

func (c call) jobPath() string { return "/jobs/" + url.PathEscape(c.args[0]) + "/webhooks" }
