package chromium

import (
	"fmt"
	"os"
	"strings"
)

// Memory is how much memory the browser and its helpers use, in bytes: the proportional
// set sizes (PSS) of all processes in the group. It is 0 for a browser that is gone.
func (p *Process) Memory() (total int64) {
	p.eachProcess(func(pid int) { total += proportionalSize(pid) })
	return total
}

func proportionalSize(pid int) int64 {
	rollup, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	for line := range strings.Lines(string(rollup)) {
		if name, bytes := parseSize(line); name == "Pss" {
			return bytes
		}
	}
	return 0
}
