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

// longSlice is how long a thread that gives way runs at a time. Linux has most threads run for 0.7 to 2.8 ms, by its number of
// processors, and lets one that wakes up interrupt one whose turns are longer.
const longSlice = 10 * time.Millisecond

// giveWay sets the niceness of a thread, 0 for the present one, and has it give way at once to any that wakes up: it otherwise
// runs to the end of its turn whatever its priority, and a small document waits for dozens of such turns. Threads and processes
// that it starts are like it. Before Linux 6.12 it sets the niceness only (sched_setattr(2), "sched_runtime").
func giveWay(tid, niceness int) {
	_ = unix.SchedSetAttr(tid, &unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: int32(niceness), Runtime: uint64(longSlice)}, 0)
}

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

// Yield gives all threads of a process the lowest priority, and has them give way to any other.
func Yield(pid int) {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range threads {
		if tid, err := strconv.Atoi(t.Name()); err == nil {
			giveWay(tid, lowestPriority)
		}
	}
}
