package chromium

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory is how much memory the browser and its helpers use, in bytes: the proportional
// set sizes (PSS) of all processes in the group. It is 0 for a browser that is gone.
func (p *Process) Memory() int64 {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	var total int64
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && processGroup(pid) == p.pid {
			total += proportionalSize(pid)
		}
	}
	return total
}

// processGroup reads the fifth field of stat. The second field may contain anything, but
// ends with the last parenthesis. 0 means that there is no such process.
func processGroup(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 3 {
		return 0
	}
	group, _ := strconv.Atoi(fields[2])
	return group
}

func proportionalSize(pid int) int64 {
	rollup, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(rollup)) {
		if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}
