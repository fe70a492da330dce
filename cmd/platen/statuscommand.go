package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"platen.dev/actors/status"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
)

// The exit statuses of `platen status`.
const (
	exitAttention exitStatus = 1 // something needs attention
	exitNoAnswer  exitStatus = 2 // the node does not answer
)

// statusOptions holds the flags of `platen status`.
type statusOptions struct {
	data        string
	watch, json bool
	interval    time.Duration
}

func statusCommand() *cobra.Command {
	o := statusOptions{data: node.NewConfig().Data}
	c := &cobra.Command{
		Use: "status", Short: "Show the state of all nodes, and what needs attention",
		Long: `Show the state of all nodes of a cluster, asked through one of them, and what needs attention. The exit status is 0 if all is
well, 1 if something needs attention, 2 if the node does not answer.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.interval < 100*time.Millisecond {
				return fmt.Errorf("--interval must be at least 100ms, not %s", o.interval)
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			s := statusScreen{options: o, client: admin.NewClient(o.data), out: c.OutOrStdout(), errs: c.ErrOrStderr()}
			return s.run(ctx)
		},
	}
	flags := c.Flags()
	dataFlag(c, &o.data)
	flags.BoolVar(&o.watch, "watch", false, "refresh until Ctrl-C")
	flags.DurationVar(&o.interval, "interval", 2*time.Second, "with --watch, refresh every `TIME`, at least 100ms")
	flags.BoolVar(&o.json, "json", false, "print JSON; with --watch, one document per line")
	return c
}

// statusScreen shows reports, once or repeatedly.
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
	if ctx.Err() != nil { // Ctrl-C: the last screen stays
		return nil
	}
	if err != nil {
		fmt.Fprint(s.out, s.clearing())
		terminal.To(s.errs).Text("platen: " + err.Error() + "\n")
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
	e := json.NewEncoder(terminal.Escaped(s.out))
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

// clearing returns what empties the terminal before the next report.
func (s statusScreen) clearing() string {
	if _, terminal := widthOf(s.out); terminal && s.options.watch && !s.options.json {
		return "\x1b[H\x1b[2J"
	}
	return ""
}

// styleOf returns the style for a terminal, or for a file. NO_COLOR and a dumb terminal get no colour
// (no-color.org).
func styleOf(out io.Writer) status.Style {
	width, terminal := widthOf(out)
	return status.Style{Width: width, Colour: terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// widthOf returns the number of characters in a line of a terminal.
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
