// Command demo shows Platen at work: it starts its own node, converts every document of a directory through every operation, and a long book of
// tables that it computes, verifies the webhook of each, and has a file delivered to a bucket. It leaves the files, a table of sizes and times, and a
// picture of the dashboard. It is an ordinary client of the HTTP API and uses none of Platen's code.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const usage = `demo starts a Platen node with a temporary data directory, converts every .html,
.md and .xml file of a directory, the pages of its folder web by their addresses,
and a long book of tables that it computes, and writes the files, summary.txt and a picture
of the dashboard. options.json in that directory gives some of the documents their own options. It
needs pdfinfo (poppler-utils) and chromium-headless-shell.

Usage: demo [flags]

`

// settings are the flags.
type settings struct {
	platen    string
	documents string
	out       string
	timeout   time.Duration
}

func main() {
	s := parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func parse() settings {
	var s settings
	flag.StringVar(&s.platen, "platen", "bin/platen", "the platen `BINARY` to start")
	flag.StringVar(&s.documents, "documents", "testdata/demo", "convert the documents in `DIR`")
	flag.StringVar(&s.out, "out", "out", "write the files and summary.txt into `DIR`")
	flag.DurationVar(&s.timeout, "timeout", 5*time.Minute, "give up after `DURATION`")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "demo: takes flags only, not %q\n", flag.Arg(0))
		os.Exit(2)
	}
	return s
}

// run is the whole demo. When it returns, even with an error, its node has ended and the node's data is deleted.
func run(ctx context.Context, s settings) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("not finished within %v", s.timeout))
	defer cancel()
	documents, err := collect(s.documents)
	if err != nil {
		return err
	}
	web := filepath.Join(s.documents, "web")
	pages := startSite(web)
	defer pages.Close()
	opened, err := pages.pages(web)
	if err != nil {
		return err
	}
	documents = append(documents, opened...)
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	hooks := startReceiver()
	defer hooks.Close()
	store, err := startBucket()
	if err != nil {
		return err
	}
	defer store.stop()
	n, err := startNode(ctx, s.platen, store.environment())
	if err != nil {
		return err
	}
	defer func() { err = n.stop(err) }()
	c := &client{base: n.base, key: n.key, hook: hooks.URL + "/hook"}
	results, err := convert(ctx, c, documents, s.out)
	if err != nil {
		return explain(ctx, err)
	}
	waited, err := c.wait(ctx, documents[0], s.out)
	if err != nil {
		return explain(ctx, err)
	}
	if store != nil {
		delivered, err := store.deliver(ctx, c, documents[0], s.out)
		if err != nil {
			return explain(ctx, err)
		}
		results = append(results, delivered)
	}
	secret, err := n.webhookSecret(ctx)
	if err == nil {
		err = hooks.await(ctx, results, secret, s.out)
	}
	if err != nil {
		return explain(ctx, err)
	}
	events, err := n.published(ctx, len(results)+1, s.out) // including the waited one
	if err != nil {
		return explain(ctx, err)
	}
	if err := n.charged(ctx, len(results)+1, s.out); err != nil {
		return explain(ctx, err)
	}
	if err := n.picture(ctx, s.out); err != nil {
		return explain(ctx, err)
	}
	return report(results, outcome{documents[0].name, waited, store != nil, events}, s.out)
}

// outcome is the result of the demo besides the files.
type outcome struct {
	again     string // the document that was waited for
	waited    time.Duration
	delivered bool
	events    int
}

// explain prefers the reason why a context ended to the errors that followed.
func explain(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return err
	case errors.Is(cause, context.Canceled):
		return errors.New("interrupted")
	}
	return cause
}

// report prints and saves the table, and lists what else was done.
func report(results []result, o outcome, out string) error {
	text := table(results)
	path := filepath.Join(out, "summary.txt")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Printf("\n%s\nA webhook arrived for every job, and every signature is right (webhook.json is the last one).\n", text)
	fmt.Printf("%s once more, by one request that waited for the file: %d ms (waited.pdf).\n", o.again, o.waited.Milliseconds())
	fmt.Printf("%d public events tell the story of these jobs and what they cost (events.txt).\n", o.events)
	fmt.Println("The usage ledger has charged exactly these jobs, and equals the log (usage.txt).")
	if o.delivered {
		fmt.Println("delivered.pdf went to a bucket of the demo's own, by a presigned URL; the node kept nothing of it.")
	}
	fmt.Println("The dashboard shows these jobs to people (overview.png).")
	fmt.Printf("The files and this table (%s) are in %s%c\n", filepath.Base(path), out, filepath.Separator)
	fmt.Printf("\nTo look around: make run starts the service again, with no jobs yet. Open %s, and sign in with one click.\n", dashboardURL)
	return nil
}
