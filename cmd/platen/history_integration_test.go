//go:build integration

package main

import (
	"testing"

	"platen.dev/events/testkit"
)

// TestBrokerNewNode is TestNewNode on a real broker: start one with testdata/kafka/run.sh and put its
// address into PLATEN_TEST_KAFKA.
func TestBrokerNewNode(t *testing.T) {
	broker := testkit.RealBroker(t)
	newNode(t, broker)
}
