package admin

import (
	"io"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen.dev/cmd/platen/terminal"
)

// call is one run of a command, with its parsed flags and arguments.
type call struct {
	client        Client
	args          []string
	out, progress io.Writer // progress is for commands that take a long time

	data         string // directory of the node
	plan, anchor string // of a new account
	test         bool   // the new key is for test mode
	id, name     string // of a template; or the name of a key
	role         string // of a member
	overlap      time.Duration
	ends         bool // an overlap that is under way may end
	// Webhooks to send again: of an account, of jobs that ended since a time, and only the failed ones.
	account, since string
	failed         bool
	// A correction of usage.
	units, bytes int64
	reason, ref  string
	// A query of the usage ledger.
	from, to, bucket, timeZone, groupBy string
	csv, entries                        bool
	check                               bool // only check
	repair                              bool // of backups
	raise                               bool // the feature level
	json                                bool // output for scripts
	trust                               bool // a snapshot that nothing can confirm
	keep                                int  // backups
}

// command declares a command. The words of use after its name are its arguments, optional ones in brackets; required flags may follow.
func (c *call) command(use, short string, run func(call) error, declare ...func(*pflag.FlagSet)) *cobra.Command {
	least, most := arity(use)
	command := &cobra.Command{
		Use: use, Short: short, Args: cobra.MatchAll(cobra.MinimumNArgs(least), cobra.MaximumNArgs(most)),
		RunE: func(command *cobra.Command, args []string) error {
			c.client, c.args = NewClient(c.data), args
			c.out, c.progress = command.OutOrStdout(), command.ErrOrStderr()
			return run(*c)
		},
	}
	for _, flags := range declare {
		flags(command.Flags())
	}
	return command
}

// arity returns the minimum and the maximum number of arguments.
func arity(use string) (least, most int) {
	names, _, _ := strings.Cut(use, " --")
	most = len(strings.Fields(names)) - 1
	return most - strings.Count(names, "["), most
}

// parent declares a command that only has subcommands.
func parent(name, short string, below ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short}
	c.AddCommand(below...)
	return c
}

// path returns a route below the account that the first argument names.
func (c call) path(rest string) string {
	return "/accounts/" + url.PathEscape(c.args[0]) + "/" + rest
}

// print writes aligned columns, or returns err if that is not nil.
func (c call) print(err error, write func(terminal.Lines)) error {
	if err != nil {
		return err
	}
	return terminal.Table(c.out, write)
}

// say writes a line; the format must include the line end.
func (c call) say(format string, args ...any) { terminal.To(c.out).Printf(format, args...) }
