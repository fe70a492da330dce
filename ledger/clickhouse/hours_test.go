package clickhouse

import (
	"testing"

	"platen.dev/ledger"
)

func TestMemory(t *testing.T) {
	key := func(n int64) memoryKey { return memoryKey{"acc_a", "SELECT", n} }
	of := func(rows uint64, parts int) remembered {
		return remembered{digest{rows, 7}, make([]ledger.Part, parts)}
	}
	for _, c := range []struct {
		rows  uint64
		parts int
		want  bool
	}{
		{rememberedRows - 1, 1, false},
		{rememberedRows, 1, true},
		{4000, 1000, true},
		{4000, 1001, false},
		{rememberedShare * rememberedParts, rememberedParts, true},
		{rememberedShare * (rememberedParts + 1), rememberedParts + 1, false},
	} {
		m := newMemory()
		m.remember(key(1), of(c.rows, c.parts))
		if parts, known := m.recall(key(1), digest{c.rows, 7}); known != c.want || known && len(parts) != c.parts {
			t.Errorf("%d rows, %d parts: known %v with %d parts", c.rows, c.parts, known, len(parts))
		}
	}

	m := newMemory()
	m.remember(key(1), of(4000, 10))
	for _, other := range []struct {
		key    memoryKey
		digest digest
	}{
		{key(2), digest{4000, 7}},
		{key(1), digest{4001, 7}},
		{key(1), digest{4000, 8}},
		{memoryKey{"acc_b", "SELECT", 1}, digest{4000, 7}},
		{memoryKey{"acc_a", "SELECT other", 1}, digest{4000, 7}},
	} {
		if parts, known := m.recall(other.key, other.digest); known {
			t.Errorf("%+v: known with %d parts", other, len(parts))
		}
	}

	m = newMemory()
	m.most = 100
	for n := range int64(30) {
		m.remember(key(n/2), of(4000+uint64(n), 40))
		if len(m.hours) > 2 || m.parts != 40*len(m.hours) {
			t.Fatalf("%d hours, %d parts", len(m.hours), m.parts)
		}
		if _, known := m.recall(key(n/2), digest{4000 + uint64(n), 7}); !known {
			t.Fatalf("what was remembered last is forgotten, hour %d", n/2)
		}
	}
}

func TestEnough(t *testing.T) {
	hours := []hour{{digest: digest{rows: 3}}, {digest: digest{rows: 1}}, {digest: digest{rows: 2}}}
	for rows, want := range map[uint64]int{1: 1, 3: 1, 4: 2, 5: 3, 6: 3, 7: 3} {
		if got := enough(hours, rows); got != want {
			t.Errorf("%d rows are in %d hours, want %d", rows, got, want)
		}
	}
}
