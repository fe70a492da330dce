package convert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/document"
	"platen.dev/events/charset"
	"platen.dev/events/contract"
)

// likeVersion is the version of wkhtmltopdf whose options there are. Programs that call it refuse older ones.
const likeVersion = "0.12.6"

// Wkhtmltopdf declares a command with the common options of the program of that name and its exit codes.
func Wkhtmltopdf(version string) *cobra.Command {
	w := newWkhtmltopdf(settings{version: version})
	c := &cobra.Command{
		Use: "wkhtmltopdf [OPTIONS] [cover INPUT] [toc] INPUT... OUTPUT", Short: "Convert like wkhtmltopdf, by its common options", DisableFlagParsing: true, DisableFlagsInUseLine: true,
		Long: `Convert pages to a PDF by the common options of wkhtmltopdf, without a server:

  platen wkhtmltopdf -s Letter --margin-top 20mm --footer-center '[page]/[topage]' page.html page.pdf

"toc" before the INPUT begins its pages with a table of contents. A cover has no header and no footer. Each of several INPUTs is numbered from
page 1. Options before the first hold for all, options after one for it alone. INPUT is a file of HTML, with the files of its folder that it names,
an address, or - for standard input. OUTPUT is a file, or - for standard output. The exit code is 0, 2 for a page that is not found (404), 3 for one that
wants a password (401), and 1 for every other error. Called by the name of wkhtmltopdf, through a link, the program is this command.
docs/MIGRATE.md compares the options.

These are accepted, but change nothing here:

` + acceptedNames(),
	}
	w.declare(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := c.Flags().Parse(joinPairs(args)); err != nil {
			return err
		}
		switch help, err := c.Flags().GetBool("help"); {
		case err != nil:
			return err
		case help:
			return c.Help()
		case w.asksVersion:
			_, err := fmt.Fprintf(c.OutOrStdout(), "wkhtmltopdf %s (platen %s)\n", likeVersion, version)
			return err
		}
		w.stdin, w.stdout, w.problem = c.InOrStdin(), c.OutOrStdout(), terminal.To(c.ErrOrStderr())
		ctx, stop := untilSignal(c.Context())
		defer stop()
		return w.convertAll(ctx, c.ErrOrStderr(), joinPairs(args))
	}
	return c
}

// wkhtmltopdf has the options of one input.
type wkhtmltopdf struct {
	settings
	header, footer             margin
	styleSheet                 string   // a file
	headers, cookies           []string // NAME=VALUE
	username, password, status string
	contents                   string // the heading of the table of contents
	orientation                string
	quiet, noBackground        bool
	noOutline, printMedia      bool
	noScript, grey             bool
	allFiles                   bool
	asksVersion, ignored       bool
	names                      []string // of options, and those of wkhtmltopdf in their place
}

func newWkhtmltopdf(s settings) *wkhtmltopdf {
	s.options = declare(pflag.NewFlagSet("convert", pflag.ContinueOnError))
	s.options.literal = true // wkhtmltopdf has no values in files
	return &wkhtmltopdf{settings: s}
}

func (w *wkhtmltopdf) declare(f *pflag.FlagSet) {
	f.SortFlags = false
	w.pass(f, "page-size", "s", "A4", "the paper's `SIZE`: A4, Letter, …", "format", "")
	w.pass(f, "page-width", "", "", "the paper's width, a `LENGTH`", "width", "mm")
	w.pass(f, "page-height", "", "", "the paper's height, a `LENGTH`", "height", "mm")
	f.StringVarP(&w.orientation, "orientation", "O", "Portrait", "Landscape or Portrait")
	for _, side := range []string{"Top", "Bottom", "Left", "Right"} {
		name := strings.ToLower(side)
		w.pass(f, "margin-"+name, side[:1], "10mm", "the "+name+" margin, a `LENGTH`", "margin-"+name, "mm")
	}
	w.pass(f, "title", "", "", "the document's title", "metadata-title", "")
	w.pass(f, "zoom", "", "1", "a `FACTOR` of 0.5 to 2", "scale", "")
	w.pass(f, "javascript-delay", "", "200", "how many `MILLISECONDS` to wait for scripts", "wait-after-load-ms", "")
	f.StringVar(&w.encoding, "encoding", "", "the encoding of an input that is not UTF-8 and declares none")
	f.StringVar(&w.styleSheet, "user-style-sheet", "", "a `FILE` with a style sheet")
	f.StringVar(&w.status, "window-status", "", "wait until window.status is this")
	f.BoolVar(&w.noBackground, "no-background", false, "print no backgrounds")
	f.StringVar(&w.contents, "toc-header-text", "Table of Contents", "the heading of the table of contents")
	f.BoolVar(&w.noOutline, "no-outline", false, "make no bookmarks of headings")
	f.BoolVarP(&w.grey, "grayscale", "g", false, "print in shades of grey")
	f.BoolVar(&w.printMedia, "print-media-type", false, "show the page as for print, not for the screen")
	f.BoolVarP(&w.noScript, "disable-javascript", "n", false, "run no scripts")
	w.header.declare(f, "header", "bottom")
	w.footer.declare(f, "footer", "top")
	f.StringVar(&w.username, "username", "", "for Basic authentication at an address")
	f.StringVar(&w.password, "password", "", "for Basic authentication")
	f.BoolVarP(&w.quiet, "quiet", "q", false, "say nothing but errors")
	f.BoolVar(&w.allFiles, "enable-local-file-access", false, "let the input have any file that it names, by its whole path, too")
	f.StringArrayVar(&w.allow, "allow", nil, "let the input have files of a `DIRECTORY`; may be repeated")
	f.BoolVar(&w.noFiles, "disable-local-file-access", false, "show the input without files of its folder, unless --allow has them")
	f.StringArrayVar(&w.headers, "custom-header", nil, "`NAME VALUE` of a header for an address; may be repeated")
	f.StringArrayVar(&w.cookies, "cookie", nil, "`NAME VALUE` of a cookie for an address; may be repeated")
	f.Var(&w.egress, "egress-allow", "let pages load from the addresses in `CIDR`, though they are private; Platen's own")
	f.BoolVarP(&w.asksVersion, "version", "V", false, "say which version this works like")
	for name := range strings.FieldsSeq(acceptedFlags) {
		name, short, _ := strings.Cut(name, ",")
		f.BoolVarP(&w.ignored, name, short, false, "accepted; it changes nothing here")
		_ = f.MarkHidden(name) // it exists
	}
	for name := range strings.FieldsSeq(acceptedOptions) {
		name, short, _ := strings.Cut(name, ",")
		w.pass(f, name, short, "", "accepted; it changes nothing here", "", "")
		_ = f.MarkHidden(name)
	}
}

// acceptedFlags and acceptedOptions are what callers of wkhtmltopdf give and nothing here depends on, the latter with a value.
const (
	acceptedFlags = `background outline images lowquality,l enable-javascript enable-smart-shrinking disable-smart-shrinking
		custom-header-propagation no-custom-header-propagation enable-external-links enable-internal-links resolve-relative-links
		stop-slow-scripts no-stop-slow-scripts no-debug-javascript disable-plugins disable-forms no-print-media-type
		no-header-line no-footer-line no-pdf-compression collate no-collate`
	acceptedOptions = `dpi,d image-dpi image-quality log-level viewport-size load-error-handling load-media-error-handling header-spacing footer-spacing outline-depth
		cache-dir`
)

// acceptedNames lists both, in lines.
func acceptedNames() string {
	var names []string
	for name := range strings.FieldsSeq(acceptedFlags + " " + acceptedOptions) {
		name, _, _ = strings.Cut(name, ",")
		names = append(names, "--"+name)
	}
	slices.Sort(names)
	var lines []string
	for line := range slices.Chunk(names, 5) {
		lines = append(lines, strings.Join(line, ", "))
	}
	return strings.Join(lines, ",\n")
}

// passed is a flag whose value is passed to an option of ours.
type passed struct {
	value, unit, option string
	to                  *pflag.FlagSet
}

// Set implements pflag.Value. A number without a unit has wkhtmltopdf's.
func (p *passed) Set(text string) error {
	p.value = text
	if p.option == "" {
		return nil
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && p.unit == "mm" {
		text += p.unit
	}
	return p.to.Set(p.option, text)
}

// String implements pflag.Value.
func (p *passed) String() string { return p.value }

// Type implements pflag.Value.
func (p *passed) Type() string { return "text" }

func (w *wkhtmltopdf) pass(f *pflag.FlagSet, name, short, fallback, usage, option, unit string) {
	if option != "" {
		w.names = append(w.names, "--"+option+":", "--"+name+":", "--"+option+" ", "--"+name+" ")
	}
	p := &passed{value: fallback, unit: unit, option: option, to: w.options.flags}
	if option != "" && fallback != "" {
		if err := p.Set(fallback); err != nil {
			panic(err) // impossible: the options take any text
		}
	}
	f.VarP(p, name, short, usage)
}

// convertAll converts the objects that the arguments name, and makes one PDF of them.
func (w *wkhtmltopdf) convertAll(ctx context.Context, log io.Writer, args []string) error {
	objects, output, err := objectsOf(args)
	if err != nil {
		return err
	}
	if w.quiet {
		w.problem = terminal.To(io.Discard)
	}
	all := make([]part, len(objects))
	for i, o := range objects {
		if all[i], err = o.translate(w.settings); err != nil {
			return w.renamed(err)
		}
	}
	by, closeIt, err := startNode(ctx, w.settings, usualPlaces(), log)
	if err != nil {
		return err
	}
	if len(all) == 1 {
		all[0].output = output
		if err = all[0].settings.convert(ctx, by, all[0].conversion); err != nil {
			err = fmt.Errorf("%s: %w", all[0].input, err)
		}
	} else {
		err = w.merge(ctx, by, all, output)
	}
	if err != nil && ctx.Err() != nil {
		err = errInterrupted
	}
	return errors.Join(exitOf(w.renamed(err)), closeIt())
}

// renamedError is an error that names options as wkhtmltopdf does.
type renamedError struct {
	error
	text string
}

func (e renamedError) Error() string { return e.text }

func (e renamedError) Unwrap() error { return e.error }

func (w *wkhtmltopdf) renamed(err error) error {
	if err == nil {
		return nil
	}
	return renamedError{err, strings.NewReplacer(w.names...).Replace(err.Error())}
}

// merge converts several parts into one PDF.
func (w *wkhtmltopdf) merge(ctx context.Context, by client, all []part, output string) error {
	pdfs := make([][]byte, len(all))
	for i, p := range all {
		var pdf bytes.Buffer
		p.stdout, p.output = &pdf, "-"
		if err := p.settings.convert(ctx, by, p.conversion); err != nil {
			return fmt.Errorf("%s: %w", p.input, err)
		}
		pdfs[i] = pdf.Bytes()
	}
	whole, err := document.Merge(pdfs...)
	switch {
	case err != nil:
		return err
	case output == "-":
		return w.print(ctx, whole)
	}
	if err := write(ctx, output, whole); err != nil {
		return err
	}
	return w.problem.Printf("%d inputs → %s: %d KB\n", len(all), output, (len(whole)+1023)/1024)
}

// translate sets the options that follow from several of wkhtmltopdf's.
func (w *wkhtmltopdf) translate(one conversion) []error {
	o := w.options.flags
	set := func(name string, value any) error { return o.Set(name, fmt.Sprint(value)) }
	errs := []error{
		set("print-background", !w.noBackground), set("outline", !w.noOutline), set("media", map[bool]string{true: contract.MediaPrint, false: contract.MediaScreen}[w.printMedia]),
	}
	switch strings.ToLower(w.orientation) {
	case "landscape":
		errs = append(errs, set("landscape", true))
	case "portrait":
	default:
		errs = append(errs, fmt.Errorf("--orientation: it is Landscape or Portrait, not %q", w.orientation))
	}
	if w.encoding != "" && !charset.IsLabel(w.encoding) {
		errs = append(errs, fmt.Errorf("--encoding %s: it is not known", w.encoding))
	}
	if o.Changed("width") || o.Changed("height") { // they exclude a format
		o.Lookup("format").Changed, o.Lookup("landscape").Changed = false, false
	}
	if one.source == "html" {
		errs = append(errs, set("html-mode", "full"))
	}
	if w.allFiles && !w.noFiles {
		w.allow = []string{"/"}
	}
	if w.noScript {
		errs = append(errs, set("javascript", false))
	}
	if w.status != "" {
		quoted, _ := json.Marshal(w.status) // a string: it cannot fail
		errs = append(errs, set("wait-for-function", "window.status === "+string(quoted)))
	}
	switch given := w.username != "" || w.password != ""; {
	case given && one.source == "url":
		errs = append(errs, set("auth-type", "basic"), set("auth-value", w.username+":"+w.password))
	case given:
		errs = append(errs, w.problem.Printf("--username, --password: only an address is sent them\n"))
	}
	errs = append(errs, w.setStyle(one))
	errs = append(errs, w.setHeaders(one), w.setCookies(one))
	header, err := w.header.template(w.problem)
	errs = append(errs, err)
	footer, err := w.footer.template(w.problem)
	if header+footer != "" {
		errs = append(errs, set("display-header-footer", true), set("header-template", header), set("footer-template", footer))
	}
	return append(errs, err)
}

// named returns the pairs of a flag.
func named(flag string, given []string) (map[string]string, error) {
	all := map[string]string{}
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("--%s %s: write NAME VALUE", flag, pair)
		}
		all[name] = value
	}
	return all, nil
}

// setHeaders sets the headers of an address. A file is not asked for with any.
func (w *wkhtmltopdf) setHeaders(one conversion) error {
	all, err := named("custom-header", w.headers)
	if err != nil || len(all) == 0 || one.source != "url" {
		return err
	}
	text, err := json.Marshal(all)
	return errors.Join(err, w.options.flags.Set("headers", string(text)))
}

// setCookies sets the cookies of an address. What a file loads from elsewhere is sent none here.
func (w *wkhtmltopdf) setCookies(one conversion) error {
	all, err := named("cookie", w.cookies)
	if err != nil || len(all) == 0 {
		return err
	}
	if one.source != "url" {
		return w.problem.Printf("--cookie: only an address is sent cookies\n")
	}
	page, err := contract.ParsePageURL(one.input)
	if err != nil {
		return err
	}
	var cookies []map[string]string
	for name, value := range all {
		cookies = append(cookies, map[string]string{"name": name, "value": value, "domain": page.Hostname()})
	}
	text, err := json.Marshal(cookies)
	return errors.Join(err, w.options.flags.Set("cookies", string(text)))
}

// setStyle sets the style sheet of an address, or adds it to a document.
func (w *wkhtmltopdf) setStyle(one conversion) error {
	sheet := ""
	if w.styleSheet != "" {
		var err error
		if sheet, err = contentOf("@" + w.styleSheet); err != nil {
			return fmt.Errorf("--user-style-sheet: %w", err)
		}
	}
	if w.grey {
		sheet += "\nhtml { filter: grayscale(1) }"
	}
	switch {
	case sheet == "":
	case one.source == "url":
		return w.options.flags.Set("style", sheet)
	default:
		w.added = "<style>" + strings.ReplaceAll(sheet, "</", `<\/`) + "</style>"
	}
	return nil
}

// ExitError is an error that ends the process with its own exit status.
type ExitError struct {
	Status int
	err    error
}

func (e *ExitError) Error() string { return e.err.Error() }

func (e *ExitError) Unwrap() error { return e.err }

// exitOf gives an error the exit code of wkhtmltopdf.
func exitOf(err error) error {
	status := 1
	switch {
	case err == nil:
		return nil
	case strings.Contains(err.Error(), "HTTP status 404"):
		status = 2
	case strings.Contains(err.Error(), "HTTP status 401"):
		status = 3
	}
	return &ExitError{status, err}
}
