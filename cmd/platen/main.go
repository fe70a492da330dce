// Command platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through
// durable jobs. `platen help` lists its commands.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/cli"
	"platen.dev/cmd/platen/node"
)

func main() { exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// exit ends the process with the status, and the reason, of how a command ended.
func exit(err error) {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		os.Exit(0)
	case errors.Is(err, cli.ErrUsage):
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "platen:", err)
	os.Exit(1)
}

func usage() string {
	return `platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through durable jobs.

Usage:

  platen serve [flags]                      run a node (--help lists the flags)
` + admin.Usage() + `  platen restore --from PLACE [flags]       restore a backup into an empty log and empty stores; --backup NAME, and the flags of serve
  platen log dump [flags]                   print commands and journal, without content; --account ID, --job ID, --from TIME, --json
  platen events tail [flags]                show public events as they happen; --type TYPE, --account ID, --since TIME, --once, --json
  platen einvoice check FILE                check an XML invoice, or a hybrid PDF; --profile PROFILE
  platen einvoice extract FILE              print the XML of a hybrid PDF; --out FILE
  platen webhook listen                     show and verify the webhooks that arrive; --port PORT, --secret SECRET, --answer STATUS
  platen version                            print the version

The admin commands, but for "admin cluster", and "events tail" talk to a running node through <data>/admin.sock; --data names its data directory. PLAN is free,
starter, pro or business. "log dump" asks a running node, too, or else reads the log itself. The e-invoice commands need
no node.
`
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage())
		return cli.ErrUsage
	}
	switch args[0] {
	case "serve":
		return serve(args[1:], stdout, stderr)
	case "restore":
		return restore(args[1:], stdout, stderr)
	case "admin":
		return admin.Run(args[1:], node.NewConfig().Data, stdout, stderr)
	case "log":
		return dumpLog(args[1:], stdout, stderr)
	case "events":
		return tailEvents(args[1:], stdout, stderr)
	case "einvoice":
		return eInvoice(args[1:], stdout, stderr)
	case "webhook":
		return listenForWebhooks(args[1:], stdout, stderr)
	case "version":
		_, err := fmt.Fprintln(stdout, "platen", version())
		return err
	case "help", "--help", "-h":
		_, err := fmt.Fprint(stdout, usage())
		return err
	}
	fmt.Fprintf(stderr, "platen: unknown command %q\n\n%s", args[0], usage())
	return cli.ErrUsage
}
