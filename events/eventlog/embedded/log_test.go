package embedded_test

import (
	"path/filepath"
	"testing"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/logtest"
)

func TestMain(m *testing.M) { logtest.Main(m, at) }

// at returns the storage in a directory.
func at(dir string) logtest.Storage {
	return logtest.Storage{
		Topic: "platen.test",
		Where: dir,
		Open: func(partitions int32) (eventlog.Log, error) {
			return embedded.Open(embedded.Config{Dir: dir, Partitions: partitions})
		},
		OpenReadOnly: func() (eventlog.Log, error) {
			return embedded.Open(embedded.Config{Dir: dir, ReadOnly: true})
		},
	}
}

func fresh(t *testing.T) logtest.Storage { return at(filepath.Join(t.TempDir(), "log")) }

func TestConformance(t *testing.T) { logtest.Run(t, fresh) }

// TestConformanceWithoutMemory has nearly no memory: readers are served from the
// database and appenders wait for each other.
func TestConformanceWithoutMemory(t *testing.T) {
	logtest.Run(t, func(t *testing.T) logtest.Storage {
		s := fresh(t)
		s.Open = func(partitions int32) (eventlog.Log, error) {
			return embedded.Open(embedded.Config{Dir: s.Where, Partitions: partitions, CacheBytes: 1, PendingBytes: 1})
		}
		return s
	})
}

func TestCrash(t *testing.T) { logtest.Crash(t, fresh, 10) }
