// Package history keeps what happened as long as it is needed, and no longer. Snapshots of
// partitions (package snapshot) stand in for the beginning of the journal: they are taken, verified,
// kept and loaded here, and the journal behind them is trimmed, as are old public events.
//
// Policy decides when and what, without I/O. Keeper does it for the partitions that a node owns.
// Source finds the snapshots with which a replica begins.
//
// No step relies on one that may be undone by a crash or contradicted by a former owner that does
// not know yet that it is none. A snapshot counts from when its manifest is there, which is written
// last. The ones that are kept are the newest, so whoever knows fewer of them deletes less. Only
// what lies behind the oldest that is kept is trimmed, and trimming twice is trimming once.
package history
