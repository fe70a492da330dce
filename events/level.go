package events

import (
	"fmt"
	"strconv"
	"strings"
)

// Level is a feature level: what nodes may write, because all of them can read it. A node writes nothing above the partition's level, and ends if it
// cannot read that level. So nodes of two versions can run side by side, and the older version can come back, until the operator raises the level
// (docs/decisions/0039).
type Level int64

// The levels. Anything that an earlier version cannot read comes with the next level: name it here, and make it NewestLevel. Code that writes such a
// command, event or field first asks projections.Cursor.Level of the partition, and does without below the level. Once no node of an earlier version
// is to come back, the operator raises the level.
const (
	FirstLevel Level = 1
	// NewestLevel is the highest that this version can read.
	NewestLevel = FirstLevel + Ahead
)

// RaiseLevel raises the level of a partition. If the partition has it already, nothing changes. It is sent to the partition itself; see PartitionID.
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

// partitionID is the prefix of partition ids. Account ids begin otherwise.
const partitionID = "partition-"

// PartitionID returns the id that takes the place of an account's in commands to the partition itself.
func PartitionID(partition int32) AccountID {
	return AccountID(fmt.Sprint(partitionID, partition))
}

// OfPartition returns the partition that an id stands for, or false if it is an account's.
func (id AccountID) OfPartition() (int32, bool) {
	number, found := strings.CutPrefix(string(id), partitionID)
	n, err := strconv.ParseInt(number, 10, 32)
	return int32(n), found && err == nil && n >= 0
}
