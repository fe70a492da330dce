package main

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen.dev/events/public"
)

// drillConsumer is a consumer of the public events that follows docs/EVENTS.md across a restore: it accepts each id once, and undoes events that a
// new timeline says never happened.
type drillConsumer struct {
	lines map[string]string // by id
	// units are the charged units, by partition and event number.
	units  map[int32]map[int64]int64
	undone int
}

func newDrillConsumer() *drillConsumer {
	return &drillConsumer{lines: map[string]string{}, units: map[int32]map[int64]int64{}}
}

// read reads all events of a machine's log, and returns the units charged. An id that stands for two events is an error.
func (c *drillConsumer) read(t *testing.T, m *machine) (total int64) {
	t.Helper()
	for line := range strings.Lines(m.tail(t, "--since", "24h", "--once", "--json")) {
		var e public.Received
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch had, known := c.lines[e.Position.String()]; {
		case !known:
			c.lines[e.Position.String()] = line
			c.take(t, e)
		case had != line:
			t.Fatalf("the id %s stands for two events:\n%s%s", e.Position, had, line)
		}
	}
	for _, numbers := range c.units {
		for _, units := range numbers {
			total += units
		}
	}
	return total
}

func (c *drillConsumer) take(t *testing.T, e public.Received) {
	t.Helper()
	var data struct {
		RenderUnits int64 `json:"render_units"`
		After       int64 `json:"after"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		t.Fatal(err)
	}
	p := e.Position.Partition
	switch {
	case e.Type == "platen.timeline.begun.v1":
		for number := range c.units[p] {
			if number > data.After {
				delete(c.units[p], number)
				c.undone++
			}
		}
	case public.IsUsage(e.Type):
		if c.units[p] == nil {
			c.units[p] = map[int64]int64{}
		}
		c.units[p][e.Sequence] = data.RenderUnits
	}
}

// charged returns the units that the ledger has, -1 as long as it does not equal the log.
func (m *machine) charged(t *testing.T) int64 {
	t.Helper()
	said := m.admin(t, "ledger", "reconcile", "--check")
	units := regexp.MustCompile(`render units (\d+)`).FindStringSubmatch(said)
	if !strings.HasPrefix(said, "equal: ") || units == nil {
		return -1
	}
	n, err := strconv.ParseInt(units[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
