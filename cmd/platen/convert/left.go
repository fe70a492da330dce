package convert

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// parts are what sanitised HTML does not have, in the order in which they are reported.
var parts = []string{"style sheets", "scripts", "frames", "drawings", "pictures of its folder"}

// leftOut says which parts of an HTML document sanitising leaves out, or nothing if there are none.
func leftOut(source string) string {
	count := map[string]int{}
	for tokens := html.NewTokenizer(strings.NewReader(source)); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			var said []string
			for _, part := range parts {
				if n := count[part]; n > 0 {
					said = append(said, fmt.Sprintf("%s (%d)", part, n))
				}
			}
			if said == nil {
				return ""
			}
			return "left out: " + strings.Join(said, ", ") + "; --html-mode full shows them"
		case html.StartTagToken, html.SelfClosingTagToken:
			t := tokens.Token()
			count[partOf(t)]++
			count["pictures of its folder"] += picturesOfFolder(t)
		}
	}
}

// partOf returns which of the parts an element is, or "".
func partOf(t html.Token) string {
	switch t.Data {
	case "style":
		return "style sheets"
	case "link":
		if slices.Contains(strings.Fields(strings.ToLower(attributeOf(t.Attr, "rel"))), "stylesheet") {
			return "style sheets"
		}
	case "script":
		return "scripts"
	case "iframe", "object", "embed":
		return "frames"
	case "svg":
		return "drawings"
	}
	return ""
}

// picturesOfFolder counts the pictures and backgrounds of an element that files of the folder would show.
func picturesOfFolder(t html.Token) (n int) {
	at := append(matches(cssReference, attributeOf(t.Attr, "style")), attributeOf(t.Attr, "background"))
	if t.Data == "img" {
		at = append(at, attributeOf(t.Attr, "src"))
	}
	for _, reference := range at {
		if relativePath(reference) != "" {
			n++
		}
	}
	return n
}

// attributeOf returns the value of an element's attribute, or "".
func attributeOf(all []html.Attribute, name string) string {
	at := slices.IndexFunc(all, func(a html.Attribute) bool { return a.Key == name })
	if at < 0 {
		return ""
	}
	return all[at].Val
}
