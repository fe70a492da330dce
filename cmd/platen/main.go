// Command platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through
// durable jobs. `platen help` lists its commands.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/convert"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
)

func main() { exit(run(arguments(os.Args), os.Stdout, os.Stderr)) }

// arguments returns the arguments of a call. By the name of wkhtmltopdf, the program is the command of that name.
func arguments(call []string) []string {
	if filepath.Base(call[0]) == "wkhtmltopdf" {
		return append([]string{"wkhtmltopdf"}, call[1:]...)
	}
	return call[1:]
}

// exitStatus is an error that ends the process with this status. Its reason has already been printed.
type exitStatus int

// Error implements error.
func (e exitStatus) Error() string { return fmt.Sprint("exit with status ", int(e)) }

// wrongUsage is the status of a call that names no command, or a command with wrong flags or arguments.
const wrongUsage exitStatus = 2

// exit ends the process with the status for a command's error, and prints the error unless that has been done.
func exit(err error) {
	var status exitStatus
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &status):
		os.Exit(int(status))
	}
	terminal.To(os.Stderr).Text("platen: " + err.Error() + "\n")
	var other *convert.ExitError
	if errors.As(err, &other) {
		os.Exit(other.Status)
	}
	os.Exit(1)
}

// run runs the command that args name. A wrong call is explained on stderr, with the usage of a command that is a group of others.
func run(args []string, stdout, stderr io.Writer) error {
	root := platen()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	accepted := false
	root.PersistentPreRun = func(*cobra.Command, []string) { accepted = true }
	called, err := root.ExecuteC()
	if err != nil && !accepted {
		usage := fmt.Sprintf("Run '%s --help' for its usage.\n", called.CommandPath())
		if called.HasSubCommands() {
			usage = "\n" + called.UsageString()
		}
		terminal.To(stderr).Text(fmt.Sprintf("platen: %v\n%s", err, usage))
		return wrongUsage
	}
	return err
}

// platen declares every command.
func platen() *cobra.Command {
	root := &cobra.Command{
		Use: "platen", Short: "Turn web pages, HTML, Markdown and e-invoices into PDFs and images",
		Long: `Platen turns web pages, HTML, Markdown and e-invoices into PDFs and images through durable jobs.

"admin", "drain", "undrain", "status" and "events tail" talk to a running node through the socket admin.sock in its data
directory, which --data names, so they run as the node's user or as root.`,
		SilenceErrors: true, SilenceUsage: true, DisableAutoGenTag: true,
	}
	root.AddGroup(
		&cobra.Group{ID: "node", Title: "Run a node:"},
		&cobra.Group{ID: "operate", Title: "Operate nodes:"},
		&cobra.Group{ID: "offline", Title: "Work without a node:"},
	)
	grouped(root, "node", serveCommand(node.Options{HoldEvents: os.Getenv(holdEvents) != ""}), doctorCommand(), readyCommand())
	grouped(root, "operate", statusCommand(), drainCommand(), undrainCommand(), admin.Command(node.NewConfig().Data), eventsCommand(), logCommand())
	grouped(root, "offline", convert.Command(version()), convert.Wkhtmltopdf(version()), restoreCommand(), einvoiceCommand(), webhookCommand())
	root.AddCommand(manualCommand(), versionCommand())
	finish(root)
	return root
}

func grouped(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

// parent declares a command that only has subcommands.
func parent(name, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short}
	c.AddCommand(below...)
	return c
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "platen", version())
			return err
		},
	}
}
