package chromium

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lowestPriority is that of nice(1).
const lowestPriority = 19

// setSessionPriority sets the weight of the browser's session. Where Linux schedules by
// sessions (autogroup, sched(7)), it has as much of the processors as any other session of
// that weight, however many threads it has; elsewhere this does nothing. Without privileges,
// one such change is allowed per tenth of a second in the whole system, so it is tried again.
func (p *Process) setSessionPriority(niceness int) {
	for range 50 {
		err := os.WriteFile(fmt.Sprintf("/proc/%d/autogroup", p.pid), []byte(strconv.Itoa(niceness)), 0)
		if !errors.Is(err, syscall.EAGAIN) {
			return
		}
		select {
		case <-p.exited:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Yield gives the whole browser the lowest priority. Without privileges it cannot be raised
// again.
func (p *Process) Yield() {
	go p.setSessionPriority(lowestPriority)
	for pid := range ReadUsage(map[int]bool{p.pid: true})[p.pid] {
		Yield(pid)
	}
}

// Yield gives all threads of a process the lowest priority.
func Yield(pid int) {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, tid, lowestPriority)
		}
	}
}
