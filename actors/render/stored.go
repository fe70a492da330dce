package render

import (
	"context"
	"errors"
	"fmt"
	"io"

	"platen.dev/actors/command"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/store"
)

// maxStored bounds how much stored content is read, in bytes: a body, and the overhead of its encoding and encryption.
const maxStored = contract.MaxBody + 1<<20

// stored puts the stored part of a content back. It is deleted when the job ends, so if it is gone, the job has ended or the store has lost it.
func (w *work) stored(ctx context.Context, c events.Content) (events.Content, error) {
	sealed, err := w.readStored(ctx, c.Stored.File)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return c, fmt.Errorf("%w: %w", command.ErrLost, err)
	case errors.Is(err, store.ErrCorrupt):
		return c, fmt.Errorf("%w: %w", command.ErrDamaged, err)
	case err != nil:
		return c, fmt.Errorf("stored content: %w: %w", errInfrastructure, err)
	}
	part, err := w.cfg.Unseal(w.job, sealed)
	if err != nil {
		return c, fmt.Errorf("stored content: %w", err)
	}
	return c.Attach([]byte(part))
}

func (w *work) readStored(ctx context.Context, name string) ([]byte, error) {
	f, err := w.cfg.Files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size > maxStored {
		return nil, fmt.Errorf("%w: %d bytes", store.ErrCorrupt, f.Size)
	}
	sealed := make([]byte, f.Size)
	_, err = io.ReadFull(f, sealed)
	return sealed, err
}
