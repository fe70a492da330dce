package tlsfile

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// Stamp tells one state of files from another, by their sizes and modification times, and who may read them. A file that
// cannot be examined counts as missing.
type Stamp string

// StampOf returns the stamp of files as they are now.
func StampOf(paths ...string) Stamp {
	var b strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%d %d %s", info.Size(), info.ModTime().UnixNano(), info.Mode())
			if of, is := info.Sys().(*syscall.Stat_t); is {
				fmt.Fprintf(&b, " %d %d", of.Uid, of.Gid)
			}
		}
		b.WriteByte('\n')
	}
	return Stamp(b.String())
}
