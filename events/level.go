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

// The levels. What an earlier version cannot read comes with the next level: name that here, and make it NewestLevel. Whoever writes such
// a command, event or field asks projections.Cursor.Level of the partition first, and does without below the level. Once no node of an
// earlier version is to come back, the operator raises the level.
const (
	FirstLevel Level = 1
	// NewestLevel is the highest that this version can read.
	NewestLevel = FirstLevel + Ahead
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

func (RaiseLevel) command()          {}
func (c RaiseLevel) String() string  { return text(c) }
func (LevelRaised) event()           {}
func (e LevelRaised) String() string { return text(e) }

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
