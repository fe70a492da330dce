// Package projections is the replica: every node folds the journal into its own Pebble
// store. A follower for each partition reads the records and writes entity state, read
// models and the partition's cursor in one batch, so a node that restarts resumes exactly
// where it was. The owner of a partition has no other copy: it decides on its replica.
//
// # Keys
//
// The first byte of a key names its table, the next two are the partition, big-endian, and
// the rest names the row; so the keys of one table and partition are contiguous. The tables
// and their keys are in tables.go here and in actors/account. Values are CBOR with integer
// map keys in the deterministic encoding: two replicas of one journal hold equal bytes.
package projections
