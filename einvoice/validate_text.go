package einvoice

import (
	"fmt"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/schema"
)

// characterData adds text to the element that holds it, or reports that none is allowed.
func (v *validator) characterData(token *markup.Token) {
	f := &v.frames[len(v.frames)-1]
	switch {
	case f.node == nil:
	case f.node.child.Type.Kind.IsText():
		v.appendText(f, token.Text)
	case f.textReported:
	case token.CData || strings.Trim(token.Text, schema.WhiteSpace) != "" || f.node.child.Type.IsEmpty():
		f.textReported = true
		v.report(firstNonSpace(token), describeText(token), expectedWithoutText(f.node.child.Type))
	}
}

// firstNonSpace is the offset of the first character that is not white space.
func firstNonSpace(token *markup.Token) int {
	if token.CData {
		return token.Offset
	}
	return token.Offset + len(token.Text) - len(strings.TrimLeft(token.Text, schema.WhiteSpace))
}

func describeText(token *markup.Token) string {
	text := strings.Trim(token.Text, schema.WhiteSpace)
	switch {
	case text != "":
		return fmt.Sprintf("text %q", markup.Excerpt(text))
	case token.CData:
		return "a CDATA section"
	}
	return "white space"
}

func expectedWithoutText(typ *schema.Type) string {
	if typ.IsEmpty() {
		return "an empty element"
	}
	return "elements only"
}

// appendText joins the tokens of an element's text. Mostly there is only one, which
// needs no copy.
func (v *validator) appendText(f *frame, text string) {
	if f.textTokens++; f.textTokens == 1 {
		f.node.text = text
		return
	}
	if f.textTokens == 2 {
		v.buffer = append(v.buffer[:0], f.node.text...)
	}
	v.buffer = append(v.buffer, text...)
}

func (v *validator) checkText(f *frame, typ *schema.Type) {
	if f.textTokens > 1 {
		f.node.text = string(v.buffer)
	}
	if !typ.Kind.Accepts(f.node.text) {
		v.report(int(f.node.offset), fmt.Sprintf("%q", markup.Excerpt(f.node.text)), typ.Kind.Describe())
	}
	if text := typ.Kind.Normalize(f.node.text); len(text) < len(f.node.text) {
		f.node.raw, f.node.text = f.node.text, text
	} else {
		f.node.text = text
	}
}
