package events

// The topics. Each has the same fixed number of partitions, keyed by account id.
const (
	// TopicCommands holds everything that asks for a change, content included.
	TopicCommands = "platen.commands"
	// TopicJournal holds epoch markers and envelopes: the one truth about state.
	TopicJournal = "platen.journal"
	// TopicEvents holds the public CloudEvents.
	TopicEvents = "platen.events"
)

// DefaultPartitions is the partition count of a new log.
const DefaultPartitions = 64
