package browserpool

import (
	"math"
	"os"
	"strconv"
	"strings"
)

// memoryLimits are where Linux says how much memory a process may use, in bytes: control
// groups of version 2 and 1, seen from within one.
var memoryLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// machineMemory is how much memory the machine has, or this process's control group if that
// has less, in bytes.
func machineMemory() int64 {
	least := int64(math.MaxInt64)
	info, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(info)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			least = kib << 10
		}
	}
	for _, path := range memoryLimits {
		text, _ := os.ReadFile(path)
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			least = min(least, n)
		}
	}
	return least
}
