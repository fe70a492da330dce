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
	var status cli.Exit
	if errors.As(err, &status) {
		os.Exit(int(status))
	}
	fmt.Fprintln(os.Stderr, "platen:", err)
	os.Exit(1)
}

// commands declares every command.
func commands() []cli.Command {
	cfg := node.NewConfig()
	var check, extract invoiceFlags
	all := []cli.Command{{Name: "serve", Args: "[flags]", Help: "run a node (--help lists the flags)", Flags: serveFlags(&cfg)}}
	var asJSON bool
	doctored := cfg
	all = append(all, cli.Command{Name: "doctor", Args: "[flags]", Help: "look whether a node can run on this host, with the flags of serve, and say what to do; its status is 1 if it cannot; --json", Flags: doctorFlags(&doctored, &asJSON)})
	all = append(all, cli.Command{
		Name: "drain", Help: "have a node of a cluster give up its partitions and jobs, and be not ready, until it is undrained or ends; --wait, --timeout TIME",
		Flags: (&drainOptions{data: cfg.Data}).flags("drain"),
	}, cli.Command{Name: "undrain", Help: "have it take its share again", Flags: (&drainOptions{data: cfg.Data}).flags("undrain")})
	all = append(all, cli.Command{
		Name: "status", Help: "show how the nodes of a cluster are; its status is 0 if all is well, 1 if something needs attention, 2 if the node does not answer; --watch, --interval TIME, --json",
		Flags: (&statusOptions{data: cfg.Data}).flags(),
	})
	all = append(all, admin.Commands(cfg.Data)...)
	return append(
		all,
		cli.Command{Name: "restore", Args: "--from PLACE [flags]", Help: "restore a backup into an empty log and empty stores; --backup NAME, and the flags of serve", Flags: (&restoreOptions{cfg: cfg}).flags()},
		cli.Command{Name: "log dump", Args: "[flags]", Help: "print commands and journal, without content; --account ID, --job ID, --from TIME, --json", Flags: (&dumpOptions{cfg: cfg}).flags()},
		cli.Command{Name: "log salvage", Args: "[flags]", Help: "copy what is readable of a damaged embedded log, while no node runs, and say what is lost; --to DIR, --partitions NUMBER", Flags: (&salvageOptions{cfg: cfg}).flags()},
		cli.Command{Name: "events tail", Args: "[flags]", Help: "show public events as they happen; --type TYPE, --account ID, --since TIME, --once, --json", Flags: (&tailOptions{data: cfg.Data}).flags()},
		cli.Command{Name: "einvoice check", Args: "FILE", Help: "check an XML invoice, or a hybrid PDF; --profile PROFILE", Flags: check.flags("check")},
		cli.Command{Name: "einvoice extract", Args: "FILE", Help: "print the XML of a hybrid PDF; --out FILE", Flags: extract.flags("extract")},
		cli.Command{Name: "webhook listen", Help: "show and verify the webhooks that arrive; --port PORT, --secret SECRET, --answer STATUS", Flags: new(listenOptions).flags()},
		cli.Command{Name: "ready", Help: "ask a node whether it is ready; its status is 0 if so; --url URL", Flags: new(readyOptions).flags()},
		cli.Command{Name: "capacity", Args: "--jobs RATE [flags]", Help: "estimate what a cluster needs for so many jobs; --mix SHARES, --hosts NUMBER, --costs FILE, --json; its status is 1 if the hosts are not enough", Flags: new(capacityOptions).flags()},
		cli.Command{Name: "manual", Args: "DIR", Help: "write the manual pages and the completion for bash, zsh and fish into DIR"},
		cli.Command{Name: "version", Help: "print the version"},
	)
}

const (
	summary    = "platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through durable jobs."
	usageNotes = `The admin commands, but for "admin cluster", and "drain", "undrain", "status" and "events tail" talk to a running node through <data>/admin.sock; --data names its data directory. PLAN is free,
starter, pro or business. "log dump" asks a running node, too, or else reads the log itself. The e-invoice commands need
no node.
`
)

func usage() string { return summary + "\n\nUsage:\n\n" + cli.Usage(commands()) + "\n" + usageNotes }

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
	case "doctor":
		return examineHost(args[1:], stdout, stderr)
	case "drain", "undrain":
		return drainNode(args[0], args[1:], node.NewConfig().Data, stdout, stderr)
	case "status":
		return showStatus(args[1:], node.NewConfig().Data, stdout, stderr)
	case "admin":
		return admin.Run(args[1:], node.NewConfig().Data, stdout, stderr)
	case "log":
		return runLog(args[1:], stdout, stderr)
	case "events":
		return tailEvents(args[1:], stdout, stderr)
	case "einvoice":
		return eInvoice(args[1:], stdout, stderr)
	case "webhook":
		return listenForWebhooks(args[1:], stdout, stderr)
	case "ready":
		return askReady(args[1:], stdout, stderr)
	case "capacity":
		return estimateCapacity(args[1:], stdout, stderr)
	case "manual":
		return writeManual(args[1:], stderr)
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
