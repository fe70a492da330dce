package document

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	markup "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// printStyle is the style of Markdown. Its family Symbols comes before the fonts for text, because "Noto Serif" and "Noto Sans" lack most
// symbols: they would compose ≠ of two characters, and the next font with ∀ or ∈ is one for Chinese, with wide glyphs. A font
// that is not installed is passed over.
//
//go:embed print.css
var printStyle string

// markdown shows raw HTML as text, markdownWithHTML keeps it.
var markdown, markdownWithHTML = newMarkdown(util.Prioritized(literalHTML{}, 100)), newMarkdown()

func newMarkdown(renderers ...util.PrioritizedValue) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(
			parser.WithASTTransformers(
				util.Prioritized(directionMarker{}, 500), util.Prioritized(languageMarker{}, 501), util.Prioritized(headingMarker{}, 502), util.Prioritized(cellMarker{}, 503),
			),
			parser.WithInlineParsers(util.Prioritized(delimiterGuard{}, 50)), // before those that it guards
		),
		// The sanitiser decides which URLs and which raw HTML are safe.
		goldmark.WithRendererOptions(markup.WithUnsafe(), renderer.WithNodeRenderers(append(renderers, util.Prioritized(codeBlocks{}, 101))...)),
	)
}

// Markdown converts CommonMark with GFM tables and strikethrough to an HTML document in the
// built-in print style. Raw HTML is shown as text; links and images may have the URLs that
// Sanitize allows. The title of the document is its first heading. Markdown returns
// ErrComplex for structure that takes too long to render; everything else takes well under
// a second per 100,000 characters.
func Markdown(source string) (string, error) { return MarkdownWithin(source, math.MaxInt32) }

// MarkdownWithin returns what Markdown does, or ErrTooLarge as soon as it is clear that the body of
// the document would have more bytes than limit.
func MarkdownWithin(source string, limit int) (string, error) {
	body, title, err := markdownBody(source, limit)
	if err != nil {
		return "", err
	}
	return htmlDocument{title: title, style: printStyle, body: body}.html(), nil
}

// MarkdownFragment converts as Markdown does, but keeps the raw HTML that Sanitize keeps, to the body of a document, for use in another one. Its
// errors are those of MarkdownWithin.
func MarkdownFragment(source string, limit int) (string, error) {
	rendered, _, err := renderMarkdown(markdownWithHTML, source, limit)
	if err != nil {
		return "", err
	}
	safe, err := SanitizeWithin(rendered, limit)
	return safe.Body, err
}

// markdownBody converts Markdown to the body of a document, and returns its first heading.
func markdownBody(source string, limit int) (html, title string, err error) {
	rendered, title, err := renderMarkdown(markdown, source, limit)
	if err != nil {
		return "", "", err
	}
	body := bounded{limit: limit}
	if err := allowList.SanitizeReaderToWriter(strings.NewReader(rendered), &body); err != nil {
		return "", "", fmt.Errorf("markdown: %w", err)
	}
	return body.String(), title, nil
}

// renderMarkdown renders Markdown to HTML that is not safe yet, and returns its first heading.
func renderMarkdown(by goldmark.Markdown, source string, limit int) (html, title string, err error) {
	source = strings.TrimPrefix(source, byteOrderMark)
	if err := checkComplexity(source); err != nil {
		return "", "", err
	}
	src := []byte(source)
	pc := parser.NewContext()
	tree := by.Parser().Parse(text.NewReader(src), parser.WithContext(pc))
	if err := complexityOf(pc); err != nil {
		return "", "", err
	}
	rendered := bounded{limit: 2 * limit} // the sanitiser writes some entities in fewer bytes
	if err := by.Renderer().Render(&rendered, src, tree); err != nil {
		return "", "", fmt.Errorf("markdown: %w", err)
	}
	return rendered.String(), firstHeading(tree, src), nil
}

// literalHTML renders raw HTML as text.
type literalHTML struct{}

func (literalHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, renderInlineHTML)
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
}

func renderInlineHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	writeLines(w, source, node.(*ast.RawHTML).Segments)
	return ast.WalkSkipChildren, nil
}

func renderHTMLBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if block := node.(*ast.HTMLBlock); entering {
		_, _ = w.WriteString(`<p dir="auto" style="white-space: pre-wrap">`)
		writeLines(w, source, block.Lines())
		if block.HasClosure() {
			markup.DefaultWriter.RawWrite(w, block.ClosureLine.Value(source))
		}
		_, _ = w.WriteString("</p>\n")
	}
	return ast.WalkContinue, nil
}

// writeLines writes lines as text. An error stays with the writer until it is flushed.
func writeLines(w util.BufWriter, source []byte, lines *text.Segments) {
	for i := range lines.Len() {
		line := lines.At(i)
		markup.DefaultWriter.RawWrite(w, line.Value(source))
	}
}

// firstHeading is the plain text of the first heading, or "".
func firstHeading(tree ast.Node, source []byte) string {
	for node := tree.FirstChild(); node != nil; node = node.NextSibling() {
		if node.Kind() == ast.KindHeading {
			return plainText(node, source)
		}
	}
	return ""
}
