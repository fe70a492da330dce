package page

import (
	"errors"
	"fmt"
)

// reason is an error with a sentence for whoever asked for the file.
type reason struct {
	error
	sentence string
}

func (r reason) Unwrap() error { return r.error }

// Because gives an error a sentence that may be shown to whoever asked for the file: it has no
// secret, and no address but those that the job or its document names.
func Because(err error, format string, args ...any) error {
	return reason{err, fmt.Sprintf(format, args...)}
}

// Reason is the sentence that an error was given; "" if it has none.
func Reason(err error) string {
	var r reason
	if errors.As(err, &r) {
		return r.sentence
	}
	return ""
}
