package embedded

import "platen.dev/events/eventlog"

// tail is the newest records of one partition, kept for the readers at its end.
// They are consecutive and reach up to the partition's end; it may be empty.
type tail struct {
	records []eventlog.Record
	head    int // records before head are evicted
}

func (t *tail) push(r eventlog.Record) {
	if t.head > 0 && t.head >= len(t.records)/2 && len(t.records) == cap(t.records) {
		t.compact()
	}
	t.records = append(t.records, r)
}

// compact moves the living records to the front, so that the memory is used again.
func (t *tail) compact() {
	n := copy(t.records, t.records[t.head:])
	clear(t.records[n:])
	t.records, t.head = t.records[:n], 0
}

func (t *tail) pop() {
	t.records[t.head] = eventlog.Record{}
	t.head++
	if t.head == len(t.records) {
		t.records, t.head = nil, 0
	}
}

// from gives the records at offset and after, nil when offset is not held.
func (t *tail) from(offset int64) []eventlog.Record {
	living := t.records[t.head:]
	if len(living) == 0 || offset < living[0].Offset {
		return nil
	}
	return living[min(int(offset-living[0].Offset), len(living)):]
}

// recent bounds the tails of all partitions together: it lists what they hold in
// the order it was published, so the oldest entry is also the first of its
// partition's tail. The publisher alone uses it.
type recent struct {
	held     []heldRecord
	head     int
	bytes    int
	maxBytes int
}

type heldRecord struct {
	partition *partition
	size      int
}

// add counts a record that was pushed to p's tail and evicts the oldest ones.
func (c *recent) add(p *partition, size int) {
	if c.head > 1024 && c.head >= len(c.held)/2 {
		n := copy(c.held, c.held[c.head:])
		c.held, c.head = c.held[:n], 0
	}
	c.held = append(c.held, heldRecord{p, size})
	c.bytes += size
	for c.bytes > c.maxBytes {
		c.evict()
	}
}

func (c *recent) evict() {
	oldest := c.held[c.head]
	c.head++
	c.bytes -= oldest.size
	oldest.partition.mu.Lock()
	defer oldest.partition.mu.Unlock()
	oldest.partition.tail.pop()
}
