package schema

import "encoding/base64"

// Bytes is a JSON string that holds bytes in standard base64 (RFC 4648, section 4).
type Bytes struct{}

func (b Bytes) check(d *decoder, value any) { b.decode(d, value) }

func (Bytes) decode(d *decoder, value any) []byte {
	text, ok := value.(string)
	if !ok {
		d.refuse("string_type", "Input should be a valid string")
		return nil
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		d.refuse("value_error", "Value error, it must be standard base64 with padding")
		return nil
	}
	return decoded
}

func (Bytes) canonical(value any) any { return value }

func (Bytes) describe(*describer) JSONSchema {
	return JSONSchema{"type": "string", "contentEncoding": "base64"}
}
