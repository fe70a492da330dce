package nemesis

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"
	"unsafe"
)

// Clock is a clock that a test sets and a node in another process goes by: a file holds how far it
// is ahead of the system's.
type Clock struct{ file *os.File }

// NewClock makes a correct clock, in a new file.
func NewClock(path string) (Clock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return Clock{}, err
	}
	c := Clock{f}
	return c, c.Set(0)
}

// ReadClock opens a clock made by NewClock.
func ReadClock(path string) (Clock, error) {
	f, err := os.Open(path)
	return Clock{f}, err
}

// Set puts the clock a whole number of seconds ahead of the system's, or behind it.
func (c Clock) Set(ahead time.Duration) error {
	_, err := c.file.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(ahead)), 0)
	return err
}

// Now returns the clock's time. As with the system's clock, its monotonic part, by which durations
// are measured, continues evenly when the clock is set.
func (c Clock) Now() time.Time {
	var ahead [8]byte
	if _, err := c.file.ReadAt(ahead[:], 0); err != nil {
		panic(fmt.Sprintf("nemesis: read the clock: %v", err))
	}
	return shift(time.Now(), time.Duration(binary.LittleEndian.Uint64(ahead[:])))
}

// shift moves the wall clock of a time by whole seconds and leaves its monotonic part. Package time
// cannot do that: Add moves both. In a time with a monotonic part, which is in the second word, the
// first word has nanoseconds in 30 bits, seconds above them, and a flag in the highest bit.
// TestShift fails if that ever changes.
func shift(t time.Time, by time.Duration) time.Time {
	const nanosecondBits = 30
	word := (*uint64)(unsafe.Pointer(&t))
	*word += uint64(int64(by/time.Second)) << nanosecondBits
	return t
}
