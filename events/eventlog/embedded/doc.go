// Package embedded is the log of a single machine, stored in one Pebble database.
//
// # Guarantees
//
// A record is acknowledged after the fsync of the write-ahead log that contains it,
// so it survives kill -9 and power loss. One committer goroutine collects what has
// been queued for all partitions into one batch (group commit) and applies it; one
// publisher goroutine waits for the fsync, moves the ends of the partitions, wakes
// the readers and calls back. While the publisher waits for one batch, the
// committer collects the next. No reader sees a record before it is durable.
//
// The directory is locked: a second process is refused with ErrInUse.
//
// # What can fail
//
// An error from the write-ahead log (disk full, I/O error) fails the log for good, and
// so does everything after which Pebble cannot continue, such as an error from its
// manifest. Every pending and every later Append and Trim gets that error, because it
// is unknown what reached the disk, and Config.Failed is called. The database is not
// touched any more: reads get records that are in memory and otherwise the error, and
// Close leaves the directory locked until the process ends. The next process recovers
// everything that was acknowledged.
//
// If only Pebble's background flushes fail, as on a disk that fills up, or if the disk hangs,
// appends wait, and those without room are refused with eventlog.ErrBusy.
//
// # Storage format
//
// There are three kinds of keys. Integers are big-endian, so that keys sort in the
// order of the log:
//
//	0x00 "format"                                 -> version (1 byte, 1), partitions (uint32)
//	0x01 topic 0x00 partition (uint32)            -> start: oldest retained offset (uint64)
//	0x02 topic 0x00 partition (uint32) offset (uint64) -> record
//
// A record is
//
//	version    1 byte, 1
//	key        uvarint length, bytes
//	headers    uvarint count, then per header: key and value, each uvarint length, bytes
//	value      the rest
//
// A record has no checksum of its own: Pebble has one per block and per log chunk.
//
// Trim is one synced batch {DeleteRange of the records, new start}. The end of a
// partition is max(start, last record + 1), so that offsets never restart.
package embedded
