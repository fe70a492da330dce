// Package backup copies all state of a cluster to a place from which another one can begin: every partition at one cursor, with the data beside the
// rows.
//
// # What a backup has
//
// Of each partition, at the cursor at which its replica was frozen (the cut):
//
//   - the base, which is the newest snapshot before the cut, and the journal from there up to the cut.
//     Without a snapshot it is the whole journal. The manifest has the digest of the rows at the cut,
//     which a rebuild from both must have;
//   - the commands that hold the content of unfinished jobs, and those that were set aside. Commands that were not decided at the cut are
//     left out: nobody was promised anything for them;
//   - the public events that are kept, and what was poison among them;
//   - the entries of the usage ledger that come from events which are no longer kept. The others follow
//     from the events;
//   - the files of jobs.
//
// A backup has no secrets: its sealed values can be opened only where the secrets are kept as well. The manifest names them (seal.Secrets.Names).
//
// # Why it is consistent
//
// Effects are read before their causes: the ends of the poison and the events first; then the replica is frozen, having read everything durable in
// the journal, and so the causes of the events. The cut of the commands follows from the rows: it is after the last command that they know. So every
// effect in a backup has its cause there. Partitions do not depend on one another.
//
// # Files
//
//	chunk-<SHA-256>     at most 6 MiB, compressed by zstd, named by what the file contains
//	backup-<time>-<id>  the manifest: JSON, and in a line of its own its SHA-256
//
// Chunks never change, so a backup writes only missing ones. The manifest is written last, after each new chunk was read back: a backup with a
// manifest is whole. Chunks that no manifest names were left by a crash, or by a dropped backup; they are deleted when they are two days old.
package backup
