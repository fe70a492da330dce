package events

// This file has the String methods of records; Describe explains what they show.

func (c Command) String() string { return text(c) }
func (m Marker) String() string  { return text(m) }
func (g Gap) String() string     { return text(g) }

// String shows the envelope's head and all its events.
func (e Envelope) String() string {
	s := text(e)
	for _, ev := range e.Events {
		s += " " + ev.String()
	}
	return s
}
