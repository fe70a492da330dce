package ledger

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// SchemaVersion is the version of an entry's content and of its canonical bytes. It is stored with
// every entry.
const SchemaVersion = 1

// Hash returns the 64 bits that stand for an entry's content, which is everything but its Source
// and the time of its ingestion. They are the XXH64 with seed 0 of the entry's canonical bytes:
//
//	int    SchemaVersion
//	text   id, account, job
//	int    kind: 1 debit, 2 credit, 3 adjust
//	text   key, operation
//	int    number of tags
//	text   name and value of every tag, in order
//	int    occurred, window: seconds since 1970-01-01 00:00:00 UTC
//	int    units, bytes
//	text   ref, reason
//
// An int has 8 bytes, two's complement, little-endian. A text is its length in bytes as an int,
// then its bytes in UTF-8.
func (e Entry) Hash() uint64 {
	var room [512]byte
	return xxhash.Sum64(e.canonical(room[:0]))
}

func (e Entry) canonical(b []byte) []byte {
	b = appendInts(b, SchemaVersion)
	b = appendTexts(b, e.ID, e.Account, e.Job)
	b = appendInts(b, int64(e.Kind))
	b = appendTexts(b, e.Key, e.Operation)
	b = appendInts(b, int64(len(e.Tags)))
	for _, tag := range e.Tags {
		b = appendTexts(b, tag.Name, tag.Value)
	}
	b = appendInts(b, e.Occurred.Unix(), e.Window.Unix(), e.Units, e.Bytes)
	return appendTexts(b, e.Ref, e.Reason)
}

func appendInts(b []byte, values ...int64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func appendTexts(b []byte, values ...string) []byte {
	for _, v := range values {
		b = append(appendInts(b, int64(len(v))), v...)
	}
	return b
}

// Verify returns an error unless the entry has the hash that was stored with it.
func (e Entry) Verify(hash uint64) error {
	if e.Hash() != hash {
		return fmt.Errorf("entry %q does not have its hash: the ledger is damaged", e.ID)
	}
	return nil
}
