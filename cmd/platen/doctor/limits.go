package doctor

import (
	"context"

	"golang.org/x/sys/unix"
)

// Open files: each connection counts as one, and so does each table of the stores.
const (
	leastFiles  = 4096
	enoughFiles = 65_536
)

// FileLimit returns how many files a process may open, after raising the limit as far as it may.
func FileLimit() (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
	return r.Max, err
}

// OpenFiles checks the limit of open files.
func OpenFiles(limit func() (uint64, error)) Check {
	return Check{"open files", func(context.Context) []Finding {
		const do = "set LimitNOFILE=1048576 in the unit, or raise the hard limit (ulimit -Hn)"
		n, err := limit()
		switch {
		case err != nil:
			return []Finding{fail(do, "the limit cannot be read: %s", err)}
		case n < leastFiles:
			return []Finding{fail(do, "at most %d", n)}
		case n < enoughFiles:
			return []Finding{warn(do, "at most %d: few for many connections", n)}
		}
		return []Finding{ok("at most %d", n)}
	}}
}
