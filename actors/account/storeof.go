package account

import (
	"platen.dev/events"
	"platen.dev/projections/table"
)

// StoreOf returns the committed state of an account's partition in a log with the given number of
// partitions.
func StoreOf(r table.Reader, partitions int32, id events.AccountID) ReplicaStore {
	return ReplicaStore{Reader: r, Partition: events.Partition(id, partitions)}
}
