// Package bus carries the records of the log as Watermill messages, so that a Watermill router can
// run their consumers.
//
// There are two pairs of publisher and subscriber. Those of NewLogPublisher and NewLogSubscriber
// work on any eventlog.Log, and a subscriber begins where its consumer says. Those of
// NewKafkaPublisher and NewKafkaSubscriber are watermill-kafka's, and share the partitions among the
// members of a consumer group. Batches gathers the messages of either subscriber.
package bus
