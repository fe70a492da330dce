package cli

import (
	"flag"
	"fmt"
	"strings"
)

// Command is how a command is declared to people: `platen help`, the manual and the shells' completion say so.
type Command struct {
	// Name is what is typed after platen: "serve", "admin account create".
	Name string
	// Args names the arguments as a line of usage does: "ID [FILE]". Needed flags may be among them.
	Args string
	// Help is one line, which begins with a verb.
	Help string
	// Flags are those that the command takes; nil is none.
	Flags *flag.FlagSet
}

// Line is how the command is called.
func (c Command) Line() string {
	return strings.Join(strings.Fields("platen "+c.Name+" "+c.Args), " ")
}

// Usage lists commands, one per line.
func Usage(commands []Command) string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-41s %s\n", c.Line(), c.Help)
	}
	return b.String()
}
