package main

import (
	"flag"
	"fmt"
	"io"
	"time"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/cli"
)

// drainOptions are what the flags of `platen drain` and `platen undrain` say.
type drainOptions struct {
	data    string
	wait    bool
	timeout time.Duration
}

func (o *drainOptions) flags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet("platen "+name, flag.ContinueOnError)
	flags.StringVar(&o.data, "data", o.data, "data `DIR` of the running node")
	if name == "drain" {
		flags.BoolVar(&o.wait, "wait", false, "wait until the node is empty")
		flags.DurationVar(&o.timeout, "timeout", 5*time.Minute, "with --wait: give up after `TIME`; the node goes on draining")
	}
	return flags
}

// drainPause is the pause between two looks at a node that drains.
const drainPause = 250 * time.Millisecond

// drainNode runs `platen drain` and `platen undrain`.
func drainNode(name string, args []string, data string, stdout, stderr io.Writer) error {
	o := drainOptions{data: data}
	if err := cli.ParseOnly(o.flags(name), args, stderr); err != nil {
		return err
	}
	client := admin.NewClient(o.data)
	if name == "undrain" {
		if _, err := client.Undrain(); err != nil {
			return err
		}
		_, err := fmt.Fprintln(stdout, "the node takes its share again")
		return err
	}
	d, err := client.Drain()
	for began := time.Now(); err == nil && o.wait && !d.Empty(); d, err = client.Drainage() {
		if time.Since(began) > o.timeout {
			return fmt.Errorf("not empty within %s: %s left; it goes on draining", o.timeout, left(d))
		}
		if d.Kept {
			return fmt.Errorf("no other node is up that is not draining, so the node keeps its share: %s left; it drains when another is up", left(d))
		}
		if !d.Draining {
			return fmt.Errorf("the node was taken back meanwhile: %s left", left(d))
		}
		time.Sleep(drainPause)
	}
	if err != nil {
		return err
	}
	if d.Empty() {
		_, err = fmt.Fprintln(stdout, "the node is empty: it can be stopped")
	} else {
		_, err = fmt.Fprintf(stdout, "the node drains: %s left\n", left(d))
	}
	return err
}

func left(d service.Drainage) string {
	return fmt.Sprintf("%d partitions, %d jobs that wait, %d attempts", d.Partitions, d.Waiting, d.Running)
}
