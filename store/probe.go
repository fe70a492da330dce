package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// ProbePrefix is the name prefix of files for testing a store. A killed process may leave one.
const ProbePrefix = "probe-"

// Probe performs every file operation on a test file, and returns the first that the store cannot do. name follows ProbePrefix, and should be unique
// to the caller.
func Probe(ctx context.Context, files Files, name string, content []byte) error {
	name = ProbePrefix + name
	if _, err := files.Put(ctx, name, bytes.NewReader(content), int64(len(content))); err != nil {
		return err
	}
	if err := readProbe(ctx, files, name, content); err != nil {
		return errors.Join(err, files.Delete(ctx, name))
	}
	if err := files.Delete(ctx, name); err != nil {
		return err
	}
	f, err := files.Open(ctx, name)
	switch {
	case errors.Is(err, ErrNotExist):
		return nil
	case err == nil:
		return errors.Join(fmt.Errorf("%s was deleted and is still there", name), f.Close())
	}
	return fmt.Errorf("%s was deleted: %w", name, err)
}

// readProbe checks that a file is there, and listed.
func readProbe(ctx context.Context, files Files, name string, want []byte) error {
	f, err := files.Open(ctx, name)
	if err != nil {
		return err
	}
	got, err := io.ReadAll(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("read %s: the content is not what was stored", name)
	}
	listed := errors.New("listed")
	err = files.Each(ctx, func(string, int64, time.Time) error { return listed })
	switch {
	case errors.Is(err, listed):
		return nil
	case err == nil:
		return fmt.Errorf("list files: %s is missing", name)
	}
	return err
}
