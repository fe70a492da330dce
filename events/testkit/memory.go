package testkit

import "runtime/metrics"

// Allocated returns how many bytes this process has ever allocated.
func Allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// AllocatedBy returns how many bytes this process allocates while do runs.
func AllocatedBy(do func()) uint64 {
	before := Allocated()
	do()
	return Allocated() - before
}
