package convert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/events/contract"
)

// Wkhtmltopdf declares a command with the common options of the program of that name (version 0.12.6) and its exit codes.
func Wkhtmltopdf(version string) *cobra.Command {
	w := wkhtmltopdf{settings: settings{version: version}}
	c := &cobra.Command{
		Use: "wkhtmltopdf [OPTIONS] INPUT OUTPUT", Short: "Convert like wkhtmltopdf, by its common options", Args: cobra.MinimumNArgs(2),
		Long: `Convert a page to a PDF by the common options of wkhtmltopdf, without a server:

  platen wkhtmltopdf -s Letter --margin-top 20mm --footer-center '[page]/[topage]' page.html page.pdf

INPUT is a file of HTML, with the files of its folder that it names, an address, or - for standard input. OUTPUT is a file, or - for standard
output. The exit code is 0, 2 for a page that is not found (404), 3 for one that wants a password (401), and 1 for every other error.
docs/MIGRATE.md compares the options.`,
	}
	w.options = declare(pflag.NewFlagSet("convert", pflag.ContinueOnError))
	w.declare(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		w.stdin, w.stdout, w.problem = c.InOrStdin(), c.OutOrStdout(), terminal.To(c.ErrOrStderr())
		ctx, stop := signal.NotifyContext(c.Context(), syscall.SIGINT, syscall.SIGTERM)
		defer stop()
		return w.convertPage(ctx, c, args)
	}
	return c
}

// wkhtmltopdf is one conversion. The header and footer texts are left, center and right.
type wkhtmltopdf struct {
	settings
	header, footer             [3]string
	headerLine, footerLine     bool
	headerSize, footerSize     int
	headers, cookies           []string // alternately names and values
	username, password, status string
	orientation                string
	quiet, noBackground        bool
	noOutline, printMedia      bool
	noScript                   bool
	ignored                    bool
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
	w.pass(f, "encoding", "", "", "the encoding of the input; it is taken as UTF-8 unless the page says otherwise", "", "")
	w.pass(f, "user-style-sheet", "", "", "a `FILE` with a style sheet for a page by address", "style", "@")
	f.StringVar(&w.status, "window-status", "", "wait until window.status is this")
	f.BoolVar(&w.noBackground, "no-background", false, "print no backgrounds")
	f.BoolVar(&w.noOutline, "no-outline", false, "make no bookmarks of headings")
	f.BoolVar(&w.printMedia, "print-media-type", false, "show the page as for print, not for the screen")
	f.BoolVarP(&w.noScript, "disable-javascript", "n", false, "run no scripts")
	for i, side := range []string{"left", "center", "right"} {
		f.StringVar(&w.header[i], "header-"+side, "", "text at the top; [page], [topage], [title] and [date] are filled in")
		f.StringVar(&w.footer[i], "footer-"+side, "", "text at the bottom")
	}
	f.BoolVar(&w.headerLine, "header-line", false, "draw a line below the header")
	f.BoolVar(&w.footerLine, "footer-line", false, "draw a line above the footer")
	f.IntVar(&w.headerSize, "header-font-size", 12, "in points")
	f.IntVar(&w.footerSize, "footer-font-size", 12, "in points")
	f.StringVar(&w.username, "username", "", "for Basic authentication at an address")
	f.StringVar(&w.password, "password", "", "for Basic authentication")
	f.BoolVarP(&w.quiet, "quiet", "q", false, "say nothing but errors")
	f.BoolVar(&w.ignored, "enable-local-file-access", false, "accepted; files of the input's folder are always there")
	for _, name := range []string{"disable-smart-shrinking", "enable-javascript", "background", "outline", "images", "lowquality"} {
		f.BoolVar(&w.ignored, name, false, "accepted; it changes nothing here")
	}
	for _, name := range []string{"dpi", "image-dpi", "image-quality", "log-level", "viewport-size", "load-error-handling", "load-media-error-handling"} {
		w.pass(f, name, "", "", "accepted; it changes nothing here", "", "")
	}
	f.StringArrayVar(&w.headers, "custom-header", nil, "`NAME=VALUE` of a header for an address; may be repeated")
	f.StringArrayVar(&w.cookies, "cookie", nil, "`NAME=VALUE` of a cookie for an address; may be repeated")
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
	if p.unit == "@" {
		text = p.unit + text
	}
	return p.to.Set(p.option, text)
}

// String implements pflag.Value.
func (p *passed) String() string { return p.value }

// Type implements pflag.Value.
func (p *passed) Type() string { return "text" }

func (w *wkhtmltopdf) pass(f *pflag.FlagSet, name, short, fallback, usage, option, unit string) {
	p := &passed{value: fallback, unit: unit, option: option, to: w.options.flags}
	if option != "" && fallback != "" {
		if err := p.Set(fallback); err != nil {
			panic(err) // impossible: the options take any text
		}
	}
	f.VarP(p, name, short, usage)
}

// convertPage translates the rest of the options, and converts.
func (w *wkhtmltopdf) convertPage(ctx context.Context, c *cobra.Command, args []string) error {
	if len(args) > 2 {
		return fmt.Errorf("%d inputs: one is converted at a time; covers, tables of contents and several pages are not supported", len(args)-1)
	}
	all, err := plan(args[:1], "html", "pdf", func(string) bool { return false })
	if err != nil {
		return err
	}
	one := all[0]
	one.output = args[1]
	if err := errors.Join(w.translate(one)...); err != nil {
		return err
	}
	if err := w.options.fits(one); err != nil {
		return err
	}
	by, closeIt, err := startNode(ctx, w.settings, c.ErrOrStderr())
	if err != nil {
		return err
	}
	if w.quiet {
		w.problem = terminal.To(io.Discard)
	}
	return errors.Join(exitOf(w.convert(ctx, by, one)), closeIt())
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
	if o.Changed("width") || o.Changed("height") { // they exclude a format
		o.Lookup("format").Changed, o.Lookup("landscape").Changed = false, false
	}
	if one.source == "html" {
		errs = append(errs, set("html-mode", "full"))
	}
	if w.noScript {
		errs = append(errs, set("javascript", false))
	}
	if w.status != "" {
		quoted, _ := json.Marshal(w.status) // a string: it cannot fail
		errs = append(errs, set("wait-for-function", "window.status === "+string(quoted)))
	}
	if w.username != "" || w.password != "" {
		errs = append(errs, set("auth-type", "basic"), set("auth-value", w.username+":"+w.password))
	}
	errs = append(errs, w.pairs("custom-header", w.headers, one), w.pairs("cookie", w.cookies, one))
	if header, footer := marginal(w.header, w.headerSize, "bottom", w.headerLine), marginal(w.footer, w.footerSize, "top", w.footerLine); header+footer != "" {
		errs = append(errs, set("display-header-footer", true), set("header-template", header), set("footer-template", footer))
	}
	return errs
}

// pairs sets headers or cookies, each given as NAME=VALUE.
func (w *wkhtmltopdf) pairs(flag string, given []string, one conversion) error {
	if len(given) == 0 {
		return nil
	}
	named := map[string]string{}
	for _, pair := range given {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("--%s %s: write NAME=VALUE", flag, pair)
		}
		named[name] = value
	}
	if flag == "custom-header" {
		text, err := json.Marshal(named)
		return errors.Join(err, w.options.flags.Set("headers", string(text)))
	}
	domain, err := contract.ParsePageURL(one.input)
	if err != nil {
		return fmt.Errorf("--%s: the input is no address", flag)
	}
	var cookies []map[string]string
	for name, value := range named {
		cookies = append(cookies, map[string]string{"name": name, "value": value, "domain": domain.Hostname()})
	}
	text, err := json.Marshal(cookies)
	return errors.Join(err, w.options.flags.Set("cookies", string(text)))
}

// fills replaces wkhtmltopdf's placeholders with elements that the browser fills in.
var fills = strings.NewReplacer(
	"[page]", `<span class="pageNumber"></span>`, "[topage]", `<span class="totalPages"></span>`, "[toPage]", `<span class="totalPages"></span>`,
	"[title]", `<span class="title"></span>`, "[doctitle]", `<span class="title"></span>`, "[date]", `<span class="date"></span>`, "[webpage]", `<span class="url"></span>`,
	"[frompage]", "1",
)

// marginal returns the template of a header or footer; "" for none.
func marginal(texts [3]string, size int, edge string, line bool) string {
	if texts == ([3]string{}) && !line {
		return ""
	}
	style := fmt.Sprintf("display: flex; justify-content: space-between; font-size: %dpt", size)
	if line {
		style += "; border-" + edge + ": 1px solid black"
	}
	var cells strings.Builder
	for i, align := range []string{"left", "center", "right"} {
		fmt.Fprintf(&cells, `<div style="flex: 1; text-align: %s">%s</div>`, align, fills.Replace(html.EscapeString(texts[i])))
	}
	return `<div style="` + style + `">` + cells.String() + `</div>`
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
