package events

import "crypto/sha256"

// DropSetAside forgets a command that was set aside: nobody needs its record any more. One that is not in quarantine is refused with
// NoSuchCommand. It is sent to the partition itself, as RaiseLevel is.
type DropSetAside struct {
	// Cause is the offset of the command.
	Cause int64 `cbor:"1,keyasint" log:"always"`
}

// SetAsideDropped forgot a command that was set aside.
type SetAsideDropped struct {
	Cause int64 `cbor:"1,keyasint" log:"always"`
}

func (DropSetAside) command()            {}
func (c DropSetAside) String() string    { return text(c) }
func (SetAsideDropped) event()           {}
func (e SetAsideDropped) String() string { return text(e) }

// Again is the id of a command that repeats one which was set aside. It is another one, or the command would get the reply of before; and
// always the same one, so that it is decided once, however often it is sent.
func (id CommandID) Again() CommandID {
	sum := sha256.Sum256(append([]byte("again"), id[:]...))
	again := id // which begins with the time of the first one
	copy(again[6:], sum[:])
	again[6], again[8] = again[6]&0x0f|0x70, again[8]&0x3f|0x80
	return again
}
