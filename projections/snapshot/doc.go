// Package snapshot keeps partitions of a replica as they were at one offset of the journal, so that
// the journal before it can be trimmed, and a new node need not fold it.
//
// # Files
//
// A snapshot is a set of files in a store of its own. <name> is the partition, the offset that
// follows the snapshot in the journal, and a random part, such as p0003-000000000001e240-6f1c…:
//
//	<name>.00000 …     chunks: rows, at least 4 MiB each but the last, compressed by zstd
//	<name>.manifest    JSON, and in a line of its own the SHA-256 of that JSON, in hex
//
// A row is the length of the key (uvarint), the key, the length of the value (uvarint) and the
// value. Rows are in key order, and no row spans two chunks. They are all keys of the partition,
// including its cursor, so two replicas have the same rows at the same offset, and the same digest:
// the SHA-256 of the rows before compression.
//
// The manifest is written last, and only after the chunks were read back and the digest was compared
// with that of a rebuild: a snapshot with a manifest is verified. Chunks without one were left by a
// crash.
//
// # Trust
//
// Everything read is checked before use: sizes, checksums, and the order and partition of the keys.
// A snapshot's place in the journal is checked by the SHA-256 of the record before it, which is in
// the manifest, and by the id of the topic. So a snapshot written by a node that no longer owned
// the partition does no harm: it is a true prefix of the journal, or it is refused. Nothing
// protects against somebody who can write to the store and means harm, as nothing protects the
// results there.
package snapshot
