package document

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// attributes writes a tag with its style reduced to what may be safe.
func (t *trimmer) attributes(element string, raw []byte, kind html.TokenType) {
	token := html.Token{Type: kind, Data: element}
	changed := false
	for more := true; more; {
		var key, value []byte
		key, value, more = t.tokens.TagAttr()
		a := html.Attribute{Key: string(key), Val: string(value)}
		switch {
		case a.Key == "style":
			if t.tags += strings.Count(a.Val, ";"); t.tooLarge() != nil {
				return
			}
			style := trimStyle(a.Val)
			t.odd += style.odd
			if element != "body" {
				t.least += style.least
			}
			changed = changed || style.text != a.Val
			a.Val = style.text
		case a.Key == "title" || a.Key == "alt" && element == "img":
			t.least += len(a.Val)
		case len(a.Val) > t.limit && bigURL(a):
			t.least += len(a.Val)
		}
		if isPlainKey(a.Key) { // others are removed, and might be read differently the next time
			token.Attr = append(token.Attr, a)
		}
	}
	if !changed {
		t.write(raw)
		return
	}
	t.out.WriteString(token.String())
	t.parted = false
}

// isPlainKey reports whether the name of an attribute has only letters, in lower case.
func isPlainKey(key string) bool { return strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") == "" }

// bigURL reports whether a large attribute is a URL that may be kept.
func bigURL(a html.Attribute) bool {
	if a.Key != "href" && a.Key != "src" {
		return false
	}
	url := strings.TrimSpace(a.Val)
	return !strings.HasPrefix(url, "data:") || keptData.MatchString(url)
}

// keptData matches the images in data URIs that the sanitiser keeps.
var keptData = regexp.MustCompile(`^data:image/(gif|jpeg|png|svg\+xml|webp);base64,`)

const (
	// longestReference is more than how many bytes a character reference has.
	longestReference = 40
	// textPart is how many bytes of a text are looked at, at a time.
	textPart = 64 << 10
	// cutReference is how many bytes a reference that was cut seems to have too many, at both ends.
	cutReference = 2 * longestReference
)

// text counts a text.
func (t *trimmer) text(text []byte, raw bool) {
	for len(text) > 0 && t.least <= t.limit && !raw { // raw text may be removed
		part := string(text[:min(textPart, len(text))])
		text = text[len(part):]
		least := len(part) - strings.Count(part, "\r")
		if strings.Contains(part, "&") {
			least = min(least, len(html.UnescapeString(part))-strings.Count(part, "\r")) - cutReference
		}
		t.least += max(0, least)
	}
}
