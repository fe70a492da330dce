package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// TimeWaits are the services that hold back systemd's time-sync.target until the clock is right. The node's unit starts after that target, which
// without them is reached at once.
var TimeWaits = []string{"chrony-wait.service", "systemd-time-wait-sync.service"}

// errNoSystemd means that this host does not run its services by systemd.
var errNoSystemd = errors.New("systemd does not run here")

// EnabledWaits returns those of TimeWaits that are enabled.
func EnabledWaits(ctx context.Context) ([]string, error) {
	if _, err := os.Stat("/run/systemd/system"); errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSystemd
	}
	var enabled []string
	for _, unit := range TimeWaits { // asked together, a unit that does not exist would have no line in the answer
		out, err := exec.CommandContext(ctx, "systemctl", "is-enabled", unit).Output()
		var status *exec.ExitError
		if err != nil && !errors.As(err, &status) { // a status means that it is not enabled
			return nil, err
		}
		if isEnabled(string(out)) {
			enabled = append(enabled, unit)
		}
	}
	return enabled, ctx.Err()
}

// isEnabled reports whether systemctl's answer means that a unit is enabled.
func isEnabled(state string) bool { return strings.HasPrefix(state, "enabled") }

// TimeSync checks that the host's start waits until its clock is right.
func TimeSync(enabled func(context.Context) ([]string, error)) Check {
	const do = "systemctl enable chrony-wait, so that the node starts when the clock is right"
	return Check{"wait for the time", func(ctx context.Context) []Finding {
		units, err := enabled(ctx)
		switch {
		case errors.Is(err, errNoSystemd):
			return []Finding{ok("%s: whatever starts the node has to wait for the time", err)}
		case err != nil:
			return []Finding{warn(do, "it cannot be said whether a start of this host waits for the time: %s", err)}
		case len(units) == 0:
			return []Finding{warn(do, "no start of this host waits until the clock is right")}
		}
		return []Finding{ok("by %s", strings.Join(units, ", "))}
	}}
}
