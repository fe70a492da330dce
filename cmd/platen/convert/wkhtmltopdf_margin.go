package convert

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/net/html"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/events/charset"
)

// margin is a header or a footer: texts, or a file of HTML.
type margin struct {
	flag       string    // "header" or "footer"
	edge       string    // where its line is: "bottom" or "top"
	texts      [3]string // left, center, right
	line       bool
	size       int // of the texts, in points
	font, file string
}

func (m *margin) declare(f *pflag.FlagSet, flag, edge string) {
	m.flag, m.edge = flag, edge
	for i, side := range []string{"left", "center", "right"} {
		f.StringVar(&m.texts[i], flag+"-"+side, "", "a text; [page], [topage], [title], [date] and [webpage] are filled in")
	}
	f.StringVar(&m.file, flag+"-html", "", "a `FILE` of HTML without pictures; elements of the classes page, topage, … are filled in")
	f.BoolVar(&m.line, flag+"-line", false, "draw a line between the "+flag+" and the page")
	f.IntVar(&m.size, flag+"-font-size", 12, "of the texts, in points")
	f.StringVar(&m.font, flag+"-font-name", "", "of the texts")
}

const (
	pageSpan  = `<span class="pageNumber"></span>`
	pagesSpan = `<span class="totalPages"></span>`
	titleSpan = `<span class="title"></span>`
	dateSpan  = `<span class="date"></span>`
)

// fills maps wkhtmltopdf's variables to elements that the browser fills in.
var fills = map[string]string{
	"page": pageSpan, "sitepage": pageSpan, "frompage": "1", "topage": pagesSpan, "toPage": pagesSpan, "sitepages": pagesSpan, "title": titleSpan, "doctitle": titleSpan,
	"date": dateSpan, "isodate": started.Format(time.DateOnly), "time": started.Format(time.TimeOnly), "webpage": `<span class="url"></span>`,
}

var started = time.Now()

// unknownFills match variables whose values are not known here.
var unknownFills = regexp.MustCompile(`\[(section|subsection|subsubsection)\]`)

// filled replaces the variables of a text.
var filled = func() *strings.Replacer {
	var pairs []string
	for name, element := range fills {
		pairs = append(pairs, "["+name+"]", element)
	}
	return strings.NewReplacer(pairs...)
}()

// template returns the template of the browser; "" for none.
func (m *margin) template(problem terminal.Lines) (string, error) {
	if m.file != "" {
		template, err := templateOf(m.file, problem)
		if err != nil {
			err = fmt.Errorf("--%s-html: %w", m.flag, err)
		}
		return template, err
	}
	if m.texts == ([3]string{}) && !m.line {
		return "", nil
	}
	if unknown := unknownFills.FindString(strings.Join(m.texts[:], " ")); unknown != "" {
		return "", fmt.Errorf("--%s-…: %s is not known here", m.flag, unknown)
	}
	style := fmt.Sprintf("display: flex; justify-content: space-between; font-size: %dpt", m.size)
	if m.font != "" {
		style += "; font-family: '" + m.font + "'"
	}
	if m.line {
		style += "; border-" + m.edge + ": 1px solid black"
	}
	var cells strings.Builder
	for i, align := range []string{"left", "center", "right"} {
		fmt.Fprintf(&cells, `<div style="flex: 1; text-align: %s">%s</div>`, align, filled.Replace(html.EscapeString(m.texts[i])))
	}
	return `<div style="` + html.EscapeString(style) + `">` + cells.String() + `</div>`, nil
}

// maxMarginFile limits a file of a header or footer, in bytes. The template that it becomes has its own limit.
const maxMarginFile = 1 << 20

// templateOf makes a template of a file of HTML: its scripts, whose only purpose is to fill in the variables, are not needed.
func templateOf(file string, problem terminal.Lines) (string, error) {
	name, err := localFile(file)
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := readWithin(f, name, maxMarginFile)
	if err != nil {
		return "", err
	}
	document, err := html.Parse(bytes.NewReader(charset.Decode(content, "")))
	if err != nil {
		return "", err
	}
	var t templater
	t.children(document)
	if t.pictures {
		return "", fmt.Errorf("%s has pictures; headers and footers have none here", name)
	}
	if t.styles {
		err = problem.Printf("%s: its style sheets are left out; inline styles stay\n", name)
	}
	return t.out.String(), err
}

// templater writes the elements of a document that the browser's templates may have.
type templater struct {
	out              strings.Builder
	pictures, styles bool // the document has some
}

// templateElements stay as they are. The content of others becomes that of a box.
var templateElements = map[string]bool{
	"b": true, "br": true, "code": true, "em": true, "i": true, "p": true, "s": true, "small": true, "span": true, "strong": true, "sub": true, "sup": true, "u": true,
}

// displays are how boxes are shown that stand for elements.
var displays = map[string]string{
	"table": "table", "thead": "table-header-group", "tbody": "table-row-group", "tfoot": "table-footer-group", "tr": "table-row", "td": "table-cell", "th": "table-cell",
	"caption": "table-caption", "a": "inline", "font": "inline", "label": "inline",
}

func (t *templater) children(n *html.Node) {
	for c := range n.ChildNodes() {
		switch c.Type {
		case html.TextNode:
			t.out.WriteString(html.EscapeString(c.Data))
		case html.ElementNode:
			t.element(c)
		}
	}
}

func (t *templater) element(n *html.Node) {
	switch n.Data {
	case "img", "svg", "canvas", "picture", "object", "video":
		t.pictures = true
		return
	case "style", "link":
		t.styles = t.styles || n.Data == "style" || attributeOf(n.Attr, "rel") == "stylesheet"
		return
	case "script", "title", "meta", "base", "noscript", "template":
		return
	case "html", "head":
		t.children(n)
		return
	}
	name := "div"
	if templateElements[n.Data] {
		name = n.Data
	}
	t.out.WriteString("<" + name)
	for _, a := range [][2]string{{"style", styleOf(n)}, {"dir", attributeOf(n.Attr, "dir")}, {"lang", attributeOf(n.Attr, "lang")}} {
		if a[1] != "" {
			fmt.Fprintf(&t.out, ` %s="%s"`, a[0], html.EscapeString(a[1]))
		}
	}
	t.out.WriteString(">")
	if name == "br" {
		return
	}
	if fill := fillOf(n); fill != "" {
		t.out.WriteString(fill)
	} else {
		t.children(n)
	}
	t.out.WriteString("</" + name + ">")
}

// styleOf returns the inline style of an element, with what its name and its older attributes say.
func styleOf(n *html.Node) string {
	var all []string
	add := func(property, value string) {
		if value != "" {
			all = append(all, property+": "+value)
		}
	}
	add("display", displays[n.Data])
	if n.Data == "body" {
		add("width", "100%")
	}
	width := attributeOf(n.Attr, "width")
	if _, err := strconv.ParseFloat(width, 64); err == nil {
		width += "px"
	}
	add("width", width)
	add("text-align", cmp.Or(attributeOf(n.Attr, "align"), map[string]string{"center": "center", "th": "center"}[n.Data]))
	if n.Data == "th" || len(n.Data) == 2 && n.Data[0] == 'h' && n.Data != "hr" {
		add("font-weight", "bold")
	}
	if n.Data == "hr" {
		add("border-top", "1px solid")
	}
	if own := strings.TrimSpace(attributeOf(n.Attr, "style")); own != "" {
		all = append(all, own)
	}
	return strings.Join(all, "; ")
}

// fillOf returns what the browser fills an element with, by its class; "" for nothing.
func fillOf(n *html.Node) string {
	for class := range strings.FieldsSeq(attributeOf(n.Attr, "class")) {
		if fill := fills[class]; fill != "" {
			return fill
		}
	}
	return ""
}
