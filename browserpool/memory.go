package browserpool

import (
	"math"

	"golang.org/x/sys/unix"
)

// What a process may allocate at least, which large documents need, and at most.
const (
	minData = 1 << 30
	maxData = 3 << 30
)

// dataBound is what one process may allocate of a machine's memory, in bytes: a
// slot's share, so that pages which take all they get leave the machine alive.
func dataBound(memory int64, slots int) int64 {
	return min(max(memory/int64(slots), minData), maxData)
}

// machineMemory is the memory of the machine in bytes. It knows nothing of what a
// container may have of it.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return math.MaxInt64
	}
	return int64(info.Totalram) * int64(info.Unit)
}
