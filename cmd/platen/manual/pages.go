package manual

import (
	"fmt"
	"strings"
)

// platen is the page of all commands but those that have pages of their own.
func (b Book) platen() string {
	p := b.newPage("platen", 1, "documents from web pages, HTML, Markdown and e-invoices")
	p.section("Synopsis")
	p.WriteString(".B platen\n.I command\n.RI [ flags ]\n")
	p.section("Description")
	p.text(upper(b.Summary))
	p.WriteString(".PP\n")
	p.text(b.Notes)
	p.section("Commands")
	_, others := b.below("admin")
	for _, c := range others {
		if c.Name == "serve" {
			c.Flags = nil
			c.Help = "run a node: see platen-serve(1)"
		}
		p.command(c)
	}
	p.WriteString(".SS platen admin\nWork on accounts, keys, usage and the cluster: see platen\\-admin(1).\n")
	p.section("Exit status")
	p.sentences("It is 0 if the command did what it says, 2 if it was called wrongly, and else 1, unless its description says otherwise.")
	p.see("platen-serve(1)", "platen-admin(1)", "platen.toml(5)")
	return p.String()
}

func (b Book) serve() string {
	those, _ := b.below("serve")
	p := b.newPage("platen-serve", 1, "run a node of Platen")
	p.section("Synopsis")
	p.WriteString(".B platen serve\n.RI [ flags ]\n")
	p.section("Description")
	p.text(`The node serves the HTTP API until it is told to stop. Flags win over the configuration file.

As a service of systemd it says when it is ready, that it is alive, and that it stops.`)
	p.section("Options")
	for _, c := range those {
		p.flags(c)
	}
	p.section("Signals")
	p.WriteString(".TP\nSIGTERM, SIGINT\n")
	p.sentences("The node takes no more requests, finishes what is under way within drain_seconds, and ends. A second signal ends it at once.")
	p.WriteString(".TP\nSIGHUP\n")
	p.sentences("The node reads its certificates again. Other settings that have changed are logged: they need a restart.")
	p.see("platen(1)", "platen-admin(1)", "platen.toml(5)")
	return p.String()
}

func (b Book) admin() string {
	those, _ := b.below("admin")
	p := b.newPage("platen-admin", 1, "work on the accounts, keys and usage of a running node")
	p.section("Synopsis")
	p.WriteString(".B platen admin\n.I command\n.RI [ arguments ]\n.RI [ flags ]\n")
	p.section("Description")
	p.sentences("The commands talk to a running node through the socket in its data directory, unless they say that they need no node. They run as the user of the node, or as root.")
	p.section("Commands")
	for _, c := range those {
		p.command(c)
	}
	p.see("platen(1)", "platen-serve(1)")
	return p.String()
}

// config is the page of the configuration: what is a paragraph in the sample is an entry here.
func (b Book) config() string {
	p := b.newPage("platen.toml", 5, "configuration of Platen")
	p.section("Description")
	for block := range strings.SplitSeq(strings.TrimSpace(b.Config), "\n\n") {
		p.block(block)
	}
	p.section("Files")
	p.WriteString(".TP\n/etc/platen/platen.toml\n")
	p.sentences("What the service of the package reads.")
	p.see("platen(1)", "platen-serve(1)")
	return p.String()
}

// block writes settings, or the head of a section, with the comment above them.
func (p *page) block(text string) {
	var comment, settings []string
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			comment = append(comment, strings.TrimPrefix(line, "#"))
		case strings.HasPrefix(line, "["):
			p.section(line)
		default:
			settings = append(settings, line)
		}
	}
	for i, line := range settings {
		tag := ".TP"
		if i > 0 {
			tag = ".TQ" // it shares the text
		}
		name, value, _ := strings.Cut(line, " = ")
		fmt.Fprintf(p, "%s\n\\fB%s\\fR = %s\n", tag, plain(name), plain(value))
	}
	if len(comment) > 0 {
		p.text(strings.Join(comment, "\n"))
	}
}

func (p *page) see(pages ...string) {
	p.section("See also")
	for i, name := range pages {
		comma := ","
		if i == len(pages)-1 {
			comma = ""
		}
		name, section, _ := strings.Cut(name, "(")
		fmt.Fprintf(p, ".BR %s (%s%s\n", plain(name), section, comma)
	}
}
