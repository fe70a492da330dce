package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"platen.dev/projections"
	"platen.dev/store"
)

// Write stores rows as the chunks of a snapshot, which counts once its manifest is published.
func Write(ctx context.Context, files store.Files, ref Ref, rows projections.Rows, pace Pace) (Contents, error) {
	packer, err := NewPacker()
	if err != nil {
		return Contents{}, err
	}
	w := &writer{digest: sha256.New()}
	w.full = func(raw []byte) error {
		if err := pace(len(raw)); err != nil {
			return err
		}
		c, stored := packer.Pack(raw)
		_, err := files.Put(ctx, ref.Chunk(len(w.contents.Chunks)), bytes.NewReader(stored), maxStored)
		w.contents.Chunks = append(w.contents.Chunks, c)
		return err
	}
	if err := w.all(rows); err != nil {
		return Contents{}, fmt.Errorf("write %s: %w", ref, err)
	}
	return w.contents, nil
}

// Digest computes the digest of rows, their number and their size.
func Digest(rows projections.Rows, pace Pace) (Contents, error) {
	w := &writer{digest: sha256.New(), full: func(raw []byte) error { return pace(len(raw)) }}
	err := w.all(rows)
	return w.contents, err
}

// writer encodes rows and collects them in chunks.
type writer struct {
	digest   hash.Hash
	full     func(raw []byte) error // takes a chunk
	raw      []byte
	contents Contents
}

func (w *writer) all(rows projections.Rows) error {
	err := rows(w.row)
	if err == nil && len(w.raw) > 0 {
		err = w.chunk()
	}
	w.digest.Sum(w.contents.Digest[:0])
	return err
}

func (w *writer) row(key, value []byte) error {
	before := len(w.raw)
	w.raw = binary.AppendUvarint(w.raw, uint64(len(key)))
	w.raw = append(w.raw, key...)
	w.raw = binary.AppendUvarint(w.raw, uint64(len(value)))
	w.raw = append(w.raw, value...)
	if size := len(w.raw) - before; size > maxRow {
		return fmt.Errorf("the row %x has %d bytes", key, size)
	}
	w.contents.Count++
	if len(w.raw) < chunkBytes {
		return nil
	}
	return w.chunk()
}

func (w *writer) chunk() error {
	w.contents.Bytes += int64(len(w.raw))
	w.digest.Write(w.raw)
	err := w.full(w.raw)
	w.raw = w.raw[:0]
	return err
}
