package projections

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"platen.dev/events"
)

// listJobs makes rows of schema 8 out of those of schema 7: jobs name their API key, and are listed. The keys are
// in the rows of package actors/account, which come first. It takes some 200 bytes of memory for each job of the partition.
func listJobs(rows Rows) Rows {
	return func(visit func(key, value []byte) error) error {
		l := &lister{visit: visit, keys: map[events.JobID]events.KeyID{}, known: map[events.KeyID]events.KeyID{}}
		if err := rows(l.take); err != nil {
			return err
		}
		return l.end()
	}
}

// lister adds the list of jobs to the rows that pass it.
type lister struct {
	visit func(key, value []byte) error
	// keys are those of the jobs, known the different ones among them.
	keys  map[events.JobID]events.KeyID
	known map[events.KeyID]events.KeyID
	// listed are rows that are to be visited before any of a later table.
	listed [][2][]byte
}

// decidedJobs is the table of job.State in actors/account, as far as it tells the key of a job.
var decidedJobs = Table[struct {
	Origin events.JobOrigin `cbor:"25,keyasint"`
}]{'J'}

func (l *lister) take(key, value []byte) error {
	switch {
	case key[0] == decidedJobs.Name:
		state, err := decidedJobs.Decode(value)
		if err != nil {
			return fmt.Errorf("decode %x: %w", key, err)
		}
		l.note(events.JobID(decidedJobs.Row(key)), state.Origin.Key)
	case key[0] == jobs.Name:
		return l.list(key, value)
	case key[0] > listed.Name:
		if err := l.end(); err != nil {
			return err
		}
	}
	return l.visit(key, value)
}

func (l *lister) note(id events.JobID, key events.KeyID) {
	if _, ok := l.known[key]; !ok {
		l.known[key] = key
	}
	l.keys[id] = l.known[key]
}

// list visits a job with its API key, and notes its row in the list.
func (l *lister) list(key, value []byte) error {
	j, err := jobs.Decode(value)
	if err != nil {
		return fmt.Errorf("decode %x: %w", key, err)
	}
	id, partition := events.JobID(jobs.Row(key)), int32(binary.BigEndian.Uint16(key[1:]))
	j.Key = l.keys[id]
	delete(l.keys, id)
	summary, err := encoder.Marshal(j.summary())
	if err != nil {
		return err
	}
	l.listed = append(l.listed, [2][]byte{listedKey(partition, j.Account, Place{j.Created, id}), summary})
	if value, err = encoder.Marshal(j); err != nil {
		return err
	}
	return l.visit(key, value)
}

// end visits the rows of the list.
func (l *lister) end() error {
	slices.SortFunc(l.listed, func(a, b [2][]byte) int { return bytes.Compare(a[0], b[0]) })
	for _, row := range l.listed {
		if err := l.visit(row[0], row[1]); err != nil {
			return err
		}
	}
	l.listed = nil
	return nil
}
