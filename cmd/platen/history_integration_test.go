//go:build integration

package main

import (
	"os"
	"testing"
)

// TestBrokerNewNode is TestNewNode on a real broker: start one with testdata/kafka/run.sh and put its
// address into PLATEN_TEST_KAFKA.
func TestBrokerNewNode(t *testing.T) {
	broker := os.Getenv("PLATEN_TEST_KAFKA")
	if broker == "" {
		t.Fatal("PLATEN_TEST_KAFKA is not set: export PLATEN_TEST_KAFKA=$(testdata/kafka/run.sh start DIR)")
	}
	newNode(t, broker)
}
