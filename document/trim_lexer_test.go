package document

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkLexed fails the test unless the lexer reads the same tokens and attributes from a source as the tokenizer.
func checkLexed(t *testing.T, source string) {
	t.Helper()
	l, tokens := lexer{text: source}, html.NewTokenizer(strings.NewReader(source))
	for {
		got, want := l.next(), tokens.Next()
		raw := string(tokens.Raw())
		if want == html.DoctypeToken {
			want = html.CommentToken
		}
		if got != want || l.token != raw {
			t.Fatalf("%q: got %v %q, want %v %q", source, got, l.token, want, raw)
		}
		if got == html.ErrorToken {
			return
		}
		checkTagLexed(t, &l, got, tokens)
	}
}

func checkTagLexed(t *testing.T, l *lexer, kind html.TokenType, tokens *html.Tokenizer) {
	t.Helper()
	name, more := tokens.TagName()
	if got := strings.ReplaceAll(l.name, "\x00", "\ufffd"); got != string(name) {
		t.Errorf("%q: got the name %q, want %q", l.token, got, name)
	}
	if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
		return
	}
	seen := map[string]bool{}
	for all := attributesOf(l.token); !all.end(); {
		a := all.next()
		if name := asciiLower(a.name); !seen[name] {
			seen[name] = true
			checkAttribute(t, l.token, a, tokens, more)
		}
	}
	if key, _, more := tokens.TagAttr(); key != nil || more {
		t.Errorf("%q: the attribute %q was not read", l.token, key)
	}
}

func checkAttribute(t *testing.T, tag string, a tagAttribute, tokens *html.Tokenizer, more bool) {
	t.Helper()
	key, value, _ := tokens.TagAttr()
	var r resolver
	if name := strings.ReplaceAll(asciiLower(a.name), "\x00", "\ufffd"); name != string(key) || r.resolve(a) != string(value) || !more {
		t.Errorf("%q: got the attribute %q, %q, want %q, %q", tag, name, r.resolve(a), key, value)
	}
	if !bytes.Contains(value, []byte("&")) && !strings.Contains(a.value, "&") && len(value) < len(a.value)-strings.Count(a.value, "\r") {
		t.Errorf("%q: a value became shorter: %q", tag, value)
	}
}

// lexable lists fragments that the lexer and the tokenizer might read differently.
var lexable = []string{
	"a<", "a</", "</", "</>a", "</ a>b", "<?a>b", "<!>a", "<!a", "<!-", "<!--", "<!-->a", "<!--->a", "<!--a-->b", "<!--a--!>b", "<!--a--!x>b-->c", "<!--a--!-->b", "<!--a->b", "<!--a--",
	"<!DOCTYPE html>a", "<!doc", "<![CDATA[a]]>b", "<p a>", "<p a=b c='d>' e=\"f>\" g>h", "<p a = b>", "<p a= >", "<p =a>", "<p ==a=b>", "<p / a>", "<p/a/>", "<p a/>", "<p a=/>", "<p a=b/ />",
	"<p a=x a=/>", "<p a=x A=/ />", "<p a='/'/>", "<p a=\"\"/>", "<p a='b", "<p a=b", "<P A=B a=c>", "<p a\x00=b\x00>", "<p\x00a>", "<p a=&lt;&lt=&amp &notit;>", "<p a=\"\r\nb\r\">", "<p a'b=\"c>", "<p a=b'c\"d>",
	"<\u212abd>", "<TITLE>a</title x>b", "<title/>a</title>b", "<title>a</titl></title", "<textarea>a<b>&lt;</TEXTAREA>b", "<plaintext>a</plaintext>b", "<plaintext>", "<xmp></xmp>a", "<style>a</styl\u017fe></style>b",
	"<script>a</script>b", "<script><!--a</script>b", "<script><!--<script>a</script>b--></script>c", "<script><!--<script>a--></script>b", "<script><!-- < a</script>b", "<script><!--<!--<script>a</script>b",
	"<script><!--<script-></script>a", "<script><!-a</script>b", "<script><!--></script>a", "<script><!--a--></script>b", "<script><!--<SCRIPT/</SCRIPT >a</script>b", "<script><!--<</script>a", "<script><!--<script><</script>--></script>a",
	"</p a='>'>b", "</p/>a", "</p", "</P>", "<a<b>c", "<a\f\"b\">",
}

// The lexer and the tokenizer read the same tokens.
func TestLexer(t *testing.T) {
	all := append(append(append([]string{}, lexable...), trimmable...), hostile...)
	for _, name := range []string{"../testdata/*/*.html", "testdata/*.html"} {
		files, _ := filepath.Glob(name) // which is right
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(source))
		}
	}
	for _, source := range all {
		for _, embedded := range []string{source, source + source, "<div><b>" + source + "</div>x", "<script>" + source + "-->", "<script><!--" + source, "<p a=\"" + source, "<textarea>" + source, "<!--" + source} {
			checkLexed(t, embedded)
		}
	}
}

// The lexer and the tokenizer read the same tokens from any input.
func FuzzLexer(f *testing.F) {
	for _, source := range append(append(append([]string{}, lexable...), trimmable...), hostile...) {
		f.Add(source)
	}
	f.Fuzz(checkLexed)
}
