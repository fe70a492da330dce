package projections

import (
	"encoding/base64"
	"encoding/binary"
	"slices"

	"platen.dev/events"
)

// Place is a job's place in the list of its account's jobs, newest first.
type Place struct {
	Created events.Instant
	Job     events.JobID
}

// placeBytes is the length of a place at the end of its key, and in a cursor before encoding as text.
const placeBytes = 8 + len(events.JobID{})

// Text formats a place as the cursor of a list.
func (p Place) Text() string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, placeBytes), uint64(p.Created))
	return base64.RawURLEncoding.EncodeToString(append(b, p.Job[:]...))
}

// ParsePlace reads the output of Text.
func ParsePlace(text string) (at Place, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != placeBytes {
		return at, false
	}
	at.Created = events.Instant(binary.BigEndian.Uint64(b))
	at.Job = events.JobID(b[8:])
	return at, at.Created > 0
}

// placeOf reads the place from a key of listed.
func placeOf(key []byte) Place {
	row := key[len(key)-placeBytes:]
	return Place{events.Instant(^binary.BigEndian.Uint64(row)), events.JobID(row[8:])}
}

// Summary holds the properties by which lists of jobs are filtered.
type Summary struct {
	Operation events.Operation `cbor:"1,keyasint"`
	Key       events.KeyID     `cbor:"2,keyasint,omitempty"`
	Status    events.Status    `cbor:"3,keyasint"`
	Test      bool             `cbor:"4,keyasint,omitempty"`
	Error     events.ErrorCode `cbor:"5,keyasint,omitempty"`
	Tags      []events.Tag     `cbor:"6,keyasint,omitempty"`
}

func (j Job) summary() Summary {
	return Summary{Operation: j.Operation, Key: j.Key, Status: j.Status, Test: j.Test, Error: j.Error, Tags: j.Tags}
}

// Filter says which jobs of an account to list. Zero fields do not restrict.
type Filter struct {
	// From and To bound the creation: jobs made at From or later, and before To.
	From, To  events.Instant
	Operation events.Operation
	Key       events.KeyID
	Status    events.Status
	Test      *bool
	Error     events.ErrorCode
	// Tags must all be among the job's.
	Tags []events.Tag
}

// wants reports whether a job is in the list, apart from its time.
func (f Filter) wants(s Summary) bool {
	return (f.Operation == "" || f.Operation == s.Operation) &&
		(f.Key == "" || f.Key == s.Key) &&
		(f.Status == "" || f.Status == s.Status) &&
		(f.Test == nil || *f.Test == s.Test) &&
		(f.Error == "" || f.Error == s.Error) &&
		!slices.ContainsFunc(f.Tags, func(t events.Tag) bool { return !slices.Contains(s.Tags, t) })
}

// JobPage is a page of a list of jobs.
type JobPage struct {
	Jobs []ListedJob
	// Next is the place after which the list continues, nil at its end.
	Next *Place
}

// ListedJob is a job in a list.
type ListedJob struct {
	ID events.JobID
	Job
}

// maxListed is how many jobs are examined for a page, so that a filter that few jobs pass takes a bounded time.
const maxListed = 2_000

// Jobs lists up to most jobs of an account that pass a filter, newest first, after a place or from the
// beginning. A page may have fewer jobs, even none, and still a Next, if many others had to be examined.
func (r *Replica) Jobs(account events.AccountID, f Filter, after *Place, most int) (page JobPage, err error) {
	partition := r.partition(account)
	places, next, err := r.places(partition, account, f, after, most)
	if err != nil {
		return page, err
	}
	page.Next = next
	for _, at := range places {
		j, known, err := jobs.Get(r, jobKey(partition, at.Job))
		if err != nil {
			return page, err
		}
		if known { // it may have been forgotten meanwhile
			page.Jobs = append(page.Jobs, ListedJob{at.Job, j})
		}
	}
	return page, nil
}

// places finds the places of a page, and the one after which to continue.
func (r *Replica) places(partition int32, account events.AccountID, f Filter, after *Place, most int) (found []Place, next *Place, err error) {
	var failed error
	last, looked := Place{}, 0
	err = r.ScanFrom(listedPrefix(partition, account), f.first(partition, account, after), func(key, value []byte) bool {
		at := placeOf(key)
		if at.Created < f.From {
			return false
		}
		if looked++; looked > maxListed {
			next = &last
			return false
		}
		var s Summary
		if s, failed = listed.Decode(value); failed != nil {
			return false
		}
		if f.wants(s) {
			if len(found) == most {
				next = &last
				return false
			}
			found = append(found, at)
		}
		last = at
		return true
	})
	if err == nil {
		err = failed
	}
	return found, next, err
}

// first returns the key at which the search for a page begins.
func (f Filter) first(partition int32, account events.AccountID, after *Place) []byte {
	first := listedPrefix(partition, account)
	if f.To > 0 {
		first = listedKey(partition, account, Place{Created: f.To - 1})
	}
	if after == nil {
		return first
	}
	if next := append(listedKey(partition, account, *after), 0); string(next) > string(first) {
		return next
	}
	return first
}
