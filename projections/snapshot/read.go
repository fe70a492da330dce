package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"platen.dev/projections"
	"platen.dev/store"
)

// Rows returns the rows of a snapshot. Each chunk is checked before any of its rows is visited, the
// whole after the last one: the caller must drop the rows if there is an error.
func (m Manifest) Rows(ctx context.Context, files store.Files, ref Ref, pace Pace) projections.Rows {
	return func(visit func(key, value []byte) error) error {
		u, err := NewUnpacker(files)
		if err != nil {
			return err
		}
		defer u.Close()
		digest, rows := sha256.New(), int64(0)
		for i, c := range m.Chunks {
			if err := pace(c.Bytes); err != nil {
				return err
			}
			raw, err := u.Read(ctx, ref.Chunk(i), c)
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

// cut takes a length-prefixed part from the front of raw.
func cut(raw []byte) (part, rest []byte, ok bool) {
	size, n := binary.Uvarint(raw)
	if n <= 0 || size > uint64(len(raw)-n) {
		return nil, nil, false
	}
	end := n + int(size)
	return raw[n:end:end], raw[end:], true
}
