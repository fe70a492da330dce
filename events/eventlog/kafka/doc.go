// Package kafka is the log on a Kafka cluster, spoken to with franz-go.
//
// # Guarantees
//
// Appends go through one idempotent producer with acks=all and several requests
// in flight: order is kept, a retry duplicates nothing, and a record is
// acknowledged when all in-sync replicas have it. How durable that is, the cluster
// decides: replication factor 3 with min.insync.replicas 2 survives the loss of
// one machine; a single broker survives kill -9 of its process, and power loss only
// with log.flush.interval.messages=1. See deploy/kafka/server.properties.
//
// A partition is read in two ways. A reader that is behind sends fetch requests of
// its own to the leader, which is one round trip for one record or a megabyte.
// One that has reached the end subscribes to a shared consumer, where one long poll
// per broker serves all partitions; two readers of the same partition use two
// consumers. A subscription that misses anything (a slow reader whose queue
// is full, a gap, an error) just ends, and the reader fetches for itself again, which
// is also where every error is told. So a slow reader holds up nobody.
//
// Ownership is a consumer group with the cooperative-sticky balancer on a paused
// topic: the group assigns, nothing is fetched, nothing is ever committed.
//
// # What Kafka does otherwise
//
// After a broker was killed, the start of a trimmed partition may be an older one
// until trimmed again (its checkpoint is written once a minute), so that trimmed
// records come back. The end never goes back by itself.
//
// # Format
//
// A record is a Kafka record: key, value and headers as they are, offsets are Kafka's.
// Nobody else may write to the topics with transactions, whose markers take offsets,
// and compaction must be off: both would leave gaps.
package kafka
