package schema

import "bytes"

// maxValues bounds the JSON values in a body, because each takes much more memory and time than its
// text. No request needs nearly as many.
const maxValues = 50_000

// tooMany is the offset at which a text has too many JSON values, -1 if it has not. It need not be JSON.
func tooMany(text []byte) int {
	values := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i+1)
		case ',', ':', '[', '{':
			if values++; values > maxValues {
				return i
			}
		}
	}
	return -1
}

// endOfString is the offset of the quote that ends a string, or the length of the text.
func endOfString(text []byte, from int) int {
	for {
		quote := bytes.IndexByte(text[from:], '"')
		if quote < 0 {
			return len(text)
		}
		at := from + quote
		escapes := 0
		for at-escapes > from && text[at-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return at
		}
		from = at + 1
	}
}
