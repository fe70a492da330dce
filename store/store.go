// Package store keeps the files that jobs produce. A file is stored completely or not at
// all, under a name that the caller chooses, usually a job id with an extension.
//
// Dir keeps them in a directory, which nodes may share. Any other back end must give the
// guarantees that the methods of Dir document.
package store

import (
	"errors"
	"fmt"
	"io"
)

// Errors for errors.Is.
var (
	// ErrNotExist means that there is no file with the name.
	ErrNotExist = errors.New("file does not exist")
	// ErrTooLarge refuses content above the caller's limit, of which nothing is kept.
	ErrTooLarge = errors.New("file exceeds the size limit")
	// ErrName refuses a name that is not made of 1 to 128 ASCII letters, digits, dots,
	// dashes and underscores, or does not begin with a letter or digit.
	ErrName = errors.New("invalid file name")
)

const maxName = 128

// File is an open file. It stays readable after the file was replaced or deleted.
type File struct {
	io.ReadSeekCloser
	// Size is in bytes.
	Size int64
}

// checkName returns nil or ErrName. No valid name has a special meaning in a path, a shell
// or a URL.
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
