package bus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"

	"platen.dev/events/eventlog"
)

// A message has the headers of its record as metadata, and also these.
const (
	metaPartition = "platen_partition"
	metaOffset    = "platen_offset"
	metaKey       = "platen_key"
)

// NewMessage returns a record of a partition as a message. Its UUID is the same for every delivery.
// Of several headers with one name, the last one counts.
func NewMessage(partition int32, r eventlog.Record) *message.Message {
	m := message.NewMessage(fmt.Sprintf("%d-%d", partition, r.Offset), r.Value)
	for _, h := range r.Headers {
		m.Metadata.Set(h.Key, h.Value)
	}
	m.Metadata.Set(metaPartition, strconv.Itoa(int(partition)))
	m.Metadata.Set(metaOffset, strconv.FormatInt(r.Offset, 10))
	m.Metadata.Set(metaKey, string(r.Key))
	return m
}

// RecordOf returns the record that a message carries. Its headers are sorted by their names.
func RecordOf(m *message.Message) (partition int32, r eventlog.Record, err error) {
	p, err := strconv.ParseInt(m.Metadata.Get(metaPartition), 10, 32)
	if err != nil {
		return 0, r, fmt.Errorf("message %q names no partition", m.UUID)
	}
	if r.Offset, err = strconv.ParseInt(m.Metadata.Get(metaOffset), 10, 64); err != nil {
		return 0, r, fmt.Errorf("message %q names no offset", m.UUID)
	}
	r.Key, r.Value = []byte(m.Metadata.Get(metaKey)), m.Payload
	for name, value := range m.Metadata {
		if name != metaPartition && name != metaOffset && name != metaKey {
			r.Headers = append(r.Headers, eventlog.Header{Key: name, Value: value})
		}
	}
	slices.SortFunc(r.Headers, func(a, b eventlog.Header) int { return strings.Compare(a.Key, b.Key) })
	return int32(p), r, nil
}
