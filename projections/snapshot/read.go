package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"platen.dev/projections"
	"platen.dev/store"
)

// Rows returns the rows of a snapshot. A chunk is checked before any row of it is visited, the whole
// after the last one: whoever uses the rows must drop them if there is an error.
func (m Manifest) Rows(ctx context.Context, files store.Files, ref Ref, pace Pace) projections.Rows {
	return func(visit func(key, value []byte) error) error {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(chunkBytes+maxRow))
		if err != nil {
			return err
		}
		defer decoder.Close()
		r := reader{files: files, ref: ref, decoder: decoder}
		digest, rows := sha256.New(), int64(0)
		for i, c := range m.Chunks {
			if err := pace(c.Bytes); err != nil {
				return err
			}
			raw, err := r.chunk(ctx, i, c)
			if err != nil {
				return err
			}
			digest.Write(raw)
			n, err := eachRow(raw, visit)
			if err != nil {
				return fmt.Errorf("chunk %d of %s: %w", i, ref, err)
			}
			rows += n
		}
		if rows != m.Count || Sum(digest.Sum(nil)) != m.Digest {
			return fmt.Errorf("%w: the rows of %s do not have their digest", ErrDamaged, ref)
		}
		return nil
	}
}

// reader reads the chunks of a snapshot. It reuses its memory.
type reader struct {
	files   store.Files
	ref     Ref
	decoder *zstd.Decoder
	raw     []byte
}

// chunk returns the rows of a chunk, which are valid until the next call.
func (r *reader) chunk(ctx context.Context, index int, c Chunk) ([]byte, error) {
	name := r.ref.chunk(index)
	stored, err := readAll(ctx, r.files, name, int64(c.Stored))
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(stored) != c.SHA256 {
		return nil, fmt.Errorf("%w: %s does not have its checksum", ErrDamaged, name)
	}
	if r.raw, err = r.decoder.DecodeAll(stored, r.raw[:0]); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	if len(r.raw) != c.Bytes {
		return nil, fmt.Errorf("%w: %s has %d bytes of rows, not %d", ErrDamaged, name, len(r.raw), c.Bytes)
	}
	return r.raw, nil
}

// eachRow visits the rows of a chunk.
func eachRow(raw []byte, visit func(key, value []byte) error) (n int64, err error) {
	for len(raw) > 0 {
		var key, value []byte
		var ok [2]bool
		key, raw, ok[0] = cut(raw)
		value, raw, ok[1] = cut(raw)
		if !ok[0] || !ok[1] {
			return n, fmt.Errorf("%w: a row ends early", ErrDamaged)
		}
		if err := visit(key, value); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// cut takes what begins with its length from the front of raw.
func cut(raw []byte) (part, rest []byte, ok bool) {
	size, n := binary.Uvarint(raw)
	if n <= 0 || size > uint64(len(raw)-n) {
		return nil, nil, false
	}
	end := n + int(size)
	return raw[n:end:end], raw[end:], true
}
