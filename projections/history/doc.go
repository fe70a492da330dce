// Package history keeps what happened as long as it is needed, and no longer. Snapshots of
// partitions (package snapshot) stand in for the beginning of the journal: they are taken, verified,
// kept and loaded here, and the journal before them is trimmed, as are old public events.
//
// Policy decides when and what, without I/O. Keeper carries that out for the partitions that a node
// owns. Source finds the snapshots with which a replica begins.
//
// No step relies on one that may be undone by a crash or contradicted by a stale owner that has not
// noticed it was superseded. A snapshot counts once its manifest exists, which is written last. The
// newest ones are kept, so a node that knows fewer of them deletes less. Only the journal before
// the oldest kept snapshot is trimmed, and trimming is idempotent.
package history
