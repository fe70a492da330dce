package snapshot

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"platen.dev/projections"
	"platen.dev/store"
)

const (
	// Format is the version of the files.
	Format = 1
	// chunkBytes is how many bytes of rows fill a chunk, before compression.
	chunkBytes = 4 << 20
	// maxRow bounds a row, and so a chunk's excess over chunkBytes.
	maxRow = 2 << 20
	// maxManifest bounds a manifest in bytes: some 80,000 chunks, or 300 GB of rows.
	maxManifest = 16 << 20
	manifestEnd = ".manifest"
)

// ErrDamaged means that the files of a snapshot are not as they were written.
var ErrDamaged = errors.New("the snapshot is damaged")

// Ref names a snapshot.
type Ref struct {
	Partition int32
	// Next is the offset of the first journal record that is not in it.
	Next int64
	// ID distinguishes snapshots of the same offset.
	ID string
}

// NewRef returns the name of a new snapshot.
func NewRef(partition int32, next int64) Ref {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails
	return Ref{partition, next, hex.EncodeToString(id[:])}
}

func (r Ref) String() string { return fmt.Sprintf("p%04d-%016x-%s", r.Partition, r.Next, r.ID) }

// Chunk is the name of a chunk's file.
func (r Ref) Chunk(index int) string { return fmt.Sprintf("%s.%05d", r, index) }

var fileName = regexp.MustCompile(`^p(\d{4,5})-([0-7][0-9a-f]{15})-([0-9a-f]{16})(\.manifest|\.\d{5,6})$`)

// parseName returns the snapshot that a file of the store belongs to; false if there is none.
func parseName(name string) (r Ref, manifest, ok bool) {
	m := fileName.FindStringSubmatch(name)
	if m == nil {
		return r, false, false
	}
	partition, partitionErr := strconv.ParseInt(m[1], 10, 32)
	next, nextErr := strconv.ParseInt(m[2], 16, 64)
	r = Ref{int32(partition), next, m[3]}
	return r, m[4] == manifestEnd, partitionErr == nil && nextErr == nil && strings.HasPrefix(name, r.String()+".")
}

// Manifest describes a snapshot.
type Manifest struct {
	Format int `json:"format"`
	// Schema is that of the rows.
	Schema     int   `json:"schema"`
	Partition  int32 `json:"partition"`
	Partitions int32 `json:"partitions"`
	// Cursor is that of the rows: where the journal continues, with the epoch and the cause of the
	// last envelope.
	Cursor projections.Cursor `json:"cursor"`
	// Journal identifies the topic, if the log's topics have ids, and Last is the SHA-256 of the
	// record before Cursor.Next.
	Journal string `json:"journal,omitempty"`
	Last    Sum    `json:"last"`
	// Taken is when the cursor was read. Node and Version say who took the snapshot.
	Taken   time.Time `json:"taken"`
	Node    string    `json:"node"`
	Version string    `json:"version"`
	// Base is the offset of the snapshot from which the confirming rebuild began; 0 is the beginning
	// of the journal, and -1 means that nothing has confirmed this one.
	Base int64 `json:"base"`
	Contents
}

// Unconfirmed is the Base of a snapshot that no rebuild has confirmed.
const Unconfirmed = -1

// Contents are the rows of a snapshot.
type Contents struct {
	Count int64 `json:"rows"`
	// Bytes is the size of the rows, Digest their SHA-256.
	Bytes  int64   `json:"bytes"`
	Digest Sum     `json:"digest"`
	Chunks []Chunk `json:"chunks"`
}

// Sum is a SHA-256, shown in hex.
type Sum [sha256.Size]byte

func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText implements encoding.TextMarshaler.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(s)) {
		return errors.New("not a SHA-256 in hex")
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// Stored returns the size of the snapshot's chunks.
func (m Manifest) Stored() (bytes int64) {
	for _, c := range m.Chunks {
		bytes += int64(c.Stored)
	}
	return bytes
}

// Check returns an error for an impossible manifest.
func (m Manifest) Check(ref Ref) error {
	switch {
	case m.Format > Format:
		return fmt.Errorf("%s was written by a newer version of Platen (format %d): upgrade this node", ref, m.Format)
	case m.Format != Format, m.Partition != ref.Partition, m.Cursor.Next != ref.Next, m.Partition < 0 || m.Partition >= m.Partitions, m.Count < 1:
		return fmt.Errorf("%w: the manifest of %s describes another one", ErrDamaged, ref)
	}
	sum := int64(0)
	for i, c := range m.Chunks {
		if err := c.Check(); err != nil {
			return fmt.Errorf("chunk %d of %s: %w", i, ref, err)
		}
		sum += int64(c.Bytes)
	}
	if sum != m.Bytes {
		return fmt.Errorf("%w: the chunks of %s have %d bytes, not %d", ErrDamaged, ref, sum, m.Bytes)
	}
	return nil
}

// Publish writes the manifest, which makes the snapshot count.
func Publish(ctx context.Context, files store.Files, ref Ref, m Manifest) error {
	return PutDocument(ctx, files, ref.String()+manifestEnd, m)
}

// Open reads the manifest of a snapshot. The error is ErrDamaged if it is not as written.
func Open(ctx context.Context, files store.Files, ref Ref) (m Manifest, err error) {
	if err := ReadDocument(ctx, files, ref.String()+manifestEnd, &m); err != nil {
		return m, err
	}
	return m, m.Check(ref)
}
