package edge

import (
	"os"
	"runtime"
	"runtime/metrics"
)

// errTimeout is what a deadline of the test gives.
var errTimeout = os.ErrDeadlineExceeded

// allocated is how much memory this process has ever asked for, in bytes.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// footprint is the memory in use once garbage is collected.
type footprint struct{ heap, stack uint64 }

func inUse() footprint {
	runtime.GC()
	runtime.GC() // what pools hold goes in the second round
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{m.HeapAlloc, m.StackInuse}
}
