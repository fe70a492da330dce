// Package manual shows declared commands as manual pages, in the language of man(7), and as completion for bash,
// zsh and fish. What it writes follows from the declarations alone: nothing about a single command is
// written here.
package manual

import (
	"flag"
	"strings"
	"time"

	"platen.dev/cmd/platen/cli"
)

// Book is what the manual is about.
type Book struct {
	Summary  string // a sentence about platen
	Notes    string // what holds for several commands
	Commands []cli.Command
	Config   string // the sample of the configuration: TOML with comments above the settings
	Version  string
	Day      time.Time // of the pages
}

// Files returns the text of each file by its path: manual pages in man/man1 and man/man5, completion in
// completion.
func (b Book) Files() map[string]string {
	words := wordsOf(b.Commands)
	return map[string]string{
		"man/man1/platen.1":       b.platen(),
		"man/man1/platen-serve.1": b.serve(),
		"man/man1/platen-admin.1": b.admin(),
		"man/man5/platen.toml.5":  b.config(),
		"completion/platen.bash":  bash(words),
		"completion/platen.zsh":   zsh(words),
		"completion/platen.fish":  fish(words),
	}
}

// below returns the commands whose first word is name, and the others.
func (b Book) below(name string) (those, others []cli.Command) {
	for _, c := range b.Commands {
		if first, _, _ := strings.Cut(c.Name, " "); first == name {
			those = append(those, c)
		} else {
			others = append(others, c)
		}
	}
	return those, others
}

// flagsOf returns the flags of a command, sorted by name.
func flagsOf(c cli.Command) (all []*flag.Flag) {
	if c.Flags != nil {
		c.Flags.VisitAll(func(f *flag.Flag) { all = append(all, f) })
	}
	return all
}
