package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/eventlog"
)

// partition is the state of one partition in memory.
type partition struct {
	startKey []byte
	prefix   []byte         // of the record keys
	room     *eventlog.Room // of the topic

	// writtenStart and writtenEnd are the bounds as the committer has written them.
	// They are ahead of start and end until the fsync. Only the committer uses them.
	writtenStart, writtenEnd int64

	mu         sync.Mutex // guards the fields below
	start, end int64      // durable and visible
	cache      recordCache
	waiting    []*reader
}

// loadPartition recovers the bounds from the database.
func loadPartition(db *pebble.DB, topic string, number int32) (*partition, error) {
	p := &partition{
		startKey: partitionKey(kindStart, topic, number),
		prefix:   partitionKey(kindRecord, topic, number),
	}
	start, err := loadStart(db, p.startKey)
	if err != nil {
		return nil, fmt.Errorf("load %s/%d: %w", topic, number, err)
	}
	after, err := loadLast(db, p.prefix)
	if err != nil {
		return nil, fmt.Errorf("load %s/%d: %w", topic, number, err)
	}
	p.start, p.end = start, max(start, after)
	p.writtenStart, p.writtenEnd = p.start, p.end
	return p, nil
}

func loadStart(db *pebble.DB, key []byte) (int64, error) {
	value, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	if len(value) != 8 {
		return 0, errMalformed
	}
	return int64(binary.BigEndian.Uint64(value)), nil
}

// loadLast returns the offset after the last record, 0 if there are no records.
func loadLast(db *pebble.DB, prefix []byte) (int64, error) {
	it, err := db.NewIter(&pebble.IterOptions{
		LowerBound: recordKey(prefix, 0), UpperBound: recordKey(prefix, -1), // -1 is the highest uint64
	})
	if err != nil {
		return 0, err
	}
	after := int64(0)
	if it.Last() {
		after = offsetOf(it.Key()) + 1
	}
	return after, it.Close()
}

// writeRecord adds r to the batch and returns its offset.
func (p *partition) writeRecord(b *pebble.Batch, r eventlog.Record) (int64, error) {
	r.Offset = p.writtenEnd
	p.writtenEnd++
	return r.Offset, putRecord(b, p.prefix, &r)
}

// writeTrim adds the removal of the records below before to the batch. A partition without records may
// begin after its end.
func (p *partition) writeTrim(b *pebble.Batch, before int64) error {
	if before <= p.writtenStart {
		return nil
	}
	if err := b.DeleteRange(recordKey(p.prefix, p.writtenStart), recordKey(p.prefix, before), nil); err != nil {
		return err
	}
	p.writtenStart, p.writtenEnd = before, max(p.writtenEnd, before)
	return b.Set(p.startKey, binary.BigEndian.AppendUint64(nil, uint64(before)), nil)
}

func (p *partition) appended(r eventlog.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cache.add(r)
	p.end = r.Offset + 1
}

func (p *partition) trimmed(before int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start, p.end = max(p.start, before), max(p.end, before)
}

func (p *partition) bounds() (start, end int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start, p.end
}

// wake lets every waiting reader poll again.
func (p *partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, r := range p.waiting {
		r.wake <- struct{}{} // never blocks: a reader is listed once, and takes the signal before it is listed again
		p.waiting[i] = nil
	}
	p.waiting = p.waiting[:0]
}

// cancelWait removes r from the waiting list, or takes the signal that it got in the meantime.
func (p *partition) cancelWait(r *reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.waiting, r); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
		return
	}
	<-r.wake
}
