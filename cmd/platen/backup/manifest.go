package backup

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"platen.dev/events/eventlog"
	"platen.dev/ledger"
	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// Format is the version of the files.
const Format = 1

// maxPartitions is the maximum number of partitions of a log.
const maxPartitions = 4096

// Errors for errors.Is.
var (
	// ErrDamaged means that the files of a backup are not as they were written, or cannot be read.
	ErrDamaged = errors.New("the backup is damaged")
	// ErrNone means that there is no such backup.
	ErrNone = errors.New("there is no such backup")
)

// Manifest describes a backup.
type Manifest struct {
	Format int `json:"format"`
	// Taken is when its cut was made. Node and Version say who took it.
	Taken   time.Time `json:"taken"`
	Node    string    `json:"node"`
	Version string    `json:"version"`
	// Secrets are the names of the secrets that seal its credentials. They are not in the backup.
	Secrets []string `json:"secrets"`
	// Share is the share of earlier backups' chunks that was read again.
	Share int `json:"share,omitempty"`
	// Partitions are all partitions of the log, in order.
	Partitions []Partition `json:"partitions"`
}

// Partition describes the backup of a partition.
type Partition struct {
	// Cursor is the cut. Schema is that of the rows there; Rows has their number, size and digest.
	Cursor projections.Cursor `json:"cursor"`
	Schema int                `json:"schema"`
	Rows   Rows               `json:"rows"`
	// Base is the snapshot that the journal continues from; nil if the journal is whole.
	Base    *Base   `json:"base,omitempty"`
	Journal Records `json:"journal"`
	// Commands have the content of unfinished jobs, and the commands that were set aside.
	Commands []Segment `json:"commands,omitempty"`
	Events   Records   `json:"events"`
	Poison   Records   `json:"poison"`
	// Ledger has the entries that do not follow from Events: those of earlier events, and of the topic before it was re-created or restored. Those of
	// one topic are adjacent, and the topic of Events is the last.
	Ledger []Entries `json:"ledger,omitempty"`
	Files  Files     `json:"files"`
}

// Rows sum up the rows of a partition.
type Rows struct {
	Count  int64        `json:"count"`
	Bytes  int64        `json:"bytes"`
	Digest snapshot.Sum `json:"digest"`
}

// Base is a snapshot. Its chunks are chunks of the backup.
type Base struct {
	ID       string            `json:"id"`
	Manifest snapshot.Manifest `json:"manifest"`
}

// Ref returns the snapshot's name.
func (b Base) Ref() snapshot.Ref {
	return snapshot.Ref{Partition: b.Manifest.Partition, Next: b.Manifest.Cursor.Next, ID: b.ID}
}

// Records are records of a topic's partition from Start up to, not including, End.
type Records struct {
	Start    int64     `json:"start"`
	End      int64     `json:"end"`
	Segments []Segment `json:"segments,omitempty"`
}

// Segment has records of a topic's partition, from the first at Start up to, not including, End.
type Segment struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
	// Last is the SHA-256 of the last record.
	Last snapshot.Sum `json:"last"`
	snapshot.Chunk
}

// Entries are the ledger entries whose source is within the offsets Lo to Hi.
type Entries struct {
	// Topic is the ledger's name for the topic.
	Topic   string         `json:"topic,omitempty"`
	Lo      int64          `json:"lo"`
	Hi      int64          `json:"hi"`
	Figures ledger.Figures `json:"figures"`
	// Chunk is empty if there are no entries.
	snapshot.Chunk
}

// Files are the files of a partition's jobs.
type Files struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
	// Index lists them, by name.
	Index []snapshot.Chunk `json:"index,omitempty"`
	// Missing are the names of files deleted after the cut but before they were copied.
	Missing []string `json:"missing,omitempty"`
}

// Ref names a backup. Names sort in the order in which the backups of a place were taken: by time, and if a clock was ahead, each follows the newest.
type Ref string

var refName = regexp.MustCompile(`^backup-\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{8}$`)

const (
	refPrefix = "backup-"
	refTime   = "20060102T150405.000Z"
)

// step is between the names of two backups of which the later one is not named by its own time.
const step = time.Millisecond

// follows reports whether a backup seems to be named after another one, not by its own time.
func (r Ref) follows(other Ref) bool { return r.time().Equal(other.time().Add(step)) }

// newRef returns a name for a backup taken at a time to a place that has earlier ones, newest first. It sorts after theirs, also after those that are
// named in the future.
func newRef(at time.Time, earlier []Ref) Ref {
	if len(earlier) > 0 {
		if after := earlier[0].time().Add(step); after.After(at) {
			at = after
		}
	}
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	return Ref(refPrefix + at.UTC().Format(refTime) + "-" + hex.EncodeToString(id[:]))
}

// time returns the time in a name, zero if it has none.
func (r Ref) time() time.Time {
	if !refName.MatchString(string(r)) {
		return time.Time{}
	}
	at, _ := time.Parse(refTime, string(r)[len(refPrefix):len(refPrefix)+len(refTime)])
	return at
}

// List returns the backups at a place, newest first.
func List(ctx context.Context, files store.Files) (refs []Ref, err error) {
	err = files.Each(ctx, func(name string, _ int64, _ time.Time) error {
		if !Ref(name).time().IsZero() {
			refs = append(refs, Ref(name))
		}
		return nil
	})
	slices.SortFunc(refs, func(a, b Ref) int { return cmp.Compare(b, a) })
	return refs, err
}

// Find returns the backup with a name, or the newest if name is empty.
func Find(ctx context.Context, files store.Files, name string) (ref Ref, m Manifest, err error) {
	refs, err := List(ctx, files)
	if err != nil {
		return ref, m, err
	}
	if name != "" {
		refs = slices.DeleteFunc(refs, func(r Ref) bool { return string(r) != name })
	}
	if len(refs) == 0 {
		return ref, m, fmt.Errorf("%w: %s", ErrNone, cmp.Or(name, "the place has none"))
	}
	m, err = Open(ctx, files, refs[0])
	return refs[0], m, err
}

// Open reads the manifest of a backup, and checks that it is possible. The error is ErrDamaged if not.
func Open(ctx context.Context, files store.Files, ref Ref) (m Manifest, err error) {
	if err = snapshot.ReadDocument(ctx, legible{files}, string(ref), &m); err == nil {
		err = m.check()
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", ref, damaged(err))
	}
	return m, nil
}

// damaged turns an error about a file of a backup into ErrDamaged.
func damaged(err error) error {
	if errors.Is(err, snapshot.ErrDamaged) || errors.Is(err, eventlog.ErrMisplaced) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// chunks visits all chunks that the manifest names. The chunks of files are named by the indexes.
func (m Manifest) chunks(visit func(snapshot.Chunk)) {
	for _, p := range m.Partitions {
		if p.Base != nil {
			for _, c := range p.Base.Manifest.Chunks {
				visit(c)
			}
		}
		for _, segments := range [][]Segment{p.Journal.Segments, p.Commands, p.Events.Segments, p.Poison.Segments} {
			for _, s := range segments {
				visit(s.Chunk)
			}
		}
		for _, e := range p.Ledger {
			if e.Bytes > 0 {
				visit(e.Chunk)
			}
		}
		for _, c := range p.Files.Index {
			visit(c)
		}
	}
}
