package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/store"
)

// claim is the file of a store of results that names the log whose jobs they are: nodes of another log would take them for files that no job owns. A
// lifecycle rule may remove it, so it is written again.
const claim = backup.Claim

// maxClaim bounds its size in bytes.
const maxClaim = 1 << 10

// claimant marks a store of results as that of a log.
type claimant struct {
	files store.Files
	// log is the id of the log; empty if the brokers are too old to tell.
	log string
	// place is where the store is, and path where the claim is, for people.
	place, path string
}

func claimantOf(c StorageConfig, files store.Files, log eventlog.Log) claimant {
	place := c.filesPlace()
	path := strings.TrimSuffix(place, "/") + "/" + claim
	if dir, is := files.(*store.Dir); is {
		path = dir.Path(claim)
	}
	return claimant{files: files, log: log.TopicID(events.TopicJournal), place: place, path: path}
}

// Errors of claims.
var (
	errForeignResults = errors.New("the results there are of another log")
	errNoResults      = errors.New("none of the results that jobs still have is there")
)

// take claims the store, unless check refuses it.
func (c claimant) take(ctx context.Context, kept func() ([]string, error)) error {
	if ours, err := c.check(ctx, kept); err != nil || ours {
		return err
	}
	_, err := c.files.Put(ctx, claim, strings.NewReader(c.log), maxClaim)
	return err
}

// check reports whether the log has claimed the store already, or has no id to claim it with. It refuses a store that another log has claimed. If
// nobody has, kept names some results that should be there: if all are missing, the store is a different one, such as the directory of a disk that is
// not mounted.
func (c claimant) check(ctx context.Context, kept func() ([]string, error)) (ours bool, err error) {
	if c.log == "" {
		return true, nil
	}
	whose, err := c.read(ctx)
	switch {
	case errors.Is(err, store.ErrNotExist):
		return false, c.checkKept(ctx, kept)
	case err != nil:
		return false, err
	case whose != "" && whose != c.log:
		return false, fmt.Errorf("%s: %w (%s; this node's is %s), which would lose them: give each cluster a place of its own, or remove %s if the other is gone for good",
			c.place, errForeignResults, whose, c.log, c.path)
	}
	return whose == c.log, nil
}

// remake makes the directories of a running node's store again, which somebody has removed. Without a claim it may be the directory of a disk that is
// not mounted: then it changes nothing.
func (c claimant) remake(ctx context.Context, dir *store.Dir) error {
	_, err := c.read(ctx)
	if errors.Is(err, store.ErrNotExist) || errors.Is(err, store.ErrGone) {
		return fmt.Errorf("%s is missing: mount the disk of the results; if they are lost, make an empty file of this name, with its directory", c.path)
	}
	none := func() ([]string, error) { return nil, nil }
	if err == nil {
		_, err = c.check(ctx, none)
	}
	if err == nil {
		err = dir.Remake()
	}
	if err != nil {
		return err
	}
	return c.take(ctx, none)
}

// read returns the log that has claimed the store.
func (c claimant) read(ctx context.Context) (string, error) {
	f, err := c.files.Open(ctx, claim)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxClaim))
	return strings.TrimSpace(string(b)), errors.Join(err, f.Close())
}

// checkKept returns errNoResults if there are results that should be in the store, and none is.
func (c claimant) checkKept(ctx context.Context, kept func() ([]string, error)) error {
	names, err := kept()
	if err != nil || len(names) == 0 {
		return err
	}
	for _, name := range names {
		f, err := c.files.Open(ctx, name)
		if err == nil {
			return f.Close()
		}
		if !errors.Is(err, store.ErrNotExist) {
			return err
		}
	}
	return fmt.Errorf("%s: %w, such as %s: mount it, or correct `files`; to begin without them, make an empty file %s, with its directory",
		c.place, errNoResults, names[0], c.path)
}

// keptSample is how many results are looked for, of each partition and in all.
const keptSample = 20

// keptResults names some results that jobs still have at now, by the rows of all partitions.
func keptResults(rows account.Scanner, partitions int32, now time.Time) func() ([]string, error) {
	return func() (names []string, err error) {
		for p := int32(0); p < partitions && len(names) < keptSample; p++ {
			found, err := account.KeptFiles(rows, p, events.At(now), keptSample-len(names))
			if err != nil {
				return nil, err
			}
			names = append(names, found...)
		}
		return names, nil
	}
}

// claimResults opens the store of results, and claims it.
func claimResults(ctx context.Context, b *base, s *storage) (err error) {
	if s.files, err = openFiles(ctx, b, "results", b.cfg.Files); err != nil {
		return err
	}
	return claimantOf(b.cfg.StorageConfig, s.files, s.log).take(ctx, keptResults(s.replica, s.log.Partitions(), b.clock.Now()))
}
