package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"platen.dev/store"
)

// MaxChunk is the maximum size of a chunk in bytes before compression.
const MaxChunk = chunkBytes + maxRow

// AbandonedAge is the age at which a chunk that no manifest names is abandoned. No snapshot or backup takes that long.
const AbandonedAge = 48 * time.Hour

// maxStored bounds a chunk's file: zstd makes incompressible data a little larger.
const maxStored = MaxChunk + 64<<10

// Chunk is one compressed file.
type Chunk struct {
	// Bytes is the size before compression; Stored and SHA256 are the file's.
	Bytes  int `json:"bytes"`
	Stored int `json:"stored"`
	SHA256 Sum `json:"sha256"`
}

// Check returns an error for an impossible chunk.
func (c Chunk) Check() error {
	if c.Bytes < 1 || c.Bytes >= MaxChunk || c.Stored < 1 || c.Stored > maxStored {
		return fmt.Errorf("%w: a chunk is said to have %d bytes in %d", ErrDamaged, c.Bytes, c.Stored)
	}
	return nil
}

// Packer compresses chunks. It reuses its memory.
type Packer struct {
	encoder *zstd.Encoder
	packed  []byte
}

// NewPacker returns a packer.
func NewPacker() (*Packer, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	return &Packer{encoder: encoder}, err
}

// Pack returns a chunk and the content of its file, which is valid until the next call.
func (p *Packer) Pack(raw []byte) (Chunk, []byte) {
	p.packed = p.encoder.EncodeAll(raw, p.packed[:0])
	return Chunk{Bytes: len(raw), Stored: len(p.packed), SHA256: sha256.Sum256(p.packed)}, p.packed
}

// Unpacker reads chunks from a store. It reuses its memory.
type Unpacker struct {
	files   store.Files
	decoder *zstd.Decoder
	raw     []byte
}

// NewUnpacker returns an unpacker, which the caller closes.
func NewUnpacker(files store.Files) (*Unpacker, error) {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxChunk))
	return &Unpacker{files: files, decoder: decoder}, err
}

// Stored returns the content of a chunk's file, verified by its checksum. The error is ErrDamaged if the checksum differs, or the file is missing.
func (u *Unpacker) Stored(ctx context.Context, name string, c Chunk) ([]byte, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	stored, err := readAll(ctx, u.files, name, int64(c.Stored))
	if errors.Is(err, store.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(stored) != c.SHA256 {
		return nil, fmt.Errorf("%w: %s does not have its checksum", ErrDamaged, name)
	}
	return stored, nil
}

// Read returns a chunk, valid until the next call. The error is ErrDamaged if it is not as written.
func (u *Unpacker) Read(ctx context.Context, name string, c Chunk) ([]byte, error) {
	stored, err := u.Stored(ctx, name, c)
	if err != nil {
		return nil, err
	}
	if u.raw, err = u.decoder.DecodeAll(stored, u.raw[:0]); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	if len(u.raw) != c.Bytes {
		return nil, fmt.Errorf("%w: %s has %d bytes, not %d", ErrDamaged, name, len(u.raw), c.Bytes)
	}
	return u.raw, nil
}

// Close releases the memory.
func (u *Unpacker) Close() { u.decoder.Close() }
