package chromium

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// ErrNotInstalled means that no headless browser was found; its text says how to install one.
var ErrNotInstalled = errors.New("chromium-headless-shell is not installed: run deploy/install-deps.sh")

// The first candidate is the binary itself; what Debian puts on the PATH is a shell
// script that would stay between this process and the browser.
var candidates = []string{
	"/usr/lib/chromium/chromium-headless-shell",
	"chromium-headless-shell",
	"chrome-headless-shell",
}

// Find returns the path of the browser binary: path itself if it is not empty,
// otherwise the first candidate that exists. It fails with ErrNotInstalled if none does.
func Find(path string) (string, error) {
	if path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("browser binary: %w", err)
		}
		return path, nil
	}
	for _, name := range candidates {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", ErrNotInstalled
}
