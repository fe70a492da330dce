package node

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// ours are the names, up to a dot or a hyphen, of what a node keeps in its data directory besides files. It empties some of them at its start.
var ours = []string{"admin", "dev", "ledger", "log", "replica", "restore", "scratch", "seal", "work"}

// isOurs reports whether a node keeps what has this name in its data directory.
func isOurs(name string) bool {
	return slices.Contains(ours, name[:strings.IndexAny(name+".", ".-")])
}

// checkFilesPlace refuses a directory of files in which the node keeps other things, or that has the data directory in it.
func (c StorageConfig) checkFilesPlace(field, place string) error {
	if place == "" || strings.HasPrefix(place, s3Scheme) || c.Data == "" {
		return nil
	}
	if inside(c.Data, place) {
		return fmt.Errorf("%s: %s is the data directory, or contains it: choose another directory, such as %s", field, place, filepath.Join(c.Data, "files"))
	}
	way, is := wayInto(c.Data, place)
	if !is {
		return nil
	}
	first, _, _ := strings.Cut(way, string(filepath.Separator))
	if isOurs(first) {
		return fmt.Errorf("%s: %s is where the node keeps other things: choose a directory outside of %s, or %s", field, place, c.Data, filepath.Join(c.Data, "files"))
	}
	return nil
}
