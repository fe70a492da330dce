package schema

import (
	"bytes"
	"encoding/json"
)

// Ordered is a JSON object whose members keep their order: readers of a description
// expect the order of its author, and a map would be written in alphabetical order.
type Ordered []Member

// Member is one member of an Ordered.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order, and <, > and & as they are.
func (o Ordered) MarshalJSON() ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			text.WriteByte(',')
		}
		if err := m.write(&text); err != nil {
			return nil, err
		}
	}
	text.WriteByte('}')
	return text.Bytes(), nil
}

func (m Member) write(text *bytes.Buffer) error {
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	if err := e.Encode(m.Name); err != nil {
		return err
	}
	text.WriteByte(':')
	return e.Encode(m.Value)
}
