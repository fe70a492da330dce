// Package kafka is the log on a Kafka cluster, with the client franz-go.
//
// # Guarantees
//
// Appends go through one idempotent producer with acks=all and several requests
// in flight: order is kept, a retry duplicates nothing, and a record is
// acknowledged once all in-sync replicas have it. How durable that is depends on the
// cluster: replication factor 3 with min.insync.replicas 2 survives the loss of
// one machine; a single broker survives kill -9 of its process, and power loss only
// with log.flush.interval.messages=1. See deploy/kafka/server.properties. A producer
// whose id brokers refuse, as without the right to write, has sent nothing, and is replaced.
//
// Opening names the rights that the node lacks. A right that is taken later fails appends, which
// succeed again once it is back, and readers wait for it.
//
// Bounds asks most of a partition's replicas who leads it, since a deposed leader that does not
// know it yet would answer with an old end (docs/decisions/0027).
//
// A partition is read in two ways. A reader that is behind sends its own fetch requests to the
// leader: one round trip for one record or for a megabyte. A reader that has reached the end
// subscribes to a shared consumer, where one long poll per broker serves all partitions; two
// readers of the same partition use two consumers. A subscription that misses anything (its queue
// is full because the reader is slow, a gap, an error) just ends. The reader then fetches for
// itself again, and that fetch returns the error if it persists. So a slow reader holds up no other
// reader.
//
// Ownership is a consumer group with the cooperative-sticky balancer on a paused
// topic: the group assigns partitions, nothing is fetched, and no offset is ever
// committed.
//
// # Where Kafka differs
//
// After a broker was killed, the start of a trimmed partition may go back until the partition is
// trimmed again (the broker stores the start once a minute), so that trimmed records reappear. The
// end never goes back by itself.
//
// # Format
//
// A record is a Kafka record with the same key, value, headers and offset. The marker
// of another client's transaction is an empty record. Compaction must be off: it
// would leave gaps, at which readers fail.
package kafka
