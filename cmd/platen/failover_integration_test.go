//go:build integration

package main

import (
	"testing"

	"platen.dev/events/testkit"
)

// TestBrokerFailover is TestFailover on a real, newly started broker: start one with
// testdata/kafka/run.sh and put its address into PLATEN_TEST_KAFKA.
func TestBrokerFailover(t *testing.T) {
	broker := testkit.RealBroker(t)
	failover(t, broker, 10, 200, false)
}
