package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/cli"
	"platen.dev/actors/status"
)

// The statuses with which `platen status` ends.
const (
	exitAttention = cli.Exit(1) // something needs attention
	exitNoAnswer  = cli.Exit(2) // the node does not answer
)

// statusOptions are what the flags of `platen status` say.
type statusOptions struct {
	data        string
	watch, json bool
	interval    time.Duration
}

func (o *statusOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("platen status", flag.ContinueOnError)
	flags.StringVar(&o.data, "data", o.data, "data `DIR` of the running node that is asked")
	flags.BoolVar(&o.watch, "watch", false, "show it again and again, until Ctrl-C")
	flags.DurationVar(&o.interval, "interval", 2*time.Second, "with --watch: every so often, `TIME`, at least 100ms")
	flags.BoolVar(&o.json, "json", false, "print a JSON document; with --watch one per line")
	return flags
}

// showStatus runs `platen status`.
func showStatus(args []string, data string, stdout, stderr io.Writer) error {
	o := statusOptions{data: data}
	if err := cli.ParseOnly(o.flags(), args, stderr); err != nil {
		return err
	}
	if o.interval < 100*time.Millisecond {
		return fmt.Errorf("--interval must be at least 100ms, not %s", o.interval)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := statusScreen{options: o, client: admin.NewClient(o.data), out: stdout, errs: stderr}
	return s.run(ctx)
}

// statusScreen shows reports, one or many.
type statusScreen struct {
	options   statusOptions
	client    admin.Client
	out, errs io.Writer
}

// run shows the status once or, with --watch, until ctx ends. It returns nil if the last one is well.
func (s statusScreen) run(ctx context.Context) error {
	for {
		err := s.show(ctx)
		if !s.options.watch {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(s.options.interval):
		}
	}
}

// show shows the status once.
func (s statusScreen) show(ctx context.Context) error {
	r, err := s.client.Status(ctx)
	if ctx.Err() != nil { // Ctrl-C: what was shown last stays
		return nil
	}
	if err != nil {
		fmt.Fprint(s.out, s.clearing())
		fmt.Fprintln(s.errs, "platen:", err)
		return exitNoAnswer
	}
	if err := s.print(r); err != nil {
		return err
	}
	if len(r.Attention) > 0 {
		return exitAttention
	}
	return nil
}

func (s statusScreen) print(r status.Report) error {
	e := json.NewEncoder(s.out)
	switch {
	case s.options.json && s.options.watch:
		return e.Encode(r)
	case s.options.json:
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	_, err := io.WriteString(s.out, s.clearing()+status.Table(r, styleOf(s.out)))
	return err
}

// clearing empties the terminal before what is watched is shown again.
func (s statusScreen) clearing() string {
	if _, terminal := widthOf(s.out); terminal && s.options.watch && !s.options.json {
		return "\x1b[H\x1b[2J"
	}
	return ""
}

// styleOf returns how to write for a terminal, or for a file. NO_COLOR and a dumb terminal get no colour
// (no-color.org).
func styleOf(out io.Writer) status.Style {
	width, terminal := widthOf(out)
	return status.Style{Width: width, Colour: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// widthOf returns how many characters fit into a line of a terminal.
func widthOf(out io.Writer) (width int, terminal bool) {
	f, is := out.(*os.File)
	if !is {
		return 0, false
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
