package projections

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/cockroachdb/pebble/v2"

	"platen.dev/events"
	"platen.dev/events/disk"
)

// Schema is the version of all tables together. Raise it whenever a projection writes different bytes than before, add a migration for the rows of
// snapshots, and give it a level (docs/decisions/0038).
const Schema = firstSchema + events.Ahead

const firstSchema = 1

// SchemaLevel is the first level at which no node has an earlier schema.
const SchemaLevel = events.FirstLevel + events.Ahead

// migrations convert rows of each earlier schema into rows of the next. The result must be what the projections of the next schema would have left
// after folding the same journal: replicas that have folded it and those that began with a snapshot must have the same bytes. Rows stay in key order.
var migrations = map[int]func(Rows) Rows{}

// ErrSchema means that this version cannot continue from rows of an earlier schema.
var ErrSchema = errors.New("start a version between them first")

// Migrate converts rows of an earlier schema into rows of this version's.
func Migrate(schema int, rows Rows) (Rows, error) { return migrate(schema, Schema, rows) }

func migrate(from, to int, rows Rows) (Rows, error) {
	if from > to {
		return nil, fmt.Errorf("the rows have the schema %d, this version has %d: %w", from, to, events.ErrNewer)
	}
	for ; from < to; from++ {
		change, known := migrations[from]
		if !known {
			return nil, fmt.Errorf("the rows have the schema %d, from which this version cannot continue: %w", from, ErrSchema)
		}
		rows = change(rows)
	}
	return rows, nil
}

// schemaKey holds the schema of a store. A store being built has none.
var schemaKey = []byte("\x00schema")

// schema returns the schema that the replica writes.
func (c Config) schema() int {
	if c.testSchema > 0 {
		return c.testSchema
	}
	return Schema
}

// dirOf returns the directory of a store with a schema other than that in c.Dir.
func (c Config) dirOf(schema int) string { return fmt.Sprintf("%s-%d", c.Dir, schema) }

// openExisting opens the store in a directory if there is one with a schema, or returns nil.
func openExisting(cfg Config, dir string) (s *store, schema int, err error) {
	if _, err := cfg.FS.Stat(dir); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, 0, nil
		}
		return nil, 0, err
	}
	if s, err = openGuarded(cfg, dir); err != nil {
		return nil, 0, err
	}
	have, err := get(s.db, schemaKey)
	if err != nil || len(have) != 1 {
		return nil, 0, errors.Join(err, s.db.Close())
	}
	return s, int(have[0]), nil
}

// openGuarded opens a store with a guard of its own, and creates it if it does not exist.
func openGuarded(cfg Config, dir string) (s *store, err error) {
	cfg.Dir = dir
	guard := disk.NewGuard("replica store", cfg.Logger)
	err = guard.Open(func() (err error) {
		s, err = openStore(cfg, guard, &pebble.Options{})
		return err
	})
	return s, disk.Opening(err)
}

// openServing opens the store to serve: that of the present schema or else the newest of an earlier one, which serves until the other is built beside
// it. Without either it is a new one.
func openServing(cfg Config) (s *store, outdated bool, err error) {
	for schema := cfg.schema(); schema >= firstSchema; schema-- {
		for _, dir := range []string{cfg.dirOf(schema), cfg.Dir} {
			s, have, err := openExisting(cfg, dir)
			if err != nil {
				return nil, false, err
			}
			if have == schema {
				return s, have != cfg.schema(), errors.Join(cfg.removeOthers(dir), cfg.FS.RemoveAll(s.loads()))
			}
			if s != nil {
				if err := s.db.Close(); err != nil {
					return nil, false, err
				}
			}
		}
	}
	if err := errors.Join(cfg.removeOthers(""), cfg.FS.RemoveAll(cfg.Dir)); err != nil {
		return nil, false, err
	}
	if s, err = openGuarded(cfg, cfg.Dir); err != nil {
		return nil, false, err
	}
	return s, false, s.complete(cfg.schema())
}

// journalKey holds the id of the topic whose journal a store was folded from, if the log's topics have ids.
var journalKey = []byte("\x00journal")

// ErrOtherJournal means that the replica was folded from another journal than the log's.
var ErrOtherJournal = errors.New("the replica is of another journal")

// CheckJournal returns ErrOtherJournal if a replica was folded from another journal than the log's. An empty id is unknown.
func CheckJournal(folded, log string) error {
	if folded == "" || log == "" || folded == log {
		return nil
	}
	return fmt.Errorf("%w: it was folded from %s, and the log has %s: its topic was created again. "+
		"If a backup was restored, this is a node of before: give it an empty data directory. If not, the journal is lost, and this directory has what was left of it: "+
		"restore a backup first, or the partitions halt (docs/RUNBOOK.md#platenpartitionhalted)", ErrOtherJournal, folded, log)
}

// countKey holds how many partitions that journal had, in decimal digits. A log without ids keeps its count itself.
var countKey = []byte("\x00partitions")

// checkJournal returns an error if the store was folded from another journal than the log's, or if that had another number of partitions. Nothing is
// removed, since it may be the last copy.
func (s *store) checkJournal() error {
	id, err := get(s.db, journalKey)
	if err != nil {
		return err
	}
	if err := CheckJournal(string(id), s.cfg.Log.TopicID(events.TopicJournal)); err != nil {
		return err
	}
	count, err := get(s.db, countKey)
	if now := strconv.Itoa(int(s.partitions)); err == nil && len(count) > 0 && string(count) != now {
		err = fmt.Errorf("partitions were added to the topics: they had %s, and have %s. Most accounts would be looked for in others than theirs, "+
			"and Kafka takes no partition away: restore a backup into new topics with partitions = %[1]s", count, now)
	}
	return err
}

// noteJournal records which journal a store is folded from.
func (s *store) noteJournal() error {
	id := s.cfg.Log.TopicID(events.TopicJournal)
	if id == "" {
		return nil
	}
	return errors.Join(s.db.Set(journalKey, []byte(id), nil), s.db.Set(countKey, strconv.AppendInt(nil, int64(s.partitions), 10), pebble.Sync))
}

// removeOthers removes the stores of all directories but one: the remains of a newer version, an unfinished build or a replaced store.
func (c Config) removeOthers(keep string) error {
	names, err := c.FS.List(c.FS.PathDir(c.Dir))
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, name := range names {
		dir := c.FS.PathJoin(c.FS.PathDir(c.Dir), name)
		var schema int
		if n, _ := fmt.Sscanf(name, c.FS.PathBase(c.Dir)+"-%d", &schema); dir != keep && (dir == c.Dir || n == 1 && dir == c.dirOf(schema)) {
			err = errors.Join(err, c.FS.RemoveAll(dir))
		}
	}
	return err
}

// complete records the schema of a store, which then counts.
func (s *store) complete(schema int) error {
	return s.db.Set(schemaKey, []byte{byte(schema)}, pebble.Sync)
}
