// Package convert is `platen convert`: it converts files and pages by a node in this process, or by a server.
package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/terminal"
)

// settings holds the values of the command's own flags.
type settings struct {
	from, to    string
	outputFlag  string
	server, key string
	watch       bool
	verbose     bool
	egress      node.Ranges
	encoding    string   // of texts that declare none
	noFiles     bool     // full documents are shown without the files of their folder, unless allow has them
	allow       []string // directories that full documents may have files of, too
	added       string   // to the end of documents
	options     *options
	version     string
	stdin       io.Reader
	stdout      io.Writer
	problem     terminal.Lines
}

// Command declares the command for a version of the program.
func Command(version string) *cobra.Command {
	s := settings{version: version}
	c := &cobra.Command{
		Use: "convert INPUT... [OUTPUT]", Short: "Convert pages, HTML, Markdown and e-invoices to files", Args: cobra.MinimumNArgs(1),
		Long: `Convert pages, HTML, Markdown and e-invoices to PDFs and images, without a server:

  platen convert page.html page.pdf
  platen convert https://example.com/ shot.png --full-page
  platen convert notes.md invoice.xml        # notes.pdf and invoice.pdf
  platen convert *.md pdfs/
  cat page.html | platen convert - - --from html --margin-top 0 > page.pdf

An INPUT is a file that ends in .html, .md or .xml (an e-invoice), an address, or - for standard input. The OUTPUT ends in .pdf, .png,
.jpg or .webp, or is a directory, or - for standard output (-o names it, too); without it, each result is named after its input, in the present directory.

HTML of files and of standard input is sanitised: scripts and style sheets are left out, inline styles stay. With --html-mode full it is shown
as it is, with the files of its folder that it, or a script of it, names by relative URL. An address is shown with all.

The options are those of the API (docs/API.md). A value that begins with @ names a file that has it: for texts of several lines, JSON and
secrets. With --server, the server's rules and quota apply; a request that gets no answer is repeated there without being charged twice.`,
	}
	flags := c.Flags()
	flags.StringVar(&s.from, "from", "", "read every input as `KIND`: html, markdown or xml")
	flags.StringVar(&s.to, "to", "", "write `KIND` to standard output or into a directory: pdf, png, jpeg or webp")
	flags.StringVarP(&s.outputFlag, "output", "o", "", "write to `OUTPUT`, if it is not the last argument")
	flags.StringVar(&s.server, "server", "", "convert by the server at `URL`, with PLATEN_KEY or --key (default: in this process)")
	flags.StringVar(&s.key, "key", "", "the server's API `KEY`, or @ and a file that has it")
	flags.BoolVar(&s.watch, "watch", false, "convert again whenever an input file changes, until interrupted")
	flags.BoolVar(&s.verbose, "verbose", false, "show the log of the conversion")
	flags.Var(&s.egress, "egress-allow", "let pages load from the addresses in `CIDR`, though they are private")
	s.options = declare(flags)
	c.RunE = func(c *cobra.Command, args []string) error {
		s.stdin, s.stdout, s.problem = c.InOrStdin(), c.OutOrStdout(), terminal.To(c.ErrOrStderr())
		ctx, stop := untilSignal(c.Context())
		defer stop()
		return s.run(ctx, c, args)
	}
	return c
}

// run plans the conversions, and performs them.
func (s settings) run(ctx context.Context, c *cobra.Command, args []string) error {
	all, err := plan(args, s.from, s.to, s.outputFlag, isDirectory)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := s.options.fits(one); err != nil {
			return err
		}
	}
	if s.watch && !slices.ContainsFunc(all, conversion.fromFile) {
		return errors.New("--watch: no input is a file")
	}
	by, closeIt, err := s.converter(ctx, c)
	if err != nil {
		return err
	}
	before := stampsOf(all)
	err = s.convertAll(ctx, by, all)
	if s.watch && ctx.Err() == nil {
		s.watchAll(ctx, by, all, before)
		err = nil // failures are reported, and tried again
	}
	return errors.Join(err, closeIt())
}

// converter returns the named server, or a node in this process.
func (s settings) converter(ctx context.Context, c *cobra.Command) (by client, closeIt func() error, err error) {
	if s.server == "" {
		return startNode(ctx, s, usualPlaces(), c.ErrOrStderr())
	}
	if u, err := url.Parse(s.server); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return by, nil, fmt.Errorf("--server %s: write it as https://HOST or http://HOST:PORT", s.server)
	}
	if len(s.egress) > 0 {
		return by, nil, errors.New("--egress-allow is for conversions in this process: a server has its own")
	}
	key, err := contentOf(s.key)
	if s.key == "" {
		key = os.Getenv("PLATEN_KEY")
	}
	if err == nil && key == "" {
		err = errors.New("name the server's API key: in the environment as PLATEN_KEY, or with --key @FILE")
	}
	by = newClient(s.server, key)
	by.say = func(text string) { s.problem.Printf("%s\n", text) }
	return by, func() error { return nil }, err
}

// convertAll converts one after another, and returns an error if any fails.
func (s settings) convertAll(ctx context.Context, by client, all []conversion) error {
	failed := 0
	for _, c := range all {
		if err := s.convert(ctx, by, c); err != nil {
			if ctx.Err() != nil {
				return errInterrupted
			}
			failed++
			s.problem.Printf("%s: %v\n", c.input, err)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d conversions failed", failed, len(all))
	}
	return nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
