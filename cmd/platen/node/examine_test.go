package node

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// The doctor finds a log that the configuration does not fit, and makes or changes none.
func TestTryLog(t *testing.T) {
	c := NewConfig()
	c.Data = t.TempDir()
	try := func(want string) {
		t.Helper()
		is, err := c.tryLog()
		if err != nil {
			is = err.Error()
		}
		if !strings.Contains(is, want) {
			t.Errorf("got %q, want %q", is, want)
		}
	}
	try("will make it")
	if _, err := os.Stat(c.LogDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log: %v", err)
	}
	log, err := c.OpenLog(t.Context(), "", testkit.Silent(), func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	try("a node has it open")
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	try("it can be read, and has 64 partitions")
	c.Partitions = 32
	try("the log has 64 partitions, the configuration says 32: the count is fixed for the life of a log, so configure partitions = 64")
}
