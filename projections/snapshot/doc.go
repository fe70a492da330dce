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
// value. Rows are in the order of their keys, and no row is in two chunks. They are all keys of the
// partition, its cursor among them, so two replicas have the same rows at the same offset, and the
// SHA-256 of the rows before compression, the digest, is the same.
//
// The manifest is written last, and only after the chunks were read back and the digest was compared
// with that of a rebuild: what has a manifest is verified. Chunks without one were left by a crash.
//
// # Trust
//
// Whatever is read is checked before it is used: sizes, checksums, the order of the keys and whose
// they are. Where a snapshot belongs in the journal is checked by the record before it, whose
// SHA-256 the manifest has, and by the id of the topic. So what a node wrote that no longer owned
// the partition does no harm: it is a true prefix of the journal, or it is refused. Nothing
// protects from somebody who can write to the store and means harm, as nothing protects the
// results there.
package snapshot
