package embedded

import "platen.dev/events/eventlog"

// recordCache holds the newest records of one partition, for the readers at its end.
// The records are consecutive and reach up to the partition's end; there may be none.
// The partition's mutex guards it.
type recordCache struct {
	records []eventlog.Record
	head    int // records before head are evicted
}

func (c *recordCache) add(r eventlog.Record) {
	if c.head > 0 && c.head >= len(c.records)/2 && len(c.records) == cap(c.records) {
		c.compact()
	}
	c.records = append(c.records, r)
}

// compact moves the remaining records to the front, so that the memory is reused.
func (c *recordCache) compact() {
	n := copy(c.records, c.records[c.head:])
	clear(c.records[n:])
	c.records, c.head = c.records[:n], 0
}

// evict removes the oldest record.
func (c *recordCache) evict() {
	c.records[c.head] = eventlog.Record{}
	c.head++
	if c.head == len(c.records) {
		c.records, c.head = nil, 0
	}
}

// from returns the records from offset on, nil if the cache does not reach back to it.
func (c *recordCache) from(offset int64) []eventlog.Record {
	held := c.records[c.head:]
	if len(held) == 0 || offset < held[0].Offset {
		return nil
	}
	return held[min(int(offset-held[0].Offset), len(held)):]
}

// cacheBudget bounds the caches of all partitions together. It lists their records in
// the order in which they were published, so the oldest record of the list is also the
// oldest of its partition. Only the publisher uses it.
type cacheBudget struct {
	held     []cachedRecord
	head     int // records before head are evicted
	bytes    int
	maxBytes int
}

type cachedRecord struct {
	partition *partition
	size      int
}

// add counts a record that was added to p's cache, and evicts the oldest ones beyond
// the budget.
func (b *cacheBudget) add(p *partition, size int) {
	if b.head > 1024 && b.head >= len(b.held)/2 {
		n := copy(b.held, b.held[b.head:])
		b.held, b.head = b.held[:n], 0
	}
	b.held = append(b.held, cachedRecord{p, size})
	b.bytes += size
	for b.bytes > b.maxBytes {
		b.evict()
	}
}

func (b *cacheBudget) evict() {
	oldest := b.held[b.head]
	b.head++
	b.bytes -= oldest.size
	oldest.partition.mu.Lock()
	defer oldest.partition.mu.Unlock()
	oldest.partition.cache.evict()
}
