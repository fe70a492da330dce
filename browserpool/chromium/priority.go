package chromium

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lowestPriority is that of nice(1).
const lowestPriority = 19

const (
	// apartTurns and lowestTurns are how many times longer than usual the turns of yielding threads are: those of browsers
	// apart, which together may get more of the processors than the node, and those of the lowest priority. The longer a
	// thread's turns, the longer the others wait for their share of the processors.
	apartTurns  = 2
	lowestTurns = 8
)

// giveWay sets the niceness of a thread, 0 for the current one, and lets most threads that wake up preempt it. Otherwise it
// runs to the end of its turn regardless of priority, and a small document waits for dozens of such turns. Linux preempts a
// thread for one with shorter turns; their default is 0.7 to 3 ms, depending on the number of processors. Threads and
// processes that it starts inherit the setting. Before Linux 6.12 only the niceness is set (sched_setattr(2),
// "sched_runtime").
func giveWay(tid, niceness, turns int) {
	long := time.Duration(turns) * usualTurn()
	_ = unix.SchedSetAttr(tid, &unix.SchedAttr{Policy: unix.SCHED_NORMAL, Nice: int32(niceness), Runtime: uint64(long)}, 0)
}

// usualTurn is the turn of this process's main thread, which never changes.
var usualTurn = sync.OnceValue(func() time.Duration { return turn(os.Getpid()) })

// turn is how long a thread runs at a time while others want to, 0 if Linux has no such bound or the thread is gone.
func turn(tid int) time.Duration {
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		return 0
	}
	return time.Duration(attr.Runtime)
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
			giveWay(tid, lowestPriority, lowestTurns)
		}
	}
}
