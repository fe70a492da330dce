package node

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// BrowserConfig is the section [browser].
type BrowserConfig struct {
	// Slots is how many documents that wait for nothing render at once; 0 means two per core plus one.
	Slots int `toml:"slots"`
	// Remotes is how many documents that may wait for the network render at once, each in its own
	// browser; 0 means six per core, at most one per 256 MiB of MemoryMB.
	Remotes int `toml:"remotes"`
	// CPUSeconds bounds the processor time of one document; 0 means 90.
	CPUSeconds int `toml:"cpu_seconds"`
	// MemoryMB bounds the memory of all pages together, in MiB; a single page gets at most a third of
	// it, and at most 4 GiB. 0 means half of the machine's memory, or of what its control group
	// allows.
	MemoryMB int `toml:"memory_mb"`
	// Path is the browser's binary; empty means to look for chromium-headless-shell.
	Path string `toml:"path"`
	// UserAgent is the user agent of requests for pages; empty means that of a windowed browser of
	// the same version.
	UserAgent string `toml:"user_agent"`
	// NoSandbox switches Chromium's sandbox off.
	NoSandbox bool `toml:"no_sandbox"`
	// User is the user that runs the browsers of root's node; empty means nobody.
	User string `toml:"user"`
	// AllowRootNoSandbox lets the browsers of root's node run as root, without the sandbox.
	AllowRootNoSandbox bool `toml:"allow_root_no_sandbox"`
}

func (c BrowserConfig) validate() error {
	return errors.Join(
		check(c.Slots >= 0, "browser.slots: must not be negative"),
		check(c.Remotes >= 0, "browser.remotes: must not be negative"),
		check(c.CPUSeconds >= 0, "browser.cpu_seconds: must not be negative"),
		check(isHeaderText(c.UserAgent), "browser.user_agent: must be printable ASCII"),
		check(c.MemoryMB == 0 || c.MemoryMB >= 512, "browser.memory_mb: must be at least 512, or 0"),
	)
}

// isHeaderText reports whether a text can be sent as the value of a header.
func isHeaderText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// pageBytes returns how much of the available memory all pages together may use: half, unless configured.
func (c BrowserConfig) pageBytes(memory int64) int64 {
	return cmp.Or(int64(c.MemoryMB)<<20, memory/2)
}

// lacksSandbox reports whether a browser may not have started for want of a sandbox, or of the user that it needs for one. Chromium says so only in its
// last words.
func lacksSandbox(err error) bool {
	said := strings.ToLower(err.Error())
	signs := []string{"sandbox", "namespace", "zygote", "user of the browser", "credentials.cc", "permission denied"}
	return errors.Is(err, fs.ErrPermission) || slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(said, sign) })
}

// explain says what may help if a user's browser does not start; root is told what else. Of its open files a browser says so only in its last words.
func (c BrowserConfig) explain(err error, uid int) error {
	if strings.Contains(strings.ToLower(err.Error()), "too many open files") {
		return fmt.Errorf("%w\nraise the limit of open files: LimitNOFILE=1048576 in the unit, or ulimit -n", err)
	}
	if c.Path != "" && errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(c.Path); missing != nil {
			return fmt.Errorf("browser.path: %w: correct it, or leave it empty to look for chromium-headless-shell", err)
		}
	}
	if uid != 0 || c.AllowRootNoSandbox || !lacksSandbox(err) {
		return err
	}
	return fmt.Errorf("%w\nroot's browsers run as %s, with their sandbox, which may not be possible here: run platen as an unprivileged user (in a systemd unit, User=), "+
		"or accept browsers that run as root without a sandbox with --allow-root-no-sandbox (docs/SECURITY.md)", err, cmp.Or(c.User, "nobody"))
}
