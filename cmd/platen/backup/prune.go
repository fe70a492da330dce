package backup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// prune deletes all but the newest keep backups and the one just taken, and then the unneeded chunks. A manifest goes first, so the kept backups are
// whole whatever happens meanwhile. If another node has taken a later one meanwhile, there may be one more than keep: if each node dropped the other's,
// none would be left.
func prune(ctx context.Context, s *shelf, taken Ref, keep int, now time.Time) (dropped []Ref, err error) {
	refs, err := List(ctx, s.files)
	if err != nil {
		return nil, err
	}
	at := slices.Index(refs, taken)
	if at < 0 {
		return nil, fmt.Errorf("%s is gone: another node has dropped it after a later backup", taken)
	}
	kept, old := slices.Clone(refs[:min(keep, len(refs))]), refs[min(keep, len(refs)):]
	if at >= keep {
		kept, old = append(kept, taken), slices.DeleteFunc(old, func(r Ref) bool { return r == taken })
	}
	needed := map[string]bool{}
	for _, ref := range kept {
		if err := s.need(ctx, ref, needed); err != nil {
			return nil, fmt.Errorf("the backup is complete, but nothing was dropped, because %w", err)
		}
	}
	for _, ref := range old {
		if err := s.files.Delete(ctx, string(ref)); err != nil {
			return dropped, err
		}
		dropped = append(dropped, ref)
	}
	return dropped, sweep(ctx, s.files, needed, now.Add(-snapshot.AbandonedAge))
}

// need records the chunks that a backup names.
func (s *shelf) need(ctx context.Context, ref Ref, needed map[string]bool) error {
	m, err := Open(ctx, s.files, ref)
	if err != nil {
		return err
	}
	note := func(c snapshot.Chunk) { needed[chunkName(c)] = true }
	m.chunks(note)
	for _, p := range m.Partitions {
		err := s.eachFile(ctx, p.Files, func(f file) error {
			for _, c := range f.Chunks {
				note(c)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", ref, err)
		}
	}
	return nil
}

// sweep deletes the unneeded chunks that were stored before a time.
func sweep(ctx context.Context, files store.Files, needed map[string]bool, before time.Time) error {
	var idle []string
	err := files.Each(ctx, func(name string, _ int64, stored time.Time) error {
		if strings.HasPrefix(name, chunkPrefix) && !needed[name] && stored.Before(before) {
			idle = append(idle, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range idle {
		if err := files.Delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}
