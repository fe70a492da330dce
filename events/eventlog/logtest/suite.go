// Package logtest is the conformance suite of events/eventlog: the contract in code.
// A back end passes a Factory to Run, calls Main from its TestMain, and passes the same
// cases as every other back end.
//
// Crash kills a child process that appends, Takeover one that holds partitions, both
// with SIGKILL. The child is the test binary itself, started again with environment
// variables that Main evaluates.
package logtest

import (
	"testing"

	"platen.dev/events/eventlog"
)

// Partitions is the partition count of the logs that the suite opens.
const Partitions = 4

// HeldBytes is the room of a topic of Storage.OpenHeld.
const HeldBytes = 64 << 10

// Storage is where one log is stored. The cases open it repeatedly.
type Storage struct {
	// Topic is the topic to use. A back end that shares a broker among storages gives
	// each another topic. The cases also name groups after it.
	Topic string
	// Open opens the log. The cases never have it open twice at the same time; Takeover
	// does, in two processes.
	Open func(partitions int32) (eventlog.Log, error)
	// OpenReadOnly opens an existing log for reading only, with the partition count that it has.
	OpenReadOnly func() (eventlog.Log, error)
	// OpenHeld opens a log whose topics have HeldBytes of room each, except Unbounded, which is
	// one that the back end was told not to bound. Nothing is acknowledged before release is
	// called. Nil if the back end cannot be held up: then some cases are skipped.
	OpenHeld func(t *testing.T) (l eventlog.Log, release func())
	// Unbounded is the topic of OpenHeld that is not bounded.
	Unbounded string
	// Where lets a child process find the storage: see Main.
	Where string
}

// Factory returns a new, empty storage that is removed when the test ends.
type Factory func(t *testing.T) Storage

type testCase struct {
	name string
	run  func(t *testing.T, s Storage)
}

// Run runs the whole suite, except for the cases that need child processes.
func Run(t *testing.T, fresh Factory) {
	var cases []testCase
	cases = append(cases, appendCases...)
	cases = append(cases, busyCases...)
	cases = append(cases, readCases...)
	cases = append(cases, trimCases...)
	cases = append(cases, beginCases...)
	cases = append(cases, groupCases...)
	cases = append(cases, lifecycleCases...)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
	}
	t.Run("model", func(t *testing.T) { checkModel(t, fresh) })
}
