package chromium

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory is how much memory the browser and its helpers use, in bytes: the proportional
// set sizes (PSS) of all processes in the group. It is 0 for a browser that is gone.
func (p *Process) Memory() (total int64) {
	eachProcess(func(pid int) {
		if s := readStat(pid); s != nil && s.group == p.pid {
			total += proportionalSize(pid)
		}
	})
	return total
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
