package tlsfile

import (
	"fmt"
	"os"
	"strings"
)

// Stamp tells one state of files from another, by their sizes and modification times. A file that
// cannot be examined counts as missing.
type Stamp string

// StampOf returns the stamp of files as they are now.
func StampOf(paths ...string) Stamp {
	var b strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintf(&b, "%d %d", info.Size(), info.ModTime().UnixNano())
		}
		b.WriteByte('\n')
	}
	return Stamp(b.String())
}
