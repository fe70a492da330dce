package testkit

import (
	"os"
	"testing"
)

// brokerVariable names a real broker, which testdata/kafka/run.sh starts.
const brokerVariable = "PLATEN_TEST_KAFKA"

// RealBroker returns the address of the real Kafka broker that integration tests use. If there is none, the test fails and says how to start one.
func RealBroker(t testing.TB) string {
	t.Helper()
	address := os.Getenv(brokerVariable)
	if address == "" {
		t.Fatalf("%s is not set: export %[1]s=$(testdata/kafka/run.sh start DIR)", brokerVariable)
	}
	return address
}
