// Package terminal writes for people. Names, addresses, errors and other untrusted text are shown, and never obeyed: no control character reaches the
// terminal, and none ends a line or a column.
package terminal

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"unicode/utf8"

	"platen.dev/events/contract"
)

// Lines writes lines.
type Lines struct{ w io.Writer }

// To returns Lines that write to w.
func To(w io.Writer) Lines { return Lines{w} }

// Printf is fmt.Fprintf; each argument stays within its line and column.
func (l Lines) Printf(format string, args ...any) error {
	shown := make([]any, len(args))
	for i, arg := range args {
		shown[i] = plain{arg}
	}
	_, err := fmt.Fprintf(l.w, format, shown...)
	return err
}

// Text writes a text with its own lines and columns.
func (l Lines) Text(text string) error {
	_, err := io.WriteString(l.w, contract.PlainLines(text))
	return err
}

// Progress writes the state of long work on one line that the next state replaces, if w is a terminal. An empty one ends the line.
func Progress(w io.Writer, format string, args ...any) {
	if f, is := w.(*os.File); !is || !interactive(f) {
		return
	}
	if format == "" {
		_, _ = io.WriteString(w, "\n") // nothing depends on it
		return
	}
	_ = Lines{w}.Printf("\r"+format, args...)
}

// interactive reports whether somebody may watch f.
func interactive(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Table writes lines with aligned, tab-separated columns.
func Table(w io.Writer, write func(Lines)) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	write(Lines{columns})
	return columns.Flush()
}

// plain is a value as contract.Plain shows it.
type plain struct{ value any }

// Format implements fmt.Formatter.
func (p plain) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, contract.Plain(fmt.Sprintf(fmt.FormatString(f, verb), p.value)))
}

// Escaped returns a writer to w that escapes like PlainLines: lines, or JSON values, which keep their meaning. It may be used by one goroutine at a
// time. A character may be split between calls; it is written with its rest.
func Escaped(w io.Writer) io.Writer { return &escaped{w: w} }

type escaped struct {
	w   io.Writer
	cut []byte // the beginning of a character
}

// Write implements io.Writer.
func (e *escaped) Write(b []byte) (int, error) {
	text := append(e.cut, b...)
	whole := wholeCharacters(text)
	if _, err := io.WriteString(e.w, contract.PlainLines(string(text[:whole]))); err != nil {
		return 0, err
	}
	e.cut = append([]byte(nil), text[whole:]...)
	return len(b), nil
}

// wholeCharacters returns the number of bytes before a character that is split by the end.
func wholeCharacters(text []byte) int {
	for at := len(text) - 1; at >= 0 && at > len(text)-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}
