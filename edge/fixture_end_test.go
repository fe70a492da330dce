package edge

import "testing"

// A test that sends no request ends, even if its server has not begun to serve.
func TestFixtureWithoutRequests(t *testing.T) {
	for range 20 {
		t.Run("", func(t *testing.T) { newFixture(t) })
		t.Run("", func(t *testing.T) { start(t, defaultTimeouts) })
	}
}
