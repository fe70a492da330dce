package disk

import "github.com/cockroachdb/pebble/v2"

// CacheBytes returns the memory of a database's block cache and memtables. Each is bounded, and fills in time.
func CacheBytes(db *pebble.DB) int64 {
	m := db.Metrics()
	return m.BlockCache.Size + int64(m.MemTable.Size+m.MemTable.ZombieSize)
}
