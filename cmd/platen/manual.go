package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"platen.dev/deploy"
)

func manualCommand() *cobra.Command {
	return &cobra.Command{
		Use: "manual DIR", Short: "Write manual pages and shell completions into DIR",
		Long: `Write the manual pages, and the completions for bash, zsh and fish, into DIR. The pages are dated by SOURCE_DATE_EPOCH, if the
environment has it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return writeManual(c.Root(), args[0]) },
	}
}

func writeManual(root *cobra.Command, dir string) error {
	for _, name := range []string{"man/man1", "man/man5", "completion"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			return err
		}
	}
	header := doc.GenManHeader{Section: "1", Source: "platen " + release, Manual: "Platen"}
	for _, write := range []func() error{
		func() error { return doc.GenManTree(root, &header, filepath.Join(dir, "man/man1")) },
		func() error { return os.WriteFile(filepath.Join(dir, "man/man5/platen.toml.5"), configPage(), 0o644) },
		func() error { return root.GenBashCompletionFileV2(filepath.Join(dir, "completion/platen.bash"), true) },
		func() error { return root.GenZshCompletionFile(filepath.Join(dir, "completion/platen.zsh")) },
		func() error { return root.GenFishCompletionFile(filepath.Join(dir, "completion/platen.fish"), true) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// configPage returns platen.toml(5). Each paragraph of the sample becomes an entry: the settings, and the comment above them.
func configPage() []byte {
	var page strings.Builder
	page.WriteString("% PLATEN.TOML 5 \"\" \"platen " + release + "\" \"Platen\"\n# NAME\nplaten.toml - configuration of Platen\n\n# DESCRIPTION\n")
	for block := range strings.SplitSeq(strings.TrimSpace(deploy.Config), "\n\n") {
		page.WriteString(entry(block))
	}
	page.WriteString("# FILES\n`/etc/platen/platen.toml`\n: The configuration of the Debian package's service.\n\n# SEE ALSO\n**platen(1)**, **platen-serve(1)**\n")
	return md2man.Render([]byte(page.String()))
}

// entry formats a paragraph of the sample in Markdown.
func entry(block string) string {
	var section, text string
	var settings []string
	for line := range strings.SplitSeq(block, "\n") {
		switch comment, is := strings.CutPrefix(line, "#"); {
		case is:
			text += strings.ReplaceAll(comment, "<", `\<`)
		case strings.HasPrefix(line, "["):
			section = "# " + line + "\n"
		default:
			settings = append(settings, "`"+line+"`")
		}
	}
	text = strings.TrimSpace(text) + "\n\n"
	if len(settings) > 0 {
		text = strings.Join(settings, ", ") + "\n: " + text
	}
	return section + text
}
