package dispatch

import (
	"time"

	"platen.dev/actors/render/attempt"
)

const (
	// maxFaults is the number of consecutive attempts that may end by an infrastructure fault before
	// the node suspends rendering.
	maxFaults = 3
	// probeAfter is the pause between two probes of a suspended node.
	probeAfter = 5 * time.Second
)

// health is the node's view of its infrastructure: the results store, the log, the browsers. While
// suspended, the node begins no attempts and takes no jobs: they would all fail although nothing is
// wrong with them. It probes until everything works again.
type health struct {
	faults    int // in a row
	suspended bool
	// resumed is set from a probe that succeeded until an attempt is sound: a fault until then is one that probes do not find.
	resumed bool
}

// diagnose counts the end of an attempt.
func (m *Machine) diagnose(h attempt.Health) {
	switch h {
	case attempt.Sound:
		m.health.faults, m.health.resumed = 0, false
	case attempt.Faulty:
		m.health.faults++
	}
	if m.health.faults >= maxFaults && !m.health.suspended {
		m.health.suspended = true
		if m.health.resumed { // a probe at once would succeed again, and jobs fail without a pause
			m.emit(Remind{probeAfter, ProbeAgain{}})
			return
		}
		m.emit(Probe{})
	}
}

// onProbed resumes after a probe that succeeded. If the next attempt fails nonetheless,
// the node is suspended again.
func (m *Machine) onProbed(in Probed) {
	if !in.Sound {
		m.emit(Remind{probeAfter, ProbeAgain{}})
		return
	}
	m.health = health{faults: maxFaults - 1, resumed: true}
}
