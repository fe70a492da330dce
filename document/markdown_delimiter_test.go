package document

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"platen.dev/events/testkit"
)

// Runs of delimiters without a partner are bounded, over all paragraphs of a document.
func TestDelimitersWithoutPartner(t *testing.T) {
	testkit.Long(t)
	const pairs = 9_999 // each * is compared with each _ before it
	const many = "too many runs of *, _ and ~ find no partner"
	half := strings.Repeat("_a*", pairs*7/10)
	for name, c := range map[string]struct {
		source string
		many   string // what the error says; "" for none
	}{
		"as many as may be":  {strings.Repeat("_a*", pairs), ""},
		"more":               {strings.Repeat("_a*", pairs+1), many},
		"the most":           {strings.Repeat("_a*", 80_000), many},
		"in two paragraphs":  {half + "\n\n" + half, ""},
		"in three":           {half + "\n\n" + half + "\n\n" + half, many},
		"outside of links":   {strings.Repeat("_a", 8_000) + strings.Repeat("[b_](x)", 2_000) + strings.Repeat("a* ", 20_000), many},
		"inside of brackets": {strings.Repeat("_a", 12_000) + "[" + strings.Repeat("a* ", 12_000), many},
	} {
		_, err := Markdown(c.source)
		if c.many == "" != (err == nil) || err != nil && (!errors.Is(err, ErrComplex) || !strings.Contains(err.Error(), c.many)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Documents with much emphasis, or with many of its characters that mean nothing, are not mistaken for hostile ones.
func TestManyDelimiters(t *testing.T) {
	const length = 240_000
	fill := func(s string) string { return strings.Repeat(s, length/len(s)) }
	for name, source := range map[string]string{
		"a table of emphasised words": "|a|b|\n|-|-|\n" + fill("|*one*|**two** ~~three~~|\n"), "a paragraph of them": fill("*one* **two** __three__ "),
		"identifiers": fill("call some_function_name(of_some_type) or __init__, then\n"), "products": fill("2*3 and a * b, **or** x*y*z.\n"),
		"code": "```\n" + fill("char* some_name; src/foo_bar/*\n") + "```\n", "code in text": fill("`char* a_b` "), "names of files": fill("- see `a_b/*` and some_file_name*\n\n"),
		"openers": fill("*a _b "), "approximations": fill("~5 and ~10; "), "waves": "a" + fill("~"),
	} {
		if _, err := MarkdownWithin(source, enough); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run of waves is text, which takes one step: the parser looked at each wave for the whole run.
func TestLongRun(t *testing.T) {
	block, pc := text.NewReader([]byte(strings.Repeat("~", 100_000)+"a")), parser.NewContext()
	if node := (delimiterGuard{}).Parse(nil, block, pc); node == nil {
		t.Fatal("it is left to the parser")
	}
	if line, _ := block.PeekLine(); string(line) != "a" {
		t.Errorf("%d bytes are left", len(line))
	}
}

// Counting changes no document.
func TestGuardChangesNothing(t *testing.T) {
	options := []goldmark.Option{goldmark.WithExtensions(extension.Table, extension.Strikethrough)}
	plain := goldmark.New(options...)
	guarded := goldmark.New(append(options, goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(delimiterGuard{}, 50))))...)
	rng := testkit.Rand(t)
	pieces := strings.Split("*|**|***|_|__|~|~~|~~~|a|b | |\n|\n\n|[|](x)|]|![|`|\\|.|é|<b>|- |> ", "|")
	for range 20_000 {
		var source strings.Builder
		for range 1 + rng.IntN(30) {
			source.WriteString(pieces[rng.IntN(len(pieces))])
		}
		var want, got bytes.Buffer
		if err := errors.Join(plain.Convert([]byte(source.String()), &want), guarded.Convert([]byte(source.String()), &got)); err != nil || got.String() != want.String() {
			t.Fatalf("%q: %v, got %q, want %q", source.String(), err, got.String(), want.String())
		}
	}
}
