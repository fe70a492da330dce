package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
)

// This file has the commands about what was set aside.

func (c call) quarantinePath() string {
	return "/quarantine/" + url.PathEscape(c.args[0]) + "/" + url.PathEscape(c.args[1])
}

func runListQuarantine(c call) error {
	var list quarantineList
	if err := c.client.do("GET", "/quarantine", nil, &list); err != nil {
		return err
	}
	if c.json {
		return c.printLines(list.Commands)
	}
	return c.print(nil, func(w io.Writer) {
		if len(list.Commands) == 0 {
			fmt.Fprintln(w, "no command is in quarantine")
		} else {
			fmt.Fprintln(w, "PARTITION\tCAUSE\tACCOUNT\tCOMMAND\tSINCE\tREASON")
		}
		for _, q := range list.Commands {
			fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\n", q.Partition, q.Cause, plain(string(q.Account)), q.Command, formatTime(q.At), plain(q.Reason))
		}
	})
}

// printLines writes an object per line.
func (c call) printLines(all []quarantined) error {
	lines := json.NewEncoder(c.out)
	for _, q := range all {
		if err := lines.Encode(q); err != nil {
			return err
		}
	}
	return nil
}

func runShowQuarantined(c call) error {
	var shown shownCommand
	if err := c.client.do("GET", c.quarantinePath(), nil, &shown); err != nil {
		return err
	}
	if c.json {
		return json.NewEncoder(c.out).Encode(shown)
	}
	err := c.print(nil, func(w io.Writer) {
		fmt.Fprintf(w, "account\t%s\ncommand\t%s\nset aside\t%s\nreason\t%s\n", plain(string(shown.Account)), shown.Command, formatTime(shown.At), plain(shown.Reason))
		if shown.Gone != "" {
			fmt.Fprintf(w, "record\t%s\n", plain(shown.Gone))
		}
	})
	if err == nil {
		_, err = io.WriteString(c.out, shown.Record)
	}
	return err
}

func runRetryQuarantined(c call) error {
	var out retried
	if err := c.client.do("POST", c.quarantinePath(), nil, &out); err != nil {
		return err
	}
	if again := out.Again; again != nil {
		return fmt.Errorf("it was set aside again, and is in quarantine as command %d of partition %d: %s", again.Cause, again.Partition, plain(again.Reason))
	}
	return c.print(nil, func(w io.Writer) {
		fmt.Fprintf(w, "command %s of partition %s was sent again and decided%s\n", c.args[1], c.args[0], out.word())
	})
}

// word is the reply as the end of a sentence.
func (r retried) word() string {
	if r.Reply == "" {
		return ""
	}
	return ": " + string(r.Reply)
}

func runDropQuarantined(c call) error {
	err := c.client.do("DELETE", c.quarantinePath(), nil, nil)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "command %s of partition %s is dropped; its record is trimmed like others\n", c.args[1], c.args[0])
	})
}
