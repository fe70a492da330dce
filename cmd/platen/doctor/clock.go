package doctor

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// ClockState is the state of the clock, as the kernel reports it.
type ClockState struct {
	Synchronised bool
	// Error is the clock's maximum error.
	Error time.Duration
}

// KernelClock asks the kernel.
func KernelClock() (ClockState, error) {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	return ClockState{state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0, time.Duration(t.Maxerror) * time.Microsecond}, err
}

// Clock checks that the clock is synchronised, and that the kernel believes it to be off by at most most. A single node, which compares its clock
// with nobody, only gets a warning.
func Clock(ask func() (ClockState, error), most time.Duration, alone bool) Check {
	const do = "apt install chrony, and let the hosts of a cluster ask the same servers"
	bad := fail
	if alone {
		bad = warn
	}
	return Check{"clock", func(context.Context) []Finding {
		state, err := ask()
		switch {
		case err != nil:
			return []Finding{warn(do, "the kernel does not say how its clock is: %s", err)}
		case !state.Synchronised:
			return []Finding{bad(do, "nothing synchronises the clock (in a container, that is up to its host)")}
		case state.Error > most:
			return []Finding{bad(do, "the clock may be off by %s", state.Error.Round(time.Millisecond))}
		}
		return []Finding{ok("synchronised to %s", state.Error.Round(time.Millisecond))}
	}}
}
