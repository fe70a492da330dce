package disk

import "golang.org/x/sys/unix"

// Space returns the size of a file system in bytes, and how much of it is free for unprivileged users. Blocks are counted in fragments, which on a file
// system of FUSE are smaller than the blocks that it likes to transfer.
func Space(stat unix.Statfs_t) (free, total int64) {
	unit := stat.Frsize
	if unit <= 0 {
		unit = stat.Bsize
	}
	return int64(stat.Bavail) * unit, int64(stat.Blocks) * unit
}
