package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The package depends on what deploy/install-deps.sh installs for running.
func TestPackageDependsOnWhatIsInstalled(t *testing.T) {
	read := func(path, begin, end string) (found []string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), begin)
		list, _, _ := strings.Cut(rest, end)
		for _, m := range regexp.MustCompile(`(?m)^  (?:- )?([a-z][a-z0-9-]+)$`).FindAllStringSubmatch(list, -1) {
			found = append(found, m[1])
		}
		return found
	}
	installed := read("../../deploy/install-deps.sh", "\npackages=(\n", "\n)")
	depends := read("../../deploy/package/nfpm.yaml", "\ndepends:\n", "\ncontents:")
	if len(installed) < 8 || !slices.Equal(depends, installed) {
		t.Errorf("the package depends on %q, and %q are installed", depends, installed)
	}
}
