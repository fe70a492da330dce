// Package projections is the replica: every node tails the journal into its own
// Pebble store, where entity state, read models and the checkpoint of a
// partition move in one batch. A node that restarts resumes exactly where it
// was; a node that owns a partition is simply a replica that also decides.
//
// # Keys
//
// The first byte of a key names its table (see the table variables of this
// package and of actors/account), the next two the partition, big-endian; keys
// of one table and partition are contiguous. Values are CBOR maps with integer
// keys, deterministic, so that two replicas of one journal hold equal bytes.
package projections
