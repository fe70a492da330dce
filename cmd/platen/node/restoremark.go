package node

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"

	"platen.dev/events/disk"
)

// unfinished is the file that marks the data directory during a restore. It is there before anything else is, or a node would begin anew in what a
// killed restore has left.
const unfinished = "restore-unfinished"

// readsOnly is the content of the mark until the restore writes into the log and the stores. It is the name of the backup then.
const readsOnly = "reads"

// Errors of a data directory in which a restore did not end.
var (
	errUnfinished = errors.New("a restore into this data directory did not end: remove the directory, the results, and on Kafka and ClickHouse the topics and tables, and restore again")
	errUnread     = errors.New("a restore into this data directory did not end, and had written nothing: restore again, or remove the directory")
)

// checkFinished returns an error if a restore into the data directory did not end.
func (c StorageConfig) checkFinished() error {
	_, err := os.Lstat(c.unfinishedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return c.unseen(err, os.Geteuid())
	}
	if content, err := os.ReadFile(c.unfinishedPath()); err == nil && string(content) == readsOnly+"\n" {
		return errUnread
	}
	return errUnfinished // even if it cannot be read: whoever restored may be another user
}

// unseen says what to do about the error of a user's look for a mark. Nobody has seen one: to remove the directory may be wrong.
func (c StorageConfig) unseen(err error, uid int) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w for uid %d: run platen as %s, or give the directory to this user (chown)", err, uid, cmp.Or(disk.Owner(c.Data), "the node's user"))
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ENAMETOOLONG):
		return fmt.Errorf("%w: choose another data directory", err)
	}
	return err
}

func (c StorageConfig) unfinishedPath() string { return filepath.Join(c.Data, unfinished) }

// mark is the mark of a restore.
type mark struct {
	path string
	// lapses is set while the mark is this restore's, which has written nothing.
	lapses bool
}

// beginRestore marks the data directory, which no node has used. A restore that was killed before it wrote anything may be begun again.
func (c StorageConfig) beginRestore() (*mark, error) {
	if err := c.checkNew(); err != nil {
		return nil, err
	}
	before := c.checkFinished()
	if before != nil && !errors.Is(before, errUnread) {
		return nil, before
	}
	if err := disk.MkdirAll(vfs.Default, c.Data, 0o700); err != nil {
		return nil, err
	}
	m := &mark{path: c.unfinishedPath()}
	if err := m.set(readsOnly); err != nil {
		return nil, err
	}
	m.lapses = before == nil
	return m, nil
}

// set makes the mark durable.
func (m *mark) set(content string) error {
	m.lapses = false
	return disk.WriteFile(m.path, []byte(content+"\n"))
}

func (m *mark) remove() error { return os.Remove(m.path) }

// lapse removes the mark of a restore that ends without having written anything, as with a damaged backup. A mark that was found stays: another restore
// may be under way.
func (m *mark) lapse() error {
	if !m.lapses {
		return nil
	}
	return m.remove()
}
