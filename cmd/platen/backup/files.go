package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// file is a file in an index; the index has a line of JSON for each.
type file struct {
	Name   string           `json:"name"`
	Bytes  int64            `json:"bytes"`
	Chunks []snapshot.Chunk `json:"chunks"`
}

// check returns an error for an impossible file.
func (f file) check() error {
	if err := store.CheckName(f.Name); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	size := int64(0)
	for _, c := range f.Chunks {
		if err := c.Check(); err != nil {
			return damaged(err)
		}
		size += int64(c.Bytes)
	}
	if size != f.Bytes {
		return fmt.Errorf("%w: the chunks of %s have %d bytes, not %d", ErrDamaged, f.Name, size, f.Bytes)
	}
	return nil
}

// copyFiles copies files by name. A name stands for one content for good, so files in an earlier backup are not read again.
func (s *shelf) copyFiles(ctx context.Context, from store.Files, names []string, earlier Files) (f Files, err error) {
	known := map[string]file{}
	err = s.eachFile(ctx, earlier, func(one file) error {
		if !slices.ContainsFunc(one.Chunks, func(c snapshot.Chunk) bool { return !s.has(ctx, c) }) {
			known[one.Name] = one
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return f, err
	} // otherwise unreadable chunks are copied again
	w := &indexWriter{shelf: s, ctx: ctx}
	slices.Sort(names)
	for _, name := range names {
		one, there := known[name]
		if !there {
			one, err = s.copyFile(ctx, from, name)
			if errors.Is(err, store.ErrNotExist) {
				w.files.Missing = append(w.files.Missing, name)
				continue
			}
			if err != nil {
				return f, err
			}
		}
		if err := w.add(one); err != nil {
			return f, err
		}
	}
	return w.files, w.flush()
}

func (s *shelf) copyFile(ctx context.Context, from store.Files, name string) (file, error) {
	f := file{Name: name, Chunks: []snapshot.Chunk{}}
	content, err := from.Open(ctx, name)
	if err != nil {
		return f, err
	}
	defer content.Close()
	buffer := make([]byte, min(segmentBytes, max(content.Size, 1)))
	for f.Bytes < content.Size {
		part := buffer[:min(int64(len(buffer)), content.Size-f.Bytes)]
		if _, err := io.ReadFull(content, part); err != nil {
			return f, fmt.Errorf("read %s: %w", name, err)
		}
		c, err := s.put(ctx, part)
		if err != nil {
			return f, err
		}
		f.Chunks, f.Bytes = append(f.Chunks, c), f.Bytes+int64(len(part))
	}
	return f, nil
}

// indexWriter collects the lines of an index.
type indexWriter struct {
	shelf *shelf
	ctx   context.Context
	raw   []byte
	files Files
}

func (w *indexWriter) add(f file) error {
	line, err := json.Marshal(f)
	if err != nil {
		return err
	}
	w.raw = append(append(w.raw, line...), '\n')
	w.files.Count++
	w.files.Bytes += f.Bytes
	if len(w.raw) < segmentBytes {
		return nil
	}
	return w.flush()
}

func (w *indexWriter) flush() error {
	if len(w.raw) == 0 {
		return nil
	}
	c, err := w.shelf.put(w.ctx, w.raw)
	w.files.Index, w.raw = append(w.files.Index, c), w.raw[:0]
	return err
}

// eachFile checks and visits the files that an index lists.
func (s *shelf) eachFile(ctx context.Context, f Files, visit func(file) error) error {
	count, size, last := int64(0), int64(0), ""
	for _, c := range f.Index {
		err := s.eachIn(ctx, c, func(one file) error {
			if err := follows(one.Name, last); err != nil {
				return err
			}
			count, size, last = count+1, size+one.Bytes, one.Name
			return visit(one)
		})
		if err != nil {
			return err
		}
	}
	if count != f.Count || size != f.Bytes {
		return fmt.Errorf("%w: the index has %d files of %d bytes, not %d of %d", ErrDamaged, count, size, f.Count, f.Bytes)
	}
	return nil
}

// eachIn checks and visits the files that a chunk of an index lists.
func (s *shelf) eachIn(ctx context.Context, c snapshot.Chunk, visit func(file) error) error {
	raw, err := s.get(ctx, c)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(bytes.Clone(raw)))
	for d.More() {
		var one file
		if err := d.Decode(&one); err != nil {
			return fmt.Errorf("%w: an index of files: %w", ErrDamaged, err)
		}
		if err := one.check(); err != nil {
			return err
		}
		if err := visit(one); err != nil {
			return err
		}
	}
	return nil
}

func follows(name, last string) error {
	if name > last {
		return nil
	}
	return fmt.Errorf("%w: the file %q does not follow %q in its index", ErrDamaged, name, last)
}

// content reads a file of a backup.
type content struct {
	ctx    context.Context
	shelf  *shelf
	chunks []snapshot.Chunk
	rest   []byte
}

func (c *content) Read(b []byte) (int, error) {
	for len(c.rest) == 0 {
		if len(c.chunks) == 0 {
			return 0, io.EOF
		}
		if err := c.shelf.pace(c.chunks[0].Bytes); err != nil {
			return 0, err
		}
		raw, err := c.shelf.get(c.ctx, c.chunks[0])
		if err != nil {
			return 0, err
		}
		c.rest, c.chunks = raw, c.chunks[1:]
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
