package table

import (
	"encoding/binary"

	"platen.dev/events"
)

var replies = Table[events.Reply]{'r'} // partition, command

func replyKey(partition int32, id events.CommandID) []byte { return replies.Key(partition, id[:]...) }

// replied indexes replies by the offset of the command, to find the reply that leaves the window.
var replied = Table[events.CommandID]{'s'} // partition, offset of the command

func repliedKey(partition int32, cause int64) []byte {
	return replied.Key(partition, binary.BigEndian.AppendUint64(nil, uint64(cause))...)
}

// ReplyWindow is the number of later commands of the partition for which the reply to a command is
// kept. A duplicate of the command within the window gets the same reply.
const ReplyWindow = 1 << 16

// KeepReply stores the reply and deletes the one that leaves the window. Every offset is the
// cause of one envelope, so looking at one old offset for each envelope misses no reply.
func KeepReply(tx *Tx, partition int32, e events.Envelope) {
	if e.Reply != nil {
		replies.Put(tx, replyKey(partition, e.Command), *e.Reply)
		replied.Put(tx, repliedKey(partition, e.Cause), e.Command)
	}
	if e.Cause < ReplyWindow {
		return
	}
	old := repliedKey(partition, e.Cause-ReplyWindow)
	if id, ok := replied.Load(tx, old); ok {
		replied.Delete(tx, old)
		replies.Delete(tx, replyKey(partition, id))
	}
}

// ReplyTo finds the reply to a command of a partition, as Replica.Reply does.
func ReplyTo(r Reader, partition int32, id events.CommandID) (events.Reply, bool, error) {
	return replies.Get(r, replyKey(partition, id))
}
