// Package events is the vocabulary of Platen: typed ids, the commands that ask
// for a change, the events that record one, the envelope that carries the events
// of one command, and the bytes that all of them have in the log. It holds no
// logic and does no I/O; every other room imports it and it imports none.
//
// # Bytes
//
// Every record of platen.commands and platen.journal is
//
//	byte 0    format, 1 (2 to 15 are for later versions)
//	byte 1    record kind: 1 command, 2 marker, 3 envelope
//	byte 2…   one CBOR data item (RFC 8949, core deterministic encoding)
//
// Structs are CBOR maps with small integer keys. A key is never reused or given
// another meaning; a reader ignores keys it does not know and leaves absent ones
// zero, so fields may be added. A command body or an event is the pair
// [type number, map]; an unknown type number is an error, because skipping a
// fact would make two replicas disagree: such a node must be upgraded.
//
// CBOR was chosen over JSON (three times the size and the time on the replay
// path), over Protocol Buffers (a code generator outside the Go module registry)
// and over gob (self-describing streams, no deterministic bytes).
package events
