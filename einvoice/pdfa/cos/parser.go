package cos

import "fmt"

// object reads one whole object; references are seen as such when refs is set, which
// they are everywhere but in content streams. An operator is returned as one.
func (l *lexer) object(depth int, refs bool) (any, error) {
	token, err := l.next()
	if err != nil {
		return nil, err
	}
	return l.complete(token, depth, refs)
}

func (l *lexer) complete(token any, depth int, refs bool) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: objects nested deeper than %d", ErrSyntax, maxDepth)
	}
	switch t := token.(type) {
	case mark:
		switch t {
		case "[":
			return l.array(depth, refs)
		case "<<":
			return l.dict(depth, refs)
		}
		return nil, fmt.Errorf("%w: stray %s at %d", ErrSyntax, t, l.at)
	case int64:
		if refs {
			return l.reference(t), nil
		}
	}
	return token, nil
}

// reference is the reference that begins with a number, or just that.
func (l *lexer) reference(number int64) any {
	back := l.at
	generation, err := l.next()
	if g, ok := generation.(int64); err == nil && ok && g >= 0 && g <= 65535 && number >= 0 && number < 1<<31 {
		if keyword, err := l.next(); err == nil && keyword == Operator("R") {
			return Ref{int(number), int(g)}
		}
	}
	l.at = back
	return number
}

func (l *lexer) array(depth int, refs bool) (any, error) {
	array := Array{}
	for {
		token, err := l.next()
		if err != nil {
			return nil, err
		}
		if token == mark("]") {
			return array, nil
		}
		value, err := l.complete(token, depth+1, refs)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
}

func (l *lexer) dict(depth int, refs bool) (any, error) {
	dict := Dict{}
	for {
		token, err := l.next()
		if err != nil {
			return nil, err
		}
		if token == mark(">>") {
			return dict, nil
		}
		key, ok := token.(Name)
		if !ok {
			return nil, fmt.Errorf("%w: dictionary key %v at %d is no name", ErrSyntax, token, l.at)
		}
		if token, err = l.next(); err != nil {
			return nil, err
		}
		if token == mark(">>") { // a key without a value, as some write it
			return dict, nil
		}
		value, err := l.complete(token, depth+1, refs)
		if err != nil {
			return nil, err
		}
		if _, twice := dict[key]; !twice {
			dict[key] = value
		}
	}
}

// Content reads the operations of a content stream.
type Content struct {
	lexer lexer
	// Faults are those of what was read until now.
	Faults Faults
}

// NewContent reads the bytes of a content stream, its filters undone.
func NewContent(data []byte) *Content {
	c := &Content{lexer: lexer{data: data}}
	c.lexer.faults = &c.Faults
	return c
}

// maxOperands is what an operation may have; more are dropped. Only a wild stream has them.
const maxOperands = 64

// Next is the next operator with its operands, which are valid until the next call. The
// operator is "" at the end. An inline image is the operator "BI" with its dictionary.
func (c *Content) Next(operands []any) (Operator, []any, error) {
	operands = operands[:0]
	for {
		c.lexer.skipSpace()
		if c.lexer.at >= len(c.lexer.data) {
			return "", operands, nil
		}
		value, err := c.lexer.object(0, false)
		if err != nil {
			return "", operands, err
		}
		if operator, ok := value.(Operator); ok {
			if operator == "BI" {
				return c.inlineImage(operands)
			}
			return operator, operands, nil
		}
		if len(operands) < maxOperands {
			operands = append(operands, value)
		}
	}
}

// inlineImage reads up to the end of the image that has begun.
func (c *Content) inlineImage(operands []any) (Operator, []any, error) {
	dict := Dict{}
	for {
		key, err := c.lexer.next()
		if err != nil {
			return "", nil, err
		}
		if key == Operator("ID") {
			break
		}
		name, ok := key.(Name)
		if !ok {
			return "", nil, fmt.Errorf("%w: inline image key %v", ErrSyntax, key)
		}
		if dict[name], err = c.lexer.object(0, false); err != nil {
			return "", nil, err
		}
	}
	data := c.lexer.data
	for i := c.lexer.at + 1; i+2 < len(data)+1; i++ {
		if isSpace(data[i-1]) && i+1 < len(data) && data[i] == 'E' && data[i+1] == 'I' && (i+2 == len(data) || isSpace(data[i+2])) {
			c.lexer.at = i + 2
			return "BI", append(operands, dict), nil
		}
	}
	return "", nil, fmt.Errorf("%w: inline image without end", ErrSyntax)
}
