package events

// The topics. Each has the same fixed number of partitions, keyed by account id.
const (
	// TopicCommands holds the commands, content included.
	TopicCommands = "platen.commands"
	// TopicJournal holds markers and envelopes. All state is derived from it.
	TopicJournal = "platen.journal"
	// TopicEvents holds the public events, which follow from the journal (events/public).
	TopicEvents = "platen.events"
	// TopicPoison holds the records of TopicEvents that the usage ledger could not accept, each with
	// the reason, in the partition that it came from (ledger/ingest).
	TopicPoison = "platen.events.poison"
)

// DefaultPartitions is the partition count of a new log.
const DefaultPartitions = 64
