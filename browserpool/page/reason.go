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

// Because adds to an error a sentence for the requester of the file: it contains no secrets, and no addresses except
// those that the job or its document names.
func Because(err error, format string, args ...any) error {
	return reason{err, fmt.Sprintf(format, args...)}
}

// Reason returns the sentence of an error; "" if it has none.
func Reason(err error) string {
	var r reason
	if errors.As(err, &r) {
		return r.sentence
	}
	return ""
}
