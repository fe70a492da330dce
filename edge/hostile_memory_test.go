package edge

import (
	"os"
	"runtime"
)

// errTimeout is the error of a deadline that a test has set.
var errTimeout = os.ErrDeadlineExceeded

// footprint is the memory in use after a garbage collection.
type footprint struct{ heap, stack uint64 }

func inUse() footprint {
	runtime.GC()
	runtime.GC() // pools are emptied by the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{m.HeapAlloc, m.StackInuse}
}
