// Command platen turns web pages, HTML and Markdown into PDFs and images through durable jobs.
// `platen help` lists what it can do.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "platen:", err)
		os.Exit(1)
	}
}

// errUsage tells that the usage was shown already.
var errUsage = errors.New("usage")

const usage = `platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through durable jobs.

Usage:

  platen serve [flags]                      run a node (--help lists the flags)
  platen admin account create --plan PLAN   open an account [--anchor TIME]
  platen admin account list                 list the accounts
  platen admin account usage ID             show quota, reserved, used and the window
  platen admin account set-plan ID PLAN     move an account to another plan
  platen admin account set-anchor ID TIME   let the quota windows run from TIME (RFC 3339, past)
  platen admin account set-file-limit ID MB let files have MB megabytes; 0 for the plan's 150
  platen admin account set-blocks ID N      N extra blocks of 1 GB a month (business plan)
  platen admin key create ID [--test]       make an API key; its secret is shown once
  platen admin key list ID                  list an account's keys
  platen admin key revoke ID KEY            make a key invalid
  platen admin template put ID FILE         save a block template for e-invoices (JSON); --id TPL replaces one, --name NAME
  platen admin template list ID             list the templates of an account
  platen admin template show ID TPL         print a template; "builtin" is the one of those who have none
  platen admin template set-default ID TPL  show e-invoices that name no template by this one, or by "builtin"
  platen admin template delete ID TPL       delete a template; accepted jobs keep it
  platen einvoice check FILE                check an XML invoice, or a hybrid PDF; --profile PROFILE
  platen einvoice extract FILE              print the XML of a hybrid PDF; --out FILE
  platen version                            print the version

The e-invoice commands need no node. The admin commands talk to a running node through <data>/admin.sock; --data
names its data directory. PLAN is free, starter, pro or business.
`

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return errUsage
	}
	switch args[0] {
	case "serve":
		return serve(args[1:], stdout, stderr)
	case "admin":
		return admin(args[1:], stdout, stderr)
	case "einvoice":
		return eInvoice(args[1:], stdout, stderr)
	case "version":
		_, err := fmt.Fprintln(stdout, "platen", version())
		return err
	case "help", "--help", "-h":
		_, err := fmt.Fprint(stdout, usage)
		return err
	}
	fmt.Fprintf(stderr, "platen: unknown command %q\n\n%s", args[0], usage)
	return errUsage
}
