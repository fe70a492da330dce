package disk

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Blocks are counted in fragments where a file system tells their size.
func TestSpace(t *testing.T) {
	for _, tc := range []struct {
		stat        unix.Statfs_t
		free, total int64
	}{
		{unix.Statfs_t{Bsize: 4096, Frsize: 4096, Blocks: 10, Bavail: 2, Bfree: 3}, 8192, 40960},
		{unix.Statfs_t{Bsize: 1 << 20, Frsize: 512, Blocks: 10, Bavail: 2}, 1024, 5120},
		{unix.Statfs_t{Bsize: 4096, Blocks: 10, Bavail: 2}, 8192, 40960},
	} {
		if free, total := Space(tc.stat); free != tc.free || total != tc.total {
			t.Errorf("%+v: %d of %d bytes are free, want %d of %d", tc.stat, free, total, tc.free, tc.total)
		}
	}
}
