package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// TimeWaits are the services that hold systemd's time-sync.target back until the clock is right. The node's unit starts
// after that target, which is reached at once without one of them.
var TimeWaits = []string{"chrony-wait.service", "systemd-time-wait-sync.service"}

// errNoSystemd means that systemd is not what runs the services of this host.
var errNoSystemd = errors.New("systemd does not run here")

// EnabledWaits returns those of TimeWaits that are enabled.
func EnabledWaits(ctx context.Context) ([]string, error) {
	if _, err := os.Stat("/run/systemd/system"); errors.Is(err, fs.ErrNotExist) {
		return nil, errNoSystemd
	}
	var enabled []string
	for _, unit := range TimeWaits { // a unit that does not exist has no line in an answer about several
		out, err := exec.CommandContext(ctx, "systemctl", "is-enabled", unit).Output()
		var status *exec.ExitError
		if err != nil && !errors.As(err, &status) { // the status says that it is not enabled
			return nil, err
		}
		if isEnabled(string(out)) {
			enabled = append(enabled, unit)
		}
	}
	return enabled, ctx.Err()
}

// isEnabled reports what systemctl says of a unit.
func isEnabled(state string) bool { return strings.HasPrefix(state, "enabled") }

// TimeSync checks that a start of the host waits until its clock is right.
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
