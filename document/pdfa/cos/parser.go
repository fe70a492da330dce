package cos

import (
	"cmp"
	"fmt"
)

// object parses one object, or an Operator. refs allows references, which content streams
// do not have.
func (l *lexer) object(refs bool) (any, error) {
	token, err := l.token()
	if err != nil {
		return nil, err
	}
	return l.objectFrom(token, 0, refs)
}

// objectHead reads the head of an indirect object ("12 0 obj"), and reports whether it is that of a number; 0 stands for any.
func (l *lexer) objectHead(number int) bool {
	found, err := l.token()
	if n, ok := found.(int64); err != nil || !ok || number != 0 && int(n) != number {
		return false
	}
	if _, err = l.token(); err != nil {
		return false
	}
	keyword, err := l.token()
	return err == nil && keyword == Operator("obj")
}

func (l *lexer) objectFrom(token any, depth int, refs bool) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: objects nested deeper than %d", ErrSyntax, maxDepth)
	}
	switch t := token.(type) {
	case delimiter:
		switch t {
		case "[":
			return l.array(depth, refs)
		case "<<":
			return l.dict(depth, refs)
		}
		return nil, fmt.Errorf("%w: unexpected %s at byte %d", ErrSyntax, t, l.pos)
	case int64:
		if refs {
			return l.refOrInt(t), nil
		}
	}
	return token, nil
}

// refOrInt parses the rest of a reference that may begin with a number. If it is not a
// reference, it returns the number.
func (l *lexer) refOrInt(number int64) any {
	back := l.pos
	generation, err := l.token()
	if g, ok := generation.(int64); err == nil && ok && g >= 0 && g <= 65535 && number >= 0 && number < 1<<31 {
		if keyword, err := l.token(); err == nil && keyword == Operator("R") {
			return Ref{int(number), int(g)}
		}
	}
	l.pos = back
	return number
}

func (l *lexer) array(depth int, refs bool) (any, error) {
	array := Array{}
	for {
		token, err := l.token()
		if err != nil {
			return nil, err
		}
		if token == delimiter("]") {
			return array, nil
		}
		value, err := l.objectFrom(token, depth+1, refs)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
}

func (l *lexer) dict(depth int, refs bool) (any, error) {
	dict := Dict{}
	for {
		token, err := l.token()
		if err != nil {
			return nil, err
		}
		if token == delimiter(">>") {
			return dict, nil
		}
		key, ok := token.(Name)
		if !ok {
			return nil, fmt.Errorf("%w: dictionary key %v at byte %d is not a name", ErrSyntax, token, l.pos)
		}
		if token, err = l.token(); err != nil {
			return nil, err
		}
		if token == delimiter(">>") { // some producers write a key without a value
			return dict, nil
		}
		value, err := l.objectFrom(token, depth+1, refs)
		if err != nil {
			return nil, err
		}
		if _, twice := dict[key]; !twice {
			dict[key] = value
		}
	}
}

// Content parses a content stream.
type Content struct {
	lexer lexer
	// Deviations are those of what has been parsed so far.
	Deviations Deviations
	// Operands is how many operands of an operator are kept; 0 means 64, more than any operator of a page has.
	Operands int
}

// NewContent returns a parser for decoded content stream data.
func NewContent(data []byte) *Content {
	c := &Content{lexer: lexer{data: data}}
	c.lexer.deviations = &c.Deviations
	return c
}

// Offset returns how many bytes have been parsed.
func (c *Content) Offset() int { return c.lexer.pos }

// maxOperands is the default number of operands to keep. Only hostile pages have more.
const maxOperands = 64

// Next returns the next operator and its operands. It reuses the slice that it is given for
// them. The operator is "" at the end. An inline image is the operator "BI" with the
// image's dictionary.
func (c *Content) Next(operands []any) (Operator, []any, error) {
	operands = operands[:0]
	for {
		c.lexer.skipSpace()
		if c.lexer.pos >= len(c.lexer.data) {
			return "", operands, nil
		}
		value, err := c.lexer.object(false)
		if err != nil {
			return "", operands, err
		}
		if operator, ok := value.(Operator); ok {
			if operator == "BI" {
				return c.inlineImage(operands)
			}
			return operator, operands, nil
		}
		if len(operands) < cmp.Or(c.Operands, maxOperands) {
			operands = append(operands, value)
		}
	}
}

// inlineImage reads the dictionary of an inline image and skips its data.
func (c *Content) inlineImage(operands []any) (Operator, []any, error) {
	dict := Dict{}
	for {
		key, err := c.lexer.token()
		if err != nil {
			return "", nil, err
		}
		if key == Operator("ID") {
			break
		}
		name, ok := key.(Name)
		if !ok {
			return "", nil, fmt.Errorf("%w: inline image key %v is not a name", ErrSyntax, key)
		}
		if dict[name], err = c.lexer.object(false); err != nil {
			return "", nil, err
		}
	}
	data := c.lexer.data
	for i := c.lexer.pos + 1; i+2 < len(data)+1; i++ {
		if isSpace(data[i-1]) && i+1 < len(data) && data[i] == 'E' && data[i+1] == 'I' && (i+2 == len(data) || isSpace(data[i+2])) {
			c.lexer.pos = i + 2
			return "BI", append(operands, dict), nil
		}
	}
	return "", nil, fmt.Errorf("%w: an inline image does not end", ErrSyntax)
}
