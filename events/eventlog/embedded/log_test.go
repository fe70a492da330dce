package embedded_test

import (
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
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

func fresh(t *testing.T) logtest.Storage {
	s := at(filepath.Join(t.TempDir(), "log"))
	s.Unbounded = "platen.unbounded"
	s.OpenHeld = func(t *testing.T) (eventlog.Log, func()) {
		disk := newHangingDisk()
		l, err := embedded.Open(embedded.Config{
			Dir: s.Where, Partitions: logtest.Partitions, PendingBytes: logtest.HeldBytes, Unbounded: []string{s.Unbounded}, FS: disk.fs,
		})
		if err != nil {
			t.Fatal(err)
		}
		disk.hang()
		t.Cleanup(func() { disk.release(); _ = l.Close() })
		return l, disk.release
	}
	return s
}

// hangingDisk is a disk whose syncs of write-ahead logs can be made to hang.
type hangingDisk struct {
	fs   vfs.FS
	mu   sync.RWMutex // held for writing while the disk hangs
	free func()
}

func newHangingDisk() *hangingDisk {
	d := &hangingDisk{}
	d.fs = errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			d.mu.RLock() // waits while the disk hangs
			d.mu.RUnlock()
		}
		return nil
	}))
	return d
}

func (d *hangingDisk) hang() {
	d.mu.Lock()
	d.free = sync.OnceFunc(d.mu.Unlock)
}

func (d *hangingDisk) release() { d.free() }

func TestConformance(t *testing.T) { logtest.Run(t, fresh) }

// TestConformanceWithoutMemory has nearly no memory: readers are served from the database.
func TestConformanceWithoutMemory(t *testing.T) {
	logtest.Run(t, func(t *testing.T) logtest.Storage {
		s := fresh(t)
		s.Open = func(partitions int32) (eventlog.Log, error) {
			return embedded.Open(embedded.Config{Dir: s.Where, Partitions: partitions, CacheBytes: 1})
		}
		return s
	})
}

// powerCut is a disk in memory that forgets at a power cut what was not synced, or only a
// part of it.
type powerCut struct {
	disk *vfs.MemFS
	r    *rand.Rand
}

func newPowerCut(t *testing.T) *powerCut {
	return &powerCut{disk: vfs.NewCrashableMem(), r: testkit.Rand(t)}
}

func (p *powerCut) cut() {
	p.disk = p.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: p.r.IntN(2) * p.r.IntN(101), RNG: p.r})
}

// storage is a log two levels below the root of the disk, which is empty at first.
func (p *powerCut) storage() logtest.Storage {
	open := func(c embedded.Config) (eventlog.Log, error) {
		c.Dir, c.FS, c.Logger = "new/data/log", p.disk, testkit.Silent()
		return embedded.Open(c)
	}
	return logtest.Storage{
		Topic: topic,
		Open: func(partitions int32) (eventlog.Log, error) {
			return open(embedded.Config{Partitions: partitions})
		},
		OpenReadOnly: func() (eventlog.Log, error) { return open(embedded.Config{ReadOnly: true}) },
	}
}

// TestConformanceAfterPowerCuts cuts the power before every opening.
func TestConformanceAfterPowerCuts(t *testing.T) {
	logtest.Run(t, func(t *testing.T) logtest.Storage {
		p := newPowerCut(t)
		s := p.storage()
		open, openReadOnly := s.Open, s.OpenReadOnly
		s.Open = func(partitions int32) (eventlog.Log, error) { p.cut(); return open(partitions) }
		s.OpenReadOnly = func() (eventlog.Log, error) { p.cut(); return openReadOnly() }
		return s
	})
}

func TestPowerCuts(t *testing.T) {
	p := newPowerCut(t)
	logtest.PowerCuts(t, p.storage(), func() logtest.Storage { p.cut(); return p.storage() }, 30)
}

func TestCrash(t *testing.T) { logtest.Crash(t, fresh, 10) }
