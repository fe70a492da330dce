package embedded

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"platen.dev/events/disk"
	"platen.dev/events/eventlog"
)

// Lost is a range of offsets of a partition, from From up to but not including To, whose records a salvage has not found although it found later
// ones.
type Lost struct {
	Topic     string
	Partition int32
	From, To  int64
}

// Salvaged is the result of a salvage.
type Salvaged struct {
	Records int64
	// Partitions is the log's number of partitions.
	Partitions int32
	// Damaged maps the files that could not be read, or only in part, to the reasons.
	Damaged map[string]error
	// Lost is in the order of topics, partitions and offsets. Whether records after the last one found are lost too is unknown.
	Lost []Lost
	// Ends are the offsets after the last records found, by topic and partition.
	Ends map[string][]int64
}

// Bridge decides what replaces lost records of a partition, so that later ones keep their meaning. It sees the records in the order of their offsets.
type Bridge interface {
	Saw(eventlog.Record)
	// Fill returns values for lost offsets. Those that it leaves out get an empty value. later calls visit with the records after them until it returns
	// false.
	Fill(lost Lost, later func(visit func(eventlog.Record) bool)) map[int64][]byte
}

// SalvageConfig says what to salvage.
type SalvageConfig struct {
	// From is the directory of an unused log, and To one that does not exist yet.
	From, To string
	// Topics are the topics of the log. In a table whose first entries are damaged, only their records are looked for.
	Topics []string
	// Partitions is the log's number of partitions, and ID its id, in case it can no longer tell.
	Partitions int32
	ID         string
	// Bridge returns the bridge of a partition, nil for none.
	Bridge func(topic string, partition int32) Bridge
	Logger *slog.Logger
	// Progress is called after each file with the bytes read so far and in total.
	Progress func(done, all int64)
}

// ErrNoPartitions means that the log has lost the record of its number of partitions.
var ErrNoPartitions = errors.New("the log has lost its number of partitions")

// salvage copies the log of a database that cannot be opened, or not be read completely: it reads the tables and write-ahead logs one by one,
// skipping damage.
type salvage struct {
	SalvageConfig
	to     *pebble.DB
	batch  *pebble.Batch
	starts map[string]int64 // by the key of the start
	// prefixes are those of the records of all partitions, in order.
	prefixes [][]byte
	found    Salvaged
}

// Salvage copies everything readable in a log to another one, with the same offsets and the same id. It does not change the source.
func Salvage(ctx context.Context, c SalvageConfig) (Salvaged, error) {
	lock, err := pebble.LockDirectory(c.From, vfs.Default)
	if err != nil {
		return Salvaged{}, fmt.Errorf("open log %s: %w", c.From, disk.InUse(err))
	}
	defer lock.Close()
	if _, err := vfs.Default.Stat(c.To); err == nil {
		return Salvaged{}, fmt.Errorf("%s exists already: give a directory that does not", c.To)
	}
	if err := disk.MkdirAll(vfs.Default, c.To, 0o700); err != nil {
		return Salvaged{}, err
	}
	guard := disk.NewGuard("salvaged log", c.Logger)
	to, err := pebble.Open(c.To, guard.Options(options(Config{Dir: c.To, FS: vfs.Default}, nil)))
	if err != nil {
		return Salvaged{}, err
	}
	s := &salvage{SalvageConfig: c, to: to, batch: to.NewBatch(), starts: map[string]int64{}, found: Salvaged{Damaged: map[string]error{}, Ends: map[string][]int64{}}}
	s.listPrefixes()
	err = s.run(ctx)
	return s.found, errors.Join(err, s.batch.Close(), to.Close())
}

// maxPartitions is how many partitions of a topic are looked for in a damaged table if their number is unknown.
const maxPartitions = 256

func (s *salvage) listPrefixes() {
	for _, topic := range s.Topics {
		for p := range cmp.Or(s.Partitions, maxPartitions) {
			s.prefixes = append(s.prefixes, partitionKey(kindRecord, topic, p))
		}
	}
	slices.SortFunc(s.prefixes, bytes.Compare)
}

func (s *salvage) run(ctx context.Context) error {
	if err := s.copyFiles(ctx); err != nil {
		return err
	}
	if err := s.begin(); err != nil {
		return err
	}
	partitions, err := s.partitions()
	if err != nil {
		return err
	}
	s.found.Partitions = partitions
	topics, err := s.topics()
	if err != nil {
		return err
	}
	for _, topic := range topics {
		for p := range partitions {
			if err := s.mend(topic, p); err != nil {
				return err
			}
		}
	}
	return errors.Join(s.identify(), s.commit(), s.to.Flush())
}

// copyFiles copies from all tables and write-ahead logs.
func (s *salvage) copyFiles(ctx context.Context) error {
	names, err := vfs.Default.List(s.From)
	if err != nil {
		return err
	}
	slices.Sort(names)
	var done, all int64
	sizes := map[string]int64{}
	for _, name := range names {
		if info, err := vfs.Default.Stat(filepath.Join(s.From, name)); err == nil {
			sizes[name] = info.Size()
			all += info.Size()
		}
	}
	for _, name := range names {
		if err := errors.Join(ctx.Err(), s.copyFile(name)); err != nil {
			return err
		}
		if done += sizes[name]; s.Progress != nil {
			s.Progress(done, all)
		}
	}
	return s.commit()
}

// copyFile copies from one file. It records damage to the file; an error is one of writing.
func (s *salvage) copyFile(name string) error {
	var wrong, err error
	switch path := filepath.Join(s.From, name); filepath.Ext(name) {
	case ".sst":
		wrong, err = readTable(path, s.prefixes, s.put)
	case ".log":
		var all []error
		all, err = disk.ReadWAL(path, s.put)
		wrong = errors.Join(all...)
	}
	if wrong != nil {
		s.found.Damaged[name] = wrong
	}
	return err
}

// put takes an entry of the database. The same one may come again from another file.
func (s *salvage) put(key, value []byte) error {
	switch {
	case len(key) == 0:
		return nil
	case key[0] == kindStart && len(value) == 8:
		s.starts[string(key)] = max(s.starts[string(key)], int64(binary.BigEndian.Uint64(value)))
		return nil
	case key[0] == kindRecord:
		if _, err := decode(value); err != nil {
			return nil // it is lost
		}
	}
	if err := s.batch.Set(key, value, nil); err != nil {
		return err
	}
	if s.batch.Len() < batchBytes {
		return nil
	}
	return s.commit()
}

func (s *salvage) commit() error {
	if s.batch.Empty() {
		return nil
	}
	err := s.batch.Commit(pebble.Sync)
	s.batch.Reset()
	return err
}

// begin writes where the partitions start, and drops trimmed records.
func (s *salvage) begin() error {
	for key, start := range s.starts {
		prefix := append([]byte{kindRecord}, key[1:]...)
		if err := s.batch.DeleteRange(prefix, recordKey(prefix, start), nil); err != nil {
			return err
		}
		if err := s.batch.Set([]byte(key), binary.BigEndian.AppendUint64(nil, uint64(start)), nil); err != nil {
			return err
		}
	}
	return s.commit()
}

// partitions returns the log's number of partitions, writing it if its record is lost.
func (s *salvage) partitions() (int32, error) {
	_, closer, err := s.to.Get(formatKey)
	switch {
	case err == nil:
		count, err := checkFormat(s.to, 0)
		return count, errors.Join(err, closer.Close())
	case errors.Is(err, pebble.ErrNotFound) && s.Partitions == 0:
		return 0, ErrNoPartitions
	case errors.Is(err, pebble.ErrNotFound):
		return checkFormat(s.to, s.Partitions)
	}
	return 0, err
}

// identify writes the log's id if it is lost. That of a log without records may be new: one that has lost everything looks like a log just made.
func (s *salvage) identify() error {
	have, err := readID(s.to, true)
	if err != nil || s.ID == "" || have != "" && s.found.Records > 0 {
		return err
	}
	return s.to.Set(idKey, []byte(s.ID), pebble.Sync)
}

// topics lists the topics that have records.
func (s *salvage) topics() (all []string, err error) {
	iter, err := s.to.NewIter(&pebble.IterOptions{LowerBound: []byte{kindRecord}, UpperBound: []byte{kindRecord + 1}})
	if err != nil {
		return nil, err
	}
	defer iter.Close()
	for ok := iter.First(); ok; {
		topic, _, _ := bytes.Cut(iter.Key()[1:], []byte{0})
		all = append(all, string(topic))
		ok = iter.SeekGE(append(append([]byte{kindRecord}, topic...), 1))
	}
	return all, iter.Error()
}

// mend records what a partition has lost, and fills it.
func (s *salvage) mend(topic string, p int32) error {
	prefix := partitionKey(kindRecord, topic, p)
	iter, err := s.to.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: recordKey(prefix, math.MaxInt64)})
	if err != nil {
		return err
	}
	defer iter.Close()
	bridge := Bridge(nobody{})
	if s.Bridge != nil {
		if b := s.Bridge(topic, p); b != nil {
			bridge = b
		}
	}
	next, known := s.starts[string(partitionKey(kindStart, topic, p))]
	for ok := iter.First(); ok; ok = iter.Next() {
		r, err := decode(iter.Value())
		if err != nil {
			return err
		}
		if r.Offset = offsetOf(iter.Key()); r.Offset > next {
			if err := s.lose(Lost{topic, p, next, r.Offset}, known, bridge); err != nil {
				return err
			}
		}
		bridge.Saw(r)
		next, known = r.Offset+1, true
		s.found.Records++
	}
	s.found.Ends[topic] = append(s.found.Ends[topic], next)
	return iter.Error()
}

// lose records lost records, and fills their place. If it is not known where the partition starts, those before its first record may have been
// trimmed: then it starts after them.
func (s *salvage) lose(lost Lost, known bool, bridge Bridge) error {
	s.found.Lost = append(s.found.Lost, lost)
	if known {
		return s.fill(lost, bridge)
	}
	return s.batch.Set(partitionKey(kindStart, lost.Topic, lost.Partition), binary.BigEndian.AppendUint64(nil, uint64(lost.To)), nil)
}

// fill writes the replacements of lost records.
func (s *salvage) fill(lost Lost, bridge Bridge) error {
	prefix := partitionKey(kindRecord, lost.Topic, lost.Partition)
	values := bridge.Fill(lost, func(visit func(eventlog.Record) bool) { s.later(prefix, lost.To, visit) })
	for offset := lost.From; offset < lost.To; offset++ {
		r := eventlog.Record{Offset: offset, Value: values[offset]}
		if err := putRecord(s.batch, prefix, &r); err != nil {
			return err
		}
		if r.Value != nil {
			bridge.Saw(r)
		}
		if s.batch.Len() >= batchBytes {
			if err := s.commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// later visits the records of a partition from an offset on.
func (s *salvage) later(prefix []byte, from int64, visit func(eventlog.Record) bool) {
	iter, err := s.to.NewIter(&pebble.IterOptions{LowerBound: recordKey(prefix, from), UpperBound: recordKey(prefix, math.MaxInt64)})
	if err != nil {
		return
	}
	defer iter.Close()
	for ok := iter.First(); ok; ok = iter.Next() {
		r, err := decode(iter.Value())
		r.Offset = offsetOf(iter.Key())
		if err != nil || !visit(r) {
			return
		}
	}
}

// nobody is a Bridge that fills nothing.
type nobody struct{}

func (nobody) Saw(eventlog.Record) {}

func (nobody) Fill(Lost, func(func(eventlog.Record) bool)) map[int64][]byte { return nil }
