package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events/eventlog"
)

const (
	formatVersion = 1
	recordVersion = 1

	kindFormat = 0x00
	kindStart  = 0x01
	kindRecord = 0x02
)

var (
	idKey        = append([]byte{kindFormat}, "id"...)
	formatKey    = append([]byte{kindFormat}, "format"...)
	errMalformed = errors.New("malformed record")
)

func partitionKey(kind byte, topic string, partition int32) []byte {
	key := append([]byte{kind}, topic...)
	key = append(key, 0)
	return binary.BigEndian.AppendUint32(key, uint32(partition))
}

// recordKey returns the key of the record at offset, in new memory.
func recordKey(prefix []byte, offset int64) []byte {
	key := make([]byte, 0, len(prefix)+8)
	return binary.BigEndian.AppendUint64(append(key, prefix...), uint64(offset))
}

func offsetOf(key []byte) int64 {
	return int64(binary.BigEndian.Uint64(key[len(key)-8:]))
}

// checkTopic accepts only names that are also legal in Kafka.
func checkTopic(name string) error {
	if name == "" || len(name) > 249 {
		return fmt.Errorf("topic name %q must have 1 to 249 characters", name)
	}
	for _, c := range []byte(name) {
		legal := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-'
		if !legal {
			return fmt.Errorf("topic name %q may contain only letters, digits, '.', '_' and '-'", name)
		}
	}
	return nil
}

// putRecord encodes r directly into the batch.
func putRecord(b *pebble.Batch, prefix []byte, r *eventlog.Record) error {
	op := b.SetDeferred(len(prefix)+8, encodedSize(r))
	n := copy(op.Key, prefix)
	binary.BigEndian.PutUint64(op.Key[n:], uint64(r.Offset))
	encode(op.Value[:0], r)
	return op.Finish()
}

func encodedSize(r *eventlog.Record) int {
	n := 1 + sizedLen(len(r.Key)) + uvarintLen(len(r.Headers)) + len(r.Value)
	for _, h := range r.Headers {
		n += sizedLen(len(h.Key)) + sizedLen(len(h.Value))
	}
	return n
}

func sizedLen(n int) int { return uvarintLen(n) + n }

func uvarintLen(n int) int {
	size := 1
	for ; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

func encode(to []byte, r *eventlog.Record) []byte {
	to = append(to, recordVersion)
	to = binary.AppendUvarint(to, uint64(len(r.Key)))
	to = append(to, r.Key...)
	to = binary.AppendUvarint(to, uint64(len(r.Headers)))
	for _, h := range r.Headers {
		to = binary.AppendUvarint(to, uint64(len(h.Key)))
		to = append(to, h.Key...)
		to = binary.AppendUvarint(to, uint64(len(h.Value)))
		to = append(to, h.Value...)
	}
	return append(to, r.Value...)
}

// decode decodes a record. Key and Value share the memory of raw, the headers do not.
func decode(raw []byte) (eventlog.Record, error) {
	var r eventlog.Record
	if len(raw) == 0 || raw[0] != recordVersion {
		return r, errMalformed
	}
	d := decoder{rest: raw[1:]}
	r.Key = d.sized()
	r.Headers = d.headers()
	r.Value = d.rest
	if d.bad {
		return eventlog.Record{}, errMalformed
	}
	return r, nil
}

// decoder consumes rest from the front. Once bad is set, it stays set.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) uvarint() int {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > uint64(len(d.rest)) {
		d.bad = true
		d.rest = nil
		return 0
	}
	d.rest = d.rest[n:]
	return int(v)
}

func (d *decoder) sized() []byte {
	n := d.uvarint()
	if n > len(d.rest) {
		d.bad = true
		n = len(d.rest)
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) headers() []eventlog.Header {
	n := d.uvarint()
	if n == 0 || d.bad {
		return nil
	}
	headers := make([]eventlog.Header, 0, min(n, len(d.rest)/2+1))
	for ; n > 0 && !d.bad; n-- {
		headers = append(headers, eventlog.Header{Key: string(d.sized()), Value: string(d.sized())})
	}
	return headers
}
