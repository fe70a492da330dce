package events

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"
)

// The first two bytes of every record; see the package comment.
const (
	format       = 1
	lastFormat   = 15 // reserved for later versions
	kindCommand  = 1
	kindMarker   = 2
	kindEnvelope = 3
	kindGap      = 4
	lastKind     = 15 // likewise
)

// Errors of decoding; test for them with errors.Is.
var (
	// ErrFormat means that no version of Platen wrote the bytes.
	ErrFormat = errors.New("not a record of Platen")
	// ErrNewer means that a newer version of Platen wrote a record, or rows.
	ErrNewer = errors.New("written by a newer version of Platen: upgrade this node")
)

// ErrUnreadable is the error of encoding something that no node could decode. Trying again does not help.
var ErrUnreadable = errors.New("no node could read it")

var (
	encoder = must(cbor.CoreDetEncOptions().EncMode())
	// The limits bound what hostile bytes can make a node allocate.
	decoder = must(cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		MaxNestedLevels:  16,
		MaxArrayElements: 4096,
		MaxMapPairs:      4096,
	}.DecMode())
	// unlimited has the highest limits there are. It only checks, which allocates nothing.
	unlimited = must(cbor.DecOptions{MaxNestedLevels: 1<<16 - 1, MaxArrayElements: 1<<31 - 1, MaxMapPairs: 1<<31 - 1}.DecMode())
)

func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

// typed is the pair [type number, map] of a command body or an event.
type typed struct {
	_     struct{} `cbor:",toarray"`
	Type  uint64
	Value any
}

type rawTyped struct {
	_     struct{} `cbor:",toarray"`
	Type  uint64
	Value undecoded
}

// undecoded is a data item in its encoded form. It shares the memory of the bytes that
// are being decoded, so it must not outlive the decoding.
type undecoded []byte

// UnmarshalCBOR keeps the bytes without copying them: the content of a command may be large.
func (u *undecoded) UnmarshalCBOR(b []byte) error {
	*u = b
	return nil
}

type commandOut struct {
	Command
	Body typed `cbor:"15,keyasint"`
}

type commandIn struct {
	Command
	Body rawTyped `cbor:"15,keyasint"`
}

type envelopeOut struct {
	Envelope
	Events []typed `cbor:"15,keyasint,omitempty"`
}

type envelopeIn struct {
	Envelope
	Events []rawTyped `cbor:"15,keyasint,omitempty"`
}

// EncodeCommand returns the record of a command. The error is ErrUnreadable if DecodeCommand or DecodeSubmission would refuse it.
func EncodeCommand(c Command) ([]byte, error) {
	return encode(kindCommand, commandOut{c, commandRows.typed(c.Body)})
}

// EncodeEntry returns the record of a journal entry. The error is ErrUnreadable if DecodeEntry would refuse it.
func EncodeEntry(e Entry) ([]byte, error) {
	switch e := e.(type) {
	case Marker:
		return encode(kindMarker, e)
	case Gap:
		return encode(kindGap, e)
	case Envelope:
		out := envelopeOut{Envelope: e}
		for _, ev := range e.Events {
			out.Events = append(out.Events, eventRows.typed(ev))
		}
		return encode(kindEnvelope, out)
	}
	return nil, fmt.Errorf("encode entry: unknown type %T", e)
}

func encode(kind byte, v any) ([]byte, error) {
	body, err := encoder.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	if err := decodable(body); err != nil {
		return nil, fmt.Errorf("encode record: %w: %w", ErrUnreadable, err)
	}
	return append([]byte{format, kind}, body...), nil
}

// decodable returns why the decoder would refuse an encoded body: it exceeds a limit, or a text is not UTF-8, which the encoder writes.
func decodable(body []byte) error {
	if err := decoder.Wellformed(body); err != nil {
		return err
	}
	for len(body) > 0 { // the items of arrays and maps follow their heads
		major, n, head := headOf(body)
		body = body[head:]
		if major != majorBytes && major != majorText {
			continue
		}
		if major == majorText && !utf8.Valid(body[:n]) {
			return fmt.Errorf("a text of %d bytes is not UTF-8", n)
		}
		body = body[n:]
	}
	return nil
}

// DecodeCommand decodes a command, of a submission only the head. The result shares no
// memory with b. Every error is ErrFormat or ErrNewer.
func DecodeCommand(b []byte) (Command, error) { return decodeCommand(b, commandRows.decode) }

// DecodeSubmission decodes a SubmitJob with its content: the command's body is a
// Submission. Every error is ErrFormat or ErrNewer.
func DecodeSubmission(b []byte) (Command, error) { return decodeCommand(b, decodeSubmission) }

func decodeCommand(b []byte, decode func(rawTyped) (CommandBody, error)) (Command, error) {
	kind, body, err := splitRecord(b)
	if err != nil {
		return Command{}, err
	}
	if kind != kindCommand {
		return Command{}, fmt.Errorf("record kind %d among commands: %w", kind, ErrFormat)
	}
	var in commandIn
	if err := decoder.Unmarshal(body, &in); err != nil {
		return Command{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if in.Account == "" { // no version sends one
		return Command{}, fmt.Errorf("a command without an account: %w", ErrFormat)
	}
	in.Command.Body, err = decode(in.Body)
	return in.Command, err
}

// DecodeEntry decodes a journal entry. Every error is ErrFormat or ErrNewer.
func DecodeEntry(b []byte) (Entry, error) {
	kind, body, err := splitRecord(b)
	if err != nil {
		return nil, err
	}
	switch kind {
	case kindMarker:
		return decodePlain[Marker](body)
	case kindGap:
		return decodePlain[Gap](body)
	case kindEnvelope:
		return decodeEnvelope(body)
	}
	return nil, fmt.Errorf("record kind %d in the journal: %w", kind, ErrFormat)
}

// decodePlain decodes an entry that consists of fields only.
func decodePlain[E Entry](body []byte) (Entry, error) {
	var e E
	if err := decoder.Unmarshal(body, &e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return e, nil
}

func decodeEnvelope(body []byte) (Entry, error) {
	var in envelopeIn
	if err := decoder.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	for _, raw := range in.Events {
		ev, err := eventRows.decode(raw)
		if err != nil {
			return nil, err
		}
		in.Envelope.Events = append(in.Envelope.Events, ev)
	}
	return in.Envelope, nil
}

// splitRecord checks the first two bytes and returns the kind and the rest. Foreign records begin with any bytes, a protobuf with 10, so a record is of a
// newer version only if it has the frame that all versions share: otherwise one stray record would end every node for good.
func splitRecord(b []byte) (kind byte, body []byte, err error) {
	if len(b) < 3 {
		return 0, nil, fmt.Errorf("%d bytes: %w", len(b), ErrFormat)
	}
	if kind, body = b[1], b[2:]; b[0] == format && kind <= kindGap {
		return kind, body, nil
	}
	if b[0] < format || b[0] > lastFormat {
		return 0, nil, fmt.Errorf("format %d: %w", b[0], ErrFormat)
	}
	if kind < kindCommand || kind > lastKind || !isMap(body) {
		return 0, nil, fmt.Errorf("format %d, kind %d: %w", b[0], kind, ErrFormat)
	}
	return 0, nil, fmt.Errorf("format %d, kind %d: %w", b[0], kind, ErrNewer)
}

// isMap reports whether bytes are one CBOR map, whatever the limits of this version.
func isMap(b []byte) bool {
	return b[0]>>5 == majorMap && unlimited.Wellformed(b) == nil
}

// decodeAs decodes a V and returns it as the interface I.
func decodeAs[V, I any](b []byte) (I, error) {
	var v V
	err := decoder.Unmarshal(b, &v)
	return any(v).(I), err
}
