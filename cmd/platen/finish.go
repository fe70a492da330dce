package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// finish gives the declared commands their common behaviour: a command with subcommands refuses to be called itself, and the shell completes
// arguments and values by their names.
func finish(root *cobra.Command) {
	root.CompletionOptions.DisableDefaultCmd = true // `platen manual` writes the scripts
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(), "{{if .HasAvailableSubCommands}}\n  {{.CommandPath}} [command]{{end}}", "", 1))
	each(root, func(c *cobra.Command) {
		if c.HasSubCommands() && !c.Runnable() {
			c.Use += " COMMAND"
			c.DisableFlagsInUseLine, c.SuggestionsMinimumDistance = true, 2
			c.Args, c.RunE = needsCommand, func(*cobra.Command, []string) error { return wrongUsage } // Args refuses every call
		}
		offer(c)
	})
}

// each calls do with a command and all its subcommands.
func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, below := range c.Commands() {
		each(below, do)
	}
}

// needsCommand reports which subcommand of c is missing or unknown, with similar names.
func needsCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%q needs a command", c.CommandPath())
	}
	near := ""
	if names := c.SuggestionsFor(args[0]); len(names) > 0 {
		near = fmt.Sprintf("; did you mean %s?", strings.Join(names, " or "))
	}
	return fmt.Errorf("unknown command %q for %q%s", args[0], c.CommandPath(), near)
}

// completions are the completions of arguments and values, by their names in usage lines.
var completions = map[string]cobra.CompletionFunc{
	"FILE":   cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
	"DIR":    cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
	"PLAN":   words("free", "starter", "pro", "business"),
	"ROLE":   words("owner", "developer", "billing"),
	"LEVEL":  words("debug", "info", "warn", "error"),
	"FORMAT": words("text", "json"),
	"BUCKET": words("total", "hour", "day", "month", "window"),
}

func words(all ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// offer lets the shell complete the arguments and the values of a command.
func offer(c *cobra.Command) {
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		name, _ := pflag.UnquoteUsage(f)
		if complete := completions[name]; complete != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // it fails for flags that do not exist, or have a completion
		}
	})
	names := strings.Fields(c.Use)[1:]
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) < len(names) {
			if complete := completions[strings.Trim(names[len(args)], "[]")]; complete != nil {
				return complete(c, args, typed)
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
