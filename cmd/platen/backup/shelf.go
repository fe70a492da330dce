package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

const chunkPrefix = "chunk-"

// segmentBytes is how many bytes fill a chunk, apart from the last item in it.
const segmentBytes = 4 << 20

func chunkName(c snapshot.Chunk) string { return chunkPrefix + c.SHA256.String() }

// shelf writes chunks to a place, and reads them back. It belongs to one goroutine; another goroutine uses another shelf of the same stock.
type shelf struct {
	*stock
	files    store.Files
	packer   *snapshot.Packer
	unpacker *snapshot.Unpacker
}

// stock is what all shelves of a place know about it. It is safe for concurrent use.
type stock struct {
	// rereads reports which chunks must be reread before they are relied on.
	rereads func(snapshot.Chunk) bool

	pacing  sync.Mutex
	bounded snapshot.Pace
	paced   int64 // bytes

	mu sync.Mutex // of what follows
	// there maps the chunks at the place, by name, to the size of their files.
	there map[string]int64
	// read are the chunks that were reread.
	read map[string]bool
	// sent counts what was written.
	sent Sent
}

// pace bounds the work of all shelves together, and counts it.
func (s *stock) pace(bytes int) error {
	s.pacing.Lock()
	defer s.pacing.Unlock()
	s.paced += int64(bytes)
	return s.bounded(bytes)
}

// look returns whether the place lists a chunk with its size, and whether it must be read before it is relied on.
func (s *stock) look(c snapshot.Chunk) (there, unread bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := chunkName(c)
	size, there := s.there[name]
	if there && size != int64(c.Stored) {
		s.drop(name)
		return false, false
	}
	return there, there && !s.read[name] && s.rereads(c)
}

// drop makes a damaged chunk count as missing.
func (s *stock) drop(name string) {
	if _, there := s.there[name]; there {
		delete(s.there, name)
		s.sent.Damaged++
	}
}

// noteRead records that a chunk was read, and whether it is damaged.
func (s *stock) noteRead(name string, damaged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read[name] = true; damaged {
		s.drop(name)
	}
}

// noteWritten records that a chunk was written.
func (s *stock) noteWritten(name string, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.there[name] = bytes
	s.sent.Chunks++
	s.sent.Bytes += bytes
}

// Sent counts what a backup has written.
type Sent struct {
	Chunks int64 `json:"chunks"`
	Bytes  int64 `json:"bytes"`
	// Damaged counts damaged chunks of earlier backups: those with another size, or with another content when reread.
	Damaged int64 `json:"damaged,omitempty"`
}

// openShelf returns a shelf, which the caller closes.
func openShelf(ctx context.Context, files store.Files, pace snapshot.Pace) (*shelf, error) {
	files = legible{files}
	there, err := chunksAt(ctx, files)
	if err != nil {
		return nil, err
	}
	s := shelf{files: files, stock: &stock{bounded: pace, there: there, read: map[string]bool{}, rereads: func(snapshot.Chunk) bool { return false }}}
	return s.another()
}

// another returns a shelf of the same stock, which the caller closes.
func (s shelf) another() (*shelf, error) {
	var err error
	if s.packer, err = snapshot.NewPacker(); err != nil {
		return nil, err
	}
	s.unpacker, err = snapshot.NewUnpacker(s.files)
	return &s, err
}

func (s *shelf) close() { s.unpacker.Close() }

// chunksAt lists the chunks at a place, with the bytes of their files.
func chunksAt(ctx context.Context, files store.Files) (map[string]int64, error) {
	there := map[string]int64{}
	err := files.Each(ctx, func(name string, size int64, _ time.Time) error {
		if strings.HasPrefix(name, chunkPrefix) {
			there[name] = size
		}
		return nil
	})
	return there, err
}

// shares is the number of shares into which the chunks at a place are divided. Each backup rereads one of them, and the next backup the next.
const shares = 16

// has reports whether the place has a chunk. A chunk counts as missing, and is written anew, if its file has another size, or if it is in the share
// that this backup rereads and is damaged or unreadable.
func (s *shelf) has(ctx context.Context, c snapshot.Chunk) bool {
	there, unread := s.look(c)
	if !unread || s.pace(c.Stored) != nil { // if pacing fails, the backup ends
		return there
	}
	name := chunkName(c)
	_, err := s.unpacker.Stored(ctx, name, c)
	damaged := err != nil && ctx.Err() == nil
	s.noteRead(name, damaged)
	return !damaged
}

// put stores a chunk, unless it is there.
func (s *shelf) put(ctx context.Context, raw []byte) (snapshot.Chunk, error) {
	if err := s.pace(len(raw)); err != nil {
		return snapshot.Chunk{}, err
	}
	c, stored := s.packer.Pack(raw)
	return c, s.keep(ctx, c, stored)
}

// keep stores the file of a chunk, and reads it back.
func (s *shelf) keep(ctx context.Context, c snapshot.Chunk, stored []byte) error {
	if s.has(ctx, c) {
		return nil
	}
	if err := c.Check(); err != nil {
		return err
	}
	name := chunkName(c)
	if _, err := s.files.Put(ctx, name, bytes.NewReader(stored), int64(len(stored))); err != nil {
		return err
	}
	if _, err := s.unpacker.Stored(ctx, name, c); err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	s.noteWritten(name, int64(len(stored)))
	return nil
}

// get returns a chunk, which is valid until the next call. A damaged one counts as missing from then on.
func (s *shelf) get(ctx context.Context, c snapshot.Chunk) ([]byte, error) {
	raw, err := s.unpacker.Read(ctx, chunkName(c), c)
	if err = damaged(err); errors.Is(err, ErrDamaged) {
		s.noteRead(chunkName(c), true)
	}
	return raw, err
}

// legible is a place at which an unreadable file counts as damaged: the content of a bad sector is as lost as a changed one.
type legible struct{ store.Files }

// Open implements store.Files.
func (l legible) Open(ctx context.Context, name string) (*store.File, error) {
	f, err := l.Files.Open(ctx, name)
	if err != nil {
		return nil, unreadable(ctx, err)
	}
	f.ReadCloser = legibleFile{f.ReadCloser, ctx}
	return f, nil
}

// legibleFile is an open file of such a place. ctx is the reader's.
type legibleFile struct {
	io.ReadCloser
	ctx context.Context
}

func (f legibleFile) Read(b []byte) (int, error) {
	n, err := f.ReadCloser.Read(b)
	return n, unreadable(f.ctx, err)
}

// unreadable turns a read error into ErrDamaged, unless it is the end of the file or of ctx, or means that there is no file.
func unreadable(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, store.ErrNotExist) || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// based serves the chunks of a base under the names that they have as a snapshot.
type based struct {
	store.Files
	base Base
}

// Open implements store.Files for those names.
func (b based) Open(ctx context.Context, name string) (*store.File, error) {
	var i int
	if _, err := fmt.Sscanf(strings.TrimPrefix(name, b.base.Ref().String()), ".%d", &i); err != nil || i >= len(b.base.Manifest.Chunks) {
		return nil, fmt.Errorf("open %s: %w", name, store.ErrNotExist)
	}
	return b.Files.Open(ctx, chunkName(b.base.Manifest.Chunks[i]))
}
