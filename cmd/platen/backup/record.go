package backup

import (
	"encoding/binary"
	"fmt"

	"platen.dev/events/eventlog"
)

// maxAttributes bounds key and headers of a record, as the log does.
const maxAttributes = 64 << 10

// appendRecord encodes a record: its offset, the key, the number of headers with the key and value of each,
// and the value. Numbers and lengths are uvarints.
func appendRecord(b []byte, r eventlog.Record) []byte {
	b = binary.AppendUvarint(b, uint64(r.Offset))
	b = appendText(b, string(r.Key))
	b = binary.AppendUvarint(b, uint64(len(r.Headers)))
	for _, h := range r.Headers {
		b = appendText(appendText(b, h.Key), h.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Value)))
	return append(b, r.Value...)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// decoder decodes records. Whatever the bytes are, it takes no more memory than they do.
type decoder struct {
	rest []byte
	err  error
}

// record returns the next record, which shares the decoder's memory.
func (d *decoder) record() (r eventlog.Record) {
	r.Offset = int64(d.number(1<<63 - 1))
	r.Key = d.bytes(maxAttributes)
	size := len(r.Key)
	for n := d.number(uint64(len(d.rest) / 2)); n > 0 && d.err == nil; n-- {
		h := eventlog.Header{Key: string(d.bytes(maxAttributes)), Value: string(d.bytes(maxAttributes))}
		r.Headers = append(r.Headers, h)
		if size += len(h.Key) + len(h.Value); size > maxAttributes {
			d.fail()
		}
	}
	r.Value = d.bytes(eventlog.MaxRecord)
	return r
}

func (d *decoder) number(most uint64) uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > most {
		d.fail()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) bytes(most uint64) []byte {
	n := d.number(min(most, uint64(len(d.rest))))
	if n > uint64(len(d.rest)) {
		d.fail()
		return nil
	}
	b := d.rest[:n:n]
	if d.rest = d.rest[n:]; n == 0 {
		return nil // no key
	}
	return b
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = fmt.Errorf("%w: a record cannot be decoded", ErrDamaged)
	}
	d.rest = nil
}
