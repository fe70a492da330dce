package manual

import (
	"flag"
	"fmt"
	"strings"

	"platen.dev/cmd/platen/cli"
)

// page is a manual page that is being written.
type page struct{ strings.Builder }

// newPage begins a page with its title and its name.
func (b Book) newPage(name string, section int, what string) *page {
	p := new(page)
	fmt.Fprintf(p, ".TH %s %d %s \"platen %s\" \"Platen\"\n", strings.ToUpper(name), section, b.Day.Format("2006-01-02"), b.Version)
	p.section("Name")
	fmt.Fprintf(p, "%s \\- %s\n", plain(name), plain(what))
	return p
}

func (p *page) section(title string) { fmt.Fprintf(p, ".SH %s\n", strings.ToUpper(title)) }

// text writes paragraphs.
func (p *page) text(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		p.sentences(paragraph)
	}
}

// sentences writes each sentence on a line of its own, as man(7) asks for.
func (p *page) sentences(text string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, end := range []string{". ", "? ", "! "} {
		text = strings.ReplaceAll(text, end, strings.TrimSpace(end)+"\n")
	}
	for sentence := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range strings.Fields(sentence) {
			if word = strings.TrimPrefix(plain(word), `\&`); line != "" && len(line)+len(word) >= width {
				p.line(line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		p.line(line)
	}
}

// width is how long lines of a page may be, in bytes.
const width = 80

// line writes a line that is text even if it begins like a request.
func (p *page) line(text string) {
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	p.WriteString(text + "\n")
}

// command writes a command with its flags as an entry.
func (p *page) command(c cli.Command) {
	fmt.Fprintf(p, ".SS %s\n", plain(c.Line()))
	p.sentences(upper(c.Help) + ".")
	p.flags(c)
}

func (p *page) flags(c cli.Command) {
	for _, f := range flagsOf(c) {
		value, usage := flag.UnquoteUsage(f)
		p.WriteString(".TP\n")
		fmt.Fprintf(p, "\\fB%s\\fR%s\n", plain("--"+f.Name), italic(value))
		p.sentences(upper(usage) + "." + byDefault(f))
	}
}

// byDefault says what a flag is if it is left out, unless its usage does, or it is nothing.
func byDefault(f *flag.Flag) string {
	switch f.DefValue {
	case "", "0", "false":
		return ""
	}
	if strings.Contains(f.Usage, "default") {
		return ""
	}
	return " The default is " + f.DefValue + "."
}

func italic(value string) string {
	if value == "" {
		return ""
	}
	return " \\fI" + plain(value) + "\\fR"
}

// upper begins a text with a capital, unless it begins with a name that has none.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// plain has a text printed as it is.
func plain(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
