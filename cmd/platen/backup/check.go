package backup

import (
	"fmt"
	"regexp"

	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

var baseID = regexp.MustCompile(`^[0-9a-f]{16}$`)

// check returns an error for an impossible manifest. Accepted manifests have offsets in order and
// sizes within bounds, and name only files of the place.
func (m Manifest) check() error {
	if m.Format > Format {
		return fmt.Errorf("it was written by a newer version of Platen (format %d): upgrade this one", m.Format)
	}
	if m.Format != Format || len(m.Partitions) < 1 || len(m.Partitions) > maxPartitions {
		return fmt.Errorf("%w: format %d with %d partitions", ErrDamaged, m.Format, len(m.Partitions))
	}
	for i, p := range m.Partitions {
		if err := p.check(int32(i), int32(len(m.Partitions))); err != nil {
			return fmt.Errorf("%w: partition %d: %w", ErrDamaged, i, err)
		}
	}
	var wrong error
	m.chunks(func(c snapshot.Chunk) {
		if err := c.Check(); err != nil {
			wrong = err
		}
	})
	return wrong
}

func (p Partition) check(number, partitions int32) error {
	c := p.Cursor
	if c.Next < 0 || c.Epoch < -1 || c.Epoch >= max(c.Next, 0) || c.Cause < -1 {
		return fmt.Errorf("the cursor %+v cannot be", c)
	}
	if level := c.Level(); level > events.NewestLevel {
		return fmt.Errorf("the level %d is of a newer version of Platen: upgrade this one", level)
	}
	if _, err := projections.Migrate(p.Schema, nil); err != nil {
		return err
	}
	if err := p.checkBase(number, partitions); err != nil {
		return err
	}
	for topic, r := range map[string]Records{events.TopicJournal: p.Journal, events.TopicEvents: p.Events, events.TopicPoison: p.Poison} {
		if err := r.check(); err != nil {
			return fmt.Errorf("%s: %w", topic, err)
		}
	}
	if p.Journal.End != c.Next {
		return fmt.Errorf("the journal ends at %d, the cursor is at %d", p.Journal.End, c.Next)
	}
	if err := inOrder(p.Commands, 0, c.Cause+1, false); err != nil {
		return fmt.Errorf("%s: %w", events.TopicCommands, err)
	}
	return p.checkRest()
}

// checkBase checks that the journal continues from the base, or is whole.
func (p Partition) checkBase(number, partitions int32) error {
	if p.Base == nil {
		if p.Journal.Start != 0 {
			return fmt.Errorf("the journal begins at %d, and there is no snapshot", p.Journal.Start)
		}
		return nil
	}
	b := p.Base.Manifest
	if !baseID.MatchString(p.Base.ID) || b.Partition != number || b.Partitions != partitions {
		return fmt.Errorf("the snapshot %s is of another partition", p.Base.Ref())
	}
	if err := b.Check(p.Base.Ref()); err != nil {
		return err
	}
	if last := b.Cursor.Next - 1; last < p.Journal.Start || last >= p.Journal.End {
		return fmt.Errorf("the snapshot ends at %d, the journal goes from %d to %d", last, p.Journal.Start, p.Journal.End)
	}
	return nil
}

// checkRest checks the ledger's entries, which end where the events begin, and the files.
func (p Partition) checkRest() error {
	next, topic := int64(0), ""
	for _, e := range p.Ledger {
		if e.Topic != topic {
			next, topic = 0, e.Topic
		}
		if e.Lo != next || e.Hi < e.Lo || (e.Bytes == 0) != (e.Figures.Entries == 0) {
			return fmt.Errorf("the ledger's entries from %d to %d do not follow %d", e.Lo, e.Hi, next)
		}
		next = e.Hi + 1
	}
	if p.Events.Start > 0 && next != p.Events.Start {
		return fmt.Errorf("the ledger's entries end at %d, the events begin at %d", next, p.Events.Start)
	}
	for _, name := range p.Files.Missing {
		if err := store.CheckName(name); err != nil {
			return err
		}
	}
	return nil
}

func (r Records) check() error { return inOrder(r.Segments, r.Start, r.End, true) }

// inOrder checks that segments have the offsets from start up to end: all of them if they are dense.
func inOrder(segments []Segment, start, end int64, dense bool) error {
	if start < 0 || end < start {
		return fmt.Errorf("records from %d to %d", start, end)
	}
	next := start
	for _, s := range segments {
		if s.Start < next || dense && s.Start != next || s.End <= s.Start || s.End > end {
			return fmt.Errorf("a segment from %d to %d does not follow %d", s.Start, s.End, next)
		}
		next = s.End
	}
	if dense && next != end {
		return fmt.Errorf("the records end at %d, not at %d", next, end)
	}
	return nil
}
