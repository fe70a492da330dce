package edge

import (
	"os"
	"runtime"
	"runtime/metrics"
)

// errTimeout is the error of a deadline that a test has set.
var errTimeout = os.ErrDeadlineExceeded

// allocated is how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// footprint is the memory in use after a garbage collection.
type footprint struct{ heap, stack uint64 }

func inUse() footprint {
	runtime.GC()
	runtime.GC() // pools are emptied by the second one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{m.HeapAlloc, m.StackInuse}
}
