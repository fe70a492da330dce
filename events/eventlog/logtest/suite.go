// Package logtest is the conformance suite of events/eventlog. A back end hands Run a
// Factory of fresh storages, calls Main from its TestMain, and passes the same
// cases as every other back end: the contract in code.
//
// Crash lets a child process append and kills it with SIGKILL, Takeover kills a
// child that owns partitions. The child is the test binary itself, started again with
// environment variables that Main understands.
package logtest

import (
	"testing"

	"platen.dev/events/eventlog"
)

// Partitions is the count with which the suite opens a log.
const Partitions = 4

// Storage is the place of one log, opened again and again by the cases.
type Storage struct {
	// Topic is the topic to use. A back end that shares a broker among storages
	// gives each another name. The cases also use it as a name for groups.
	Topic string
	// Open opens the log there. The cases never hold it open twice; Takeover does,
	// in two processes.
	Open func(partitions int32) (eventlog.Log, error)
	// OpenReadOnly opens what is there for reading only, whatever its partition count.
	OpenReadOnly func() (eventlog.Log, error)
	// Where tells a child process where the storage is: see Main.
	Where string
}

// Factory gives a fresh, empty storage that is removed when the test ends.
type Factory func(t *testing.T) Storage

type testCase struct {
	name string
	run  func(t *testing.T, s Storage)
}

// Run runs the whole suite, except for what needs child processes.
func Run(t *testing.T, fresh Factory) {
	var cases []testCase
	cases = append(cases, appendCases...)
	cases = append(cases, readCases...)
	cases = append(cases, trimCases...)
	cases = append(cases, ownCases...)
	cases = append(cases, lifeCases...)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
	}
	t.Run("model", func(t *testing.T) { checkModel(t, fresh) })
}
