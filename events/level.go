package events

import (
	"fmt"
	"strconv"
	"strings"
)

// Level is a feature level: what nodes may write, because all of them can read it. A node writes
// nothing of a level above that of the partition, and one that cannot read the level of a partition
// ends. So nodes of two versions run side by side, and the older version can come back, until
// the operator raises the level (docs/decisions/0039).
type Level int64

// The levels. A log that says nothing is of the first.
const (
	FirstLevel Level = 1
	// LevelSnapshots trims the journal behind snapshots.
	LevelSnapshots Level = 2
	// LevelTraces has jobs carry where they belong in a trace.
	LevelTraces Level = 3
	// LevelLists relies on snapshots with the list of jobs, which versions before cannot read.
	LevelLists Level = 4
	// LevelMembers has accounts with members, names of keys, and authors of commands.
	LevelMembers Level = 5
	// LevelConsole has the earlier versions of saved templates kept.
	LevelConsole Level = 6
	// LevelAccess has accounts suspended, and members with passkeys.
	LevelAccess Level = 7
	// LevelReasons has jobs say why they failed, and what was done nevertheless.
	LevelReasons Level = 8
	// LevelTimelines has partitions name their timelines, and public events the timeline that they are of.
	LevelTimelines Level = 9
	// LevelQuarantine has partitions keep the commands that were set aside, until the operator drops them.
	LevelQuarantine Level = 10
	// NewestLevel is the highest that this version can read.
	NewestLevel = LevelQuarantine
)

// RaiseLevel raises the level of a partition. Raising it to one that it has changes nothing. It is
// sent to the partition itself; see PartitionID.
type RaiseLevel struct {
	Level Level `cbor:"1,keyasint"`
}

// LevelRaised raised the level of a partition.
type LevelRaised struct {
	Level Level `cbor:"1,keyasint"`
}

func (RaiseLevel) commandType() uint64 { return 31 }
func (LevelRaised) eventType() uint64  { return 42 }

// partitionID begins the ids of partitions. Those of accounts begin otherwise.
const partitionID = "partition-"

// PartitionID is the id that commands to a partition itself have, in place of an account's.
func PartitionID(partition int32) AccountID {
	return AccountID(fmt.Sprint(partitionID, partition))
}

// OfPartition returns which partition an id is of, false if it is an account's.
func (id AccountID) OfPartition() (int32, bool) {
	number, found := strings.CutPrefix(string(id), partitionID)
	n, err := strconv.ParseInt(number, 10, 32)
	return int32(n), found && err == nil && n >= 0
}
