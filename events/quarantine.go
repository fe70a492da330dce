package events

import "crypto/sha256"

// DropSetAside drops a command from quarantine: nobody needs its record any more. It is refused with NoSuchCommand if the command is not there. It is
// sent to the partition itself, like RaiseLevel.
type DropSetAside struct {
	// Cause is the offset of the command.
	Cause int64 `cbor:"1,keyasint" log:"always"`
}

// SetAsideDropped dropped a command from quarantine.
type SetAsideDropped struct {
	Cause int64 `cbor:"1,keyasint" log:"always"`
}

func (DropSetAside) command()            {}
func (c DropSetAside) String() string    { return text(c) }
func (SetAsideDropped) event()           {}
func (e SetAsideDropped) String() string { return text(e) }

// Again returns the id of a command that repeats one that was set aside. It differs, or the command would get the earlier reply; and it is always the
// same, so that the command is decided once, however often it is sent.
func (id CommandID) Again() CommandID {
	sum := sha256.Sum256(append([]byte("again"), id[:]...))
	again := id // it begins with the time of the first one
	copy(again[6:], sum[:])
	again[6], again[8] = again[6]&0x0f|0x70, again[8]&0x3f|0x80
	return again
}
