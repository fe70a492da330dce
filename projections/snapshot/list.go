package snapshot

import (
	"cmp"
	"context"
	"slices"
	"time"

	"platen.dev/store"
)

// Listing is the content of a store.
type Listing struct {
	// Refs are the snapshots with a manifest, by partition, newest first.
	Refs map[int32][]Ref
	// loose are the files of snapshots without one, with the time when each was stored.
	loose map[Ref][]looseFile
}

type looseFile struct {
	name   string
	stored time.Time
}

// List lists a store. It skips files that belong to no snapshot.
func List(ctx context.Context, files store.Files) (Listing, error) {
	l := Listing{Refs: map[int32][]Ref{}, loose: map[Ref][]looseFile{}}
	err := files.Each(ctx, func(name string, _ int64, stored time.Time) error {
		ref, manifest, ok := parseName(name)
		switch {
		case !ok:
		case manifest:
			l.Refs[ref.Partition] = append(l.Refs[ref.Partition], ref)
		default:
			l.loose[ref] = append(l.loose[ref], looseFile{name, stored})
		}
		return nil
	})
	for _, refs := range l.Refs {
		slices.SortFunc(refs, func(a, b Ref) int { return cmp.Or(cmp.Compare(b.Next, a.Next), cmp.Compare(a.ID, b.ID)) })
		for _, ref := range refs {
			delete(l.loose, ref)
		}
	}
	return l, err
}

// Abandoned returns the files of snapshots that have neither a manifest nor a file stored since a time: their
// writers have ended.
func (l Listing) Abandoned(since time.Time) (names []string) {
	for _, all := range l.loose {
		if slices.ContainsFunc(all, func(f looseFile) bool { return f.stored.After(since) }) {
			continue
		}
		for _, f := range all {
			names = append(names, f.name)
		}
	}
	slices.Sort(names)
	return names
}

// Delete deletes a snapshot: its manifest first, so that it no longer counts.
func Delete(ctx context.Context, files store.Files, ref Ref, m Manifest) error {
	if err := files.Delete(ctx, ref.String()+manifestEnd); err != nil {
		return err
	}
	for i := range m.Chunks {
		if err := files.Delete(ctx, ref.Chunk(i)); err != nil {
			return err
		}
	}
	return nil
}
