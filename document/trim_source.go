package document

import "io"

// maxSeparators bounds the attributes of one tag, by the characters between them. Base64 in a
// data URI has some as well.
const maxSeparators = 300_000

// source feeds a tokenizer, and stops when a tag turns out to have too many attributes, or a text to be too long.
type source struct {
	text    string
	read    int // how much the tokenizer has got
	start   int // where the present token begins
	raw     bool
	counted int // of the present tag: up to where separators were counted
	found   int
	refused bool
	// mostText is how many bytes the present token may have if it is text.
	mostText int
}

// begin notes that a token begins: whether it is raw text, and how many bytes it may have if it is text
// that is to be shown.
func (s *source) begin(raw bool, mostText int) {
	s.raw, s.counted, s.found, s.mostText = raw, s.start, 0, mostText
}

// pass notes that a token of so many bytes has ended.
func (s *source) pass(bytes int) { s.start += bytes }

// Read implements io.Reader.
func (s *source) Read(b []byte) (int, error) {
	if s.inTag() {
		s.found += separators(s.text[s.counted:s.read])
		s.counted = s.read
		if s.found > maxSeparators {
			s.refused = true
			return 0, ErrTooLarge
		}
	}
	if !s.raw && s.read-s.start > s.mostText && s.text[s.start] != '<' {
		s.refused = true
		return 0, ErrTooLarge
	}
	n := copy(b, s.text[s.read:])
	s.read += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// inTag reports whether the present token is a start tag.
func (s *source) inTag() bool {
	if s.raw || s.start+1 >= s.read || s.text[s.start] != '<' {
		return false
	}
	c := s.text[s.start+1] | 0x20
	return c >= 'a' && c <= 'z'
}

// separators counts what may stand between attributes.
func separators(text string) (n int) {
	for _, c := range []byte(text) {
		switch c {
		case ' ', '\t', '\n', '\r', '\f', '/', '"', '\'':
			n++
		}
	}
	return n
}
