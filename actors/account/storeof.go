package account

import (
	"platen.dev/events"
	"platen.dev/projections/table"
)

// StoreOf is the committed state of an account's partition, of as many as the log has.
func StoreOf(r table.Reader, partitions int32, id events.AccountID) ReplicaStore {
	return ReplicaStore{Reader: r, Partition: events.Partition(id, partitions)}
}
