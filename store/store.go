// Package store keeps the files that jobs produce. A file appears whole or not at
// all, under a name that the caller chooses, usually a job id with an extension.
//
// Dir keeps them in a directory of one machine. What it promises is what any
// other back end has to promise as well.
package store

import (
	"errors"
	"fmt"
	"io"
)

// Errors that callers tell apart; wrap-safe with errors.Is.
var (
	// ErrNotExist answers for a name under which nothing is kept.
	ErrNotExist = errors.New("file does not exist")
	// ErrTooLarge refuses content above the caller's limit; nothing is kept.
	ErrTooLarge = errors.New("file exceeds the size limit")
	// ErrName refuses a name that is not 1 to 128 letters, digits, dots, dashes and
	// underscores, beginning with a letter or digit.
	ErrName = errors.New("invalid file name")
)

const maxName = 128

// File is an open file. It stays readable when its name is replaced or deleted.
type File struct {
	io.ReadSeekCloser
	// Size is the length in bytes.
	Size int64
}

// checkName admits no name that a path, a shell or a URL would read differently.
func checkName(name string) error {
	if name == "" || len(name) > maxName || !alphanumeric(name[0]) {
		return fmt.Errorf("%w: %.140q", ErrName, name)
	}
	for i := range len(name) {
		if c := name[i]; !alphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return fmt.Errorf("%w: %.140q", ErrName, name)
		}
	}
	return nil
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
