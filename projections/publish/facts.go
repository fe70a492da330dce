package publish

import (
	"context"
	"fmt"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
	"platen.dev/projections"
)

// Facts visits, in order, the public events that follow from the present journal of a partition, until visit fails. begin returns a cursor from which
// a trimmed journal can be read.
func Facts(ctx context.Context, l eventlog.Log, partition int32, begin func(context.Context, int32) (projections.Cursor, error), visit func(public.Event) error) error {
	start, end, err := l.Bounds(ctx, events.TopicJournal, partition)
	if err != nil {
		return err
	}
	at := origin(partition)
	if start > 0 {
		if at.cursor, err = begin(ctx, partition); err != nil {
			return err
		}
		at.sequence = at.cursor.Number
	}
	reader := l.Read(events.TopicJournal, partition, at.cursor.Next)
	defer reader.Close()
	for at.cursor.Next < end {
		records, err := reader.Next(ctx)
		if err != nil {
			return fmt.Errorf("read the journal: %w", err)
		}
		for _, r := range records {
			facts, err := at.take(partition, r)
			if err != nil {
				return err
			}
			for _, fact := range facts {
				if err := visit(fact); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
