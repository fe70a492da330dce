package dashboard

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/schema"
)

// Bounds of showing a text of a request, in bytes: how much of it at most, and how much without unfolding it.
const (
	maxExcerpt = 4 << 10
	maxLine    = 200
)

// given is a field of a request, under its path in the API. A hidden one is a credential and has no value.
type given struct {
	path, value string
	hidden      bool
}

// flat lists the fields of a request, including those of nested objects, as texts. A value that is neither a text nor an object becomes JSON.
func flat(members schema.Ordered) (all []given) {
	for _, m := range members {
		switch v := m.Value.(type) {
		case schema.Ordered:
			for _, g := range flat(v) {
				g.path = m.Name + "." + g.path
				all = append(all, g)
			}
		case schema.Hidden:
			all = append(all, given{path: m.Name, hidden: true})
		case string:
			all = append(all, given{path: m.Name, value: v})
		default:
			text, _ := json.Marshal(v) // cannot fail for texts, bytes and numbers
			all = append(all, given{path: m.Name, value: string(text)})
		}
	}
	return all
}

// excerpt is the beginning of a text, whole characters.
func excerpt(s string) string {
	if len(s) <= maxExcerpt {
		return s
	}
	cut := maxExcerpt
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + " …"
}

// options returns the fields as a record shows them: long texts are cut short.
func options(all []given) (shown []page.Option) {
	for _, a := range all {
		o := page.Option{Name: a.path, Value: a.value, Hidden: a.hidden}
		if len(a.value) > maxLine || strings.ContainsRune(a.value, '\n') {
			o.Bytes, o.Value = int64(len(a.value)), excerpt(a.value)
		}
		shown = append(shown, o)
	}
	return shown
}
