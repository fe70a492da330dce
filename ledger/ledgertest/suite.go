// Package ledgertest is the conformance suite of ledger: the contract in code. A back end passes
// a Factory to Run, and passes the same cases as every other back end.
package ledgertest

import (
	"testing"

	"platen.dev/ledger"
)

// Storage is where one ledger is stored. The cases open it repeatedly, sometimes twice at a time.
type Storage struct {
	// Open opens the ledger.
	Open func(t testing.TB) ledger.Ledger
	// OpenFaulty opens the ledger so that fault is called before and after each step that changes the
	// storage. If fault returns an error, the step fails with it: before the step, nothing was done;
	// after it, everything was done and only the answer was lost. Nil for a back end that changes
	// everything in one step.
	OpenFaulty func(t testing.TB, fault func(step string) error) ledger.Ledger
}

// Factory returns a new, empty storage that is removed when the test ends.
type Factory func(t testing.TB) Storage

type testCase struct {
	name string
	run  func(t *testing.T, s Storage)
}

// Run runs the whole suite.
func Run(t *testing.T, fresh Factory) {
	var cases []testCase
	cases = append(cases, appendCases...)
	cases = append(cases, conflictCases...)
	cases = append(cases, crashCases...)
	cases = append(cases, usageCases...)
	cases = append(cases, zoneCases...)
	cases = append(cases, entryCases...)
	cases = append(cases, markerCases...)
	cases = append(cases, modelCases...)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
	}
}
