package clickhouse

import (
	"context"
	"sync"

	"platen.dev/ledger"
)

const hourSeconds = 3600

// inRange is the condition for the rows of an account from one time until another.
const inRange = "account = ? AND occurred_at >= toDateTime(?) AND occurred_at < toDateTime(?)"

// hour is an hour that has rows.
type hour struct {
	start  int64 // in seconds since 1970
	digest digest
}

func (h hour) end() int64 { return h.start + hourSeconds }

// digest is a digest of the rows of an hour. Rows are only ever added, or are copies that the server merges, so equal digests mean equal entries.
type digest struct{ rows, xor uint64 }

// hours returns, in order, the hours that have rows that meet the conditions.
func (l *Ledger) hours(ctx context.Context, conditions string, args ...any) (hours []hour, err error) {
	err = l.each(ctx, func(row scanner) error {
		var h hour
		err := row.Scan(&h.start, &h.digest.rows, &h.digest.xor)
		hours = append(hours, h)
		return err
	}, "SELECT "+startOf("occurred_at", hourSeconds)+" AS hour, count(), groupBitXor(row_hash) FROM usage_ledger WHERE "+
		conditions+" GROUP BY hour ORDER BY hour", args...)
	return hours, err
}

const (
	// Only an hour with this many rows, and this many of them per part, is remembered: otherwise little time is saved.
	rememberedRows  = 100
	rememberedShare = 4
	// rememberedParts is how many parts are remembered, about 150 bytes each.
	rememberedParts = 200_000
)

// memory remembers the parts of hours, so that only the changed hours of a window with a million entries are read and summed up. Each process has its
// own: what it remembers is checked against the rows each time.
type memory struct {
	rows, share uint64 // the minimum of an hour: rows, and rows per part
	most        int    // parts

	mu    sync.Mutex
	hours map[memoryKey]remembered
	parts int
}

func newMemory() *memory {
	return &memory{rows: rememberedRows, share: rememberedShare, most: rememberedParts, hours: map[memoryKey]remembered{}}
}

// memoryKey names the parts of an hour by the query, regardless of its range.
type memoryKey struct {
	account, query string
	hour           int64
}

type remembered struct {
	digest digest
	parts  []ledger.Part
}

// recall returns the parts of an hour, if it is unchanged since they were remembered.
func (m *memory) recall(k memoryKey, as digest) (parts []ledger.Part, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, known := m.hours[k]
	if !known || r.digest != as {
		return nil, false
	}
	return r.parts, true
}

// remember keeps the parts of an hour, which were read after its digest. It may forget other parts.
func (m *memory) remember(k memoryKey, r remembered) {
	if r.digest.rows < m.rows || uint64(len(r.parts))*m.share > r.digest.rows || len(r.parts) > m.most {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget(k)
	for any := range m.hours {
		if m.parts+len(r.parts) <= m.most {
			break
		}
		m.forget(any)
	}
	m.hours[k] = r
	m.parts += len(r.parts)
}

func (m *memory) forget(k memoryKey) {
	m.parts -= len(m.hours[k].parts)
	delete(m.hours, k)
}
