package admin

import (
	"fmt"
	"time"

	"platen.dev/cmd/platen/terminal"
)

// This file shows and accepts the clock of a node, on the server and the client side.

// ClockState compares a node's time with its system's clock.
type ClockState struct {
	// Node is the time that the node goes by, System the reading of the system's clock.
	Node   time.Time `json:"node"`
	System time.Time `json:"system"`
	// Doubt is why they differ: "jumped", "held" or "behind"; empty if they do not.
	Doubt string `json:"doubt"`
	// AheadSeconds is how far the system's clock is ahead of the node's time, or of the newest record if it is behind.
	AheadSeconds float64 `json:"ahead_seconds"`
	// Synchronised is set if the kernel reports that something synchronises the clock.
	Synchronised bool `json:"synchronised"`
}

// Clock is a node that may doubt its system's clock.
type Clock interface {
	Clock() ClockState
	// AcceptClock makes the node go by the system's clock.
	AcceptClock() ClockState
}

func runShowClock(c call) error {
	var s ClockState
	err := c.client.do("GET", "/clock", nil, &s)
	return c.print(err, func(w terminal.Lines) { w.Text(s.text()) })
}

func runAcceptClock(c call) error {
	var s ClockState
	err := c.client.wait("/clock", nil, &s)
	return c.print(err, func(w terminal.Lines) { w.Text(s.text()) })
}

// text describes the clock to people.
func (s ClockState) text() string {
	kept := "the kernel does not know of anything that keeps it"
	if s.Synchronised {
		kept = "synchronised, says the kernel"
	}
	text := fmt.Sprintf("NODE\t%s\nSYSTEM\t%s\t%s\n", s.Node.Format(time.RFC3339), s.System.Format(time.RFC3339), kept)
	by := time.Duration(s.AheadSeconds * float64(time.Second)).Round(time.Second)
	const accept = "Synchronise it by NTP (chrony); if you know that it is right: `platen admin clock accept`."
	switch s.Doubt {
	case "jumped":
		return text + fmt.Sprintf("\nThe system's clock has jumped by %s. The node follows within a minute, unless other nodes contradict it.\n", by)
	case "held":
		return text + fmt.Sprintf("\nThe system's clock is %s ahead and nothing confirms it, so the node goes by the time of its records. %s\n", by, accept)
	case "behind":
		return text + fmt.Sprintf("\nThe system's clock is %s behind the newest record and nothing confirms it, so the node owns no partitions. %s\n", -by, accept)
	}
	return text + "\nThe node goes by the system's clock.\n"
}
