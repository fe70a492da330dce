package projections

import (
	"context"
	"fmt"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// Rebuild folds a partition up to the offset to of its journal in a store of its own, in cfg.Dir,
// whose contents it removes, also when the result is closed. It begins with the rows base or, if
// they are nil, with an empty partition and the journal's first record. pace is called with the size
// of records as they are read, and may wait.
func Rebuild(ctx context.Context, cfg Config, partition int32, base Rows, to int64, pace func(bytes int) error) (*Frozen, error) {
	s, err := openScratch(cfg)
	if err != nil {
		return nil, fmt.Errorf("rebuild partition %d: %w", partition, err)
	}
	f := &Frozen{partition: partition, partitions: s.partitions, reader: s.db, close: s.discard}
	if f.Cursor, err = s.rebuild(ctx, partition, base, to, pace); err != nil {
		_ = f.Close() // nothing of it is kept
		return nil, fmt.Errorf("rebuild partition %d: %w", partition, err)
	}
	return f, nil
}

func (s *store) rebuild(ctx context.Context, partition int32, base Rows, to int64, pace func(bytes int) error) (cursor Cursor, err error) {
	cursor = Origin()
	if base != nil {
		if cursor, err = s.load(ctx, partition, base); err != nil {
			return cursor, err
		}
	}
	if cursor.Next > to {
		return cursor, fmt.Errorf("the base is at offset %d, behind %d", cursor.Next, to)
	}
	reader := s.cfg.Log.Read(events.TopicJournal, partition, cursor.Next)
	defer reader.Close()
	for cursor.Next < to {
		records, err := reader.Next(ctx)
		if err != nil {
			return cursor, err
		}
		if cursor, err = s.foldUpTo(partition, cursor, records, to, pace); err != nil {
			return cursor, err
		}
	}
	return cursor, nil
}

// foldUpTo folds the records before the offset to.
func (s *store) foldUpTo(partition int32, cursor Cursor, records []eventlog.Record, to int64, pace func(bytes int) error) (Cursor, error) {
	size := 0
	for i := range records {
		size += len(records[i].Value)
	}
	records = records[:min(int64(len(records)), to-cursor.Next)]
	for len(records) > 0 {
		n := runOf(records)
		p, err := s.fold(partition, cursor, records[:n])
		if err != nil {
			return cursor, err
		}
		cursor, records = p.Cursor, records[n:]
	}
	return cursor, pace(size)
}

// discard closes the store and removes it.
func (s *store) discard() error {
	_ = s.guard.Call(s.db.Close) // nothing of it is kept
	return s.cfg.FS.RemoveAll(s.cfg.Dir)
}
