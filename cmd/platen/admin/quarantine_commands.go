package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"platen.dev/cmd/platen/terminal"
)

// This file has the commands about the quarantine.

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
	return c.print(nil, func(w terminal.Lines) {
		if len(list.Commands) == 0 {
			w.Text("no command is in quarantine\n")
		} else {
			w.Text("PARTITION\tCAUSE\tACCOUNT\tCOMMAND\tSINCE\tREASON\n")
		}
		for _, q := range list.Commands {
			w.Printf("%d\t%d\t%s\t%s\t%s\t%s\n", q.Partition, q.Cause, q.Account, q.Command, formatTime(q.At), q.Reason)
		}
	})
}

// printLines writes one object per line.
func (c call) printLines(all []quarantined) error {
	lines := json.NewEncoder(terminal.Escaped(c.out))
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
		return json.NewEncoder(terminal.Escaped(c.out)).Encode(shown)
	}
	err := c.print(nil, func(w terminal.Lines) {
		w.Printf("account\t%s\ncommand\t%s\nset aside\t%s\nreason\t%s\n", shown.Account, shown.Command, formatTime(shown.At), shown.Reason)
		if shown.Gone != "" {
			w.Printf("record\t%s\n", shown.Gone)
		}
	})
	if err == nil {
		_, err = io.WriteString(terminal.Escaped(c.out), shown.Record)
	}
	return err
}

func runRetryQuarantined(c call) error {
	var out retried
	if err := c.client.wait(c.quarantinePath(), nil, &out); err != nil {
		return err
	}
	if again := out.Again; again != nil {
		return fmt.Errorf("it was set aside again, and is in quarantine as command %d of partition %d: %s", again.Cause, again.Partition, again.Reason)
	}
	return c.print(nil, func(w terminal.Lines) {
		w.Printf("command %s of partition %s was sent again and decided%s\n", c.args[1], c.args[0], out.word())
	})
}

// word returns the reply as the end of a sentence.
func (r retried) word() string {
	if r.Reply == "" {
		return ""
	}
	return ": " + string(r.Reply)
}

func runDropQuarantined(c call) error {
	err := c.client.do("DELETE", c.quarantinePath(), nil, nil)
	return c.print(err, func(w terminal.Lines) {
		w.Printf("command %s of partition %s is dropped; its record is trimmed like others\n", c.args[1], c.args[0])
	})
}
