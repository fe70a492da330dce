// Package events is the vocabulary of Platen: typed ids, the commands that ask for a change, the
// events that record one, the envelope that carries the events of one command, and the encoding of
// all of them in the log. It makes no decisions and does no I/O. Every other top-level package may
// import it; it imports none of them.
//
// # Bytes
//
// Every record of platen.commands and platen.journal is
//
//	byte 0    format, 1 (2 to 15 are reserved for later versions)
//	byte 1    record kind: 1 command, 2 marker, 3 envelope, 4 gap (5 to 15 are reserved likewise)
//	byte 2…   one CBOR map (RFC 8949, core deterministic encoding)
//
// Later versions keep this frame, by which a node knows their records from foreign ones: it ends
// before the former, and skips the latter.
//
// Structs are CBOR maps with small integer keys. A key is never reused or given
// another meaning. A reader ignores keys that it does not know and leaves absent
// ones zero, so fields may be added. A command body or an event is the pair
// [type number, map]. An unknown type number is an error, because skipping a
// fact would make two replicas disagree: such a node must be upgraded
// (docs/decisions/0002).
package events
