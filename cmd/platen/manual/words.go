package manual

import (
	"flag"
	"slices"
	"strings"

	"platen.dev/cmd/platen/cli"
)

// place is where a user is who has typed some words: what may come next.
type place struct {
	at    string // the words so far, "" for none, "admin account"
	next  []word
	flags []option
	args  kind // of the arguments
}

// word is the next word of a command; help is that of the command that it completes, if it does.
type word struct{ text, help string }

// option is a flag.
type option struct {
	name, help string
	value      kind
	taken      bool // whether a value follows
}

// kind is what an argument or a value is made from: "file", "dir", values with spaces between them, or "".
type kind string

const anyFile, anyDir kind = "file", "dir"

// kinds are the names of values, in usages and arguments, of which the shell knows some.
var kinds = map[string]kind{
	"FILE": anyFile, "DIR": anyDir, "PLAN": "free starter pro business", "LEVEL": "debug info warn error", "FORMAT": "text json",
	"BUCKET": "total hour day month window",
}

// wordsOf returns all places, those that are nearer to the root first.
func wordsOf(commands []cli.Command) (all []*place) {
	for _, c := range commands {
		at := find(&all, "")
		for _, text := range strings.Fields(c.Name) {
			i := slices.IndexFunc(at.next, func(w word) bool { return w.text == text })
			if i < 0 {
				at.next = append(at.next, word{text: text})
				i = len(at.next) - 1
			}
			name := strings.TrimSpace(at.at + " " + text)
			if name == c.Name {
				at.next[i].help = c.Help
			}
			at = find(&all, name)
		}
		at.fill(c)
	}
	return all
}

func find(all *[]*place, at string) *place {
	for _, p := range *all {
		if p.at == at {
			return p
		}
	}
	p := &place{at: at}
	*all = append(*all, p)
	return p
}

// fill notes the flags and the arguments of the command that a place is the end of.
func (p *place) fill(c cli.Command) {
	for _, f := range flagsOf(c) {
		value, usage := flag.UnquoteUsage(f)
		p.flags = append(p.flags, option{f.Name, usage, kinds[value], value != ""})
	}
	for _, arg := range strings.Fields(c.Args) {
		if k := kinds[strings.Trim(arg, "[]")]; k != "" && !strings.Contains(c.Args, "--") {
			p.args = k
		}
	}
}

// quote makes one word for a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
