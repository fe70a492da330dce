// Package store keeps the files that jobs produce. A file is stored completely or not at
// all, under a name that the caller chooses, usually a job id with an extension.
//
// Files is the contract. Dir keeps files in a directory, which nodes may share, and S3 in a
// bucket.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Files keeps files by name. It is safe for concurrent use, even by several processes on one
// store. No method waits forever: each ends soon after ctx has ended, or with an error when
// the store is silent. A name that is not valid gives ErrName. Open, Delete and Each give
// ErrGone when the store itself is not there.
type Files interface {
	// Put stores the content of r as the file name, and returns its size in bytes. It replaces
	// an existing file atomically: a reader sees the old or the new file, never a mixture or a
	// part. When Put returns nil, the file is durable. When it returns an error, nothing has
	// changed, unless only the very last step failed: then the new file may be there, whole.
	// Content of more than limit bytes gives ErrTooLarge. Put takes a bounded amount of memory.
	Put(ctx context.Context, name string, r io.Reader, limit int64) (size int64, err error)
	// Open opens a file for reading, or returns ErrNotExist. The caller closes it. ctx is for
	// opening only; the file may be read after it has ended.
	Open(ctx context.Context, name string) (*File, error)
	// Delete durably deletes a file. It returns nil if the file does not exist.
	Delete(ctx context.Context, name string) error
	// Each calls visit with the name of every stored file, its size in bytes, and when it was stored, in no particular order, until visit returns an
	// error, which it returns. Files that come or go meanwhile may be left out.
	Each(ctx context.Context, visit func(name string, size int64, stored time.Time) error) error
}

// Errors for errors.Is.
var (
	// ErrNotExist means that no file has the name. It is fs.ErrNotExist, so callers can test for it without importing this package.
	ErrNotExist = fs.ErrNotExist
	// ErrGone means that the whole store is not there, as that of a disk that is not mounted. It says nothing about a file.
	ErrGone = errors.New("the directory of the store is not there: mount its disk")
	// ErrTooLarge means that content exceeds the caller's limit; nothing of it is kept.
	ErrTooLarge = errors.New("file exceeds the size limit")
	// ErrName means that a name is not made of 1 to 128 ASCII letters, digits, dots, dashes and underscores, or does not begin with a letter or digit.
	ErrName = errors.New("invalid file name")
	// ErrCorrupt means that the content is not what was stored.
	ErrCorrupt = errors.New("the content does not have its checksum")
)

const maxName = 128

// File is an open file. Reading it yields all Size bytes or an error. If the file is replaced or deleted meanwhile, reading continues with the opened
// one.
type File struct {
	io.ReadCloser
	// Size is in bytes.
	Size int64
}

// CheckName returns nil or ErrName. No valid name has a special meaning in a path, a shell
// or a URL.
func CheckName(name string) error {
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
