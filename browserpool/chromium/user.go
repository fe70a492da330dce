package chromium

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// defaultUser is the user as whom browsers of root processes run: Chromium refuses its sandbox to root.
const defaultUser = "nobody"

// sandboxed reports whether the browser has its sandbox.
func (o Options) sandboxed() bool { return !o.NoSandbox && (os.Geteuid() != 0 || !o.AsRoot) }

// UserID returns the id of the user as whom the browser runs.
func (o Options) UserID() (uint32, error) {
	as, err := o.owner()
	if as == nil || err != nil {
		return uint32(os.Geteuid()), err
	}
	return as.Uid, nil
}

// owner returns the user as whom the browser runs, nil for this process's own.
func (o Options) owner() (*syscall.Credential, error) {
	if os.Geteuid() != 0 || o.AsRoot {
		return nil, nil
	}
	name := o.User
	if name == "" {
		name = defaultUser
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("user of the browser: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil || uid == 0 {
		return nil, fmt.Errorf("user of the browser: %s has the id %s", name, u.Uid)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil || gid == 0 {
		return nil, fmt.Errorf("user of the browser: %s has the group %s", name, u.Gid)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// firstReachable returns the first directory that every user can reach, or the last one.
func firstReachable(dirs ...string) string {
	for _, dir := range dirs {
		if reachable(dir) {
			return dir
		}
	}
	return dirs[len(dirs)-1]
}

// reachable reports whether every user can reach the contents of a directory.
func reachable(dir string) bool {
	dir, err := filepath.Abs(dir)
	for err == nil {
		info, missing := os.Stat(dir)
		if missing != nil || info.Mode().Perm()&1 == 0 {
			return false
		}
		if dir == "/" {
			return true
		}
		dir = filepath.Dir(dir)
	}
	return false
}
