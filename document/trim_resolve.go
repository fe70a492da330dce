package document

import (
	"strings"

	"golang.org/x/net/html"
)

// resolver resolves references in attribute values, which follow other rules than those in texts. It uses one tokenizer
// for all of them, which reads a tag made for each.
type resolver struct {
	tokens *html.Tokenizer
	tag    strings.Reader
}

// resolve returns the value of an attribute with its references resolved.
func (r *resolver) resolve(a tagAttribute) string {
	if strings.IndexByte(a.value, '&') < 0 && strings.IndexByte(a.value, '\r') < 0 && strings.IndexByte(a.value, 0) < 0 {
		return a.value
	}
	if r.tokens == nil {
		r.tokens = html.NewTokenizer(&r.tag)
	}
	r.tag.Reset("<a a=" + a.quoted + " >")
	r.tokens.Next()
	_, value, _ := r.tokens.TagAttr()
	return string(value)
}
