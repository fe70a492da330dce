// Package ledger is the contract of Platen's usage ledger: what every account was charged,
// entry by entry, for good. The entries come from a topic of the log. Two back ends keep them:
// ledger/embedded (SQLite, one machine) and ledger/clickhouse (a ClickHouse server or cluster).
// Both pass the suite in ledger/ledgertest, and give identical answers.
//
// # Exactly once
//
// The ledger itself remembers how far every partition of a topic was read. The reader asks Next
// where to continue, reads the log from there, and appends batches: a contiguous range of offsets
// with the entries of its records. An entry is known by its id; the offset says where it came from.
// So anything appended again, by any writer and after any crash, counts once. A batch that would
// leave offsets out is refused.
//
// Nothing is ever changed or deleted. A wrong entry is corrected by another one of kind Adjust.
package ledger

import (
	"context"
	"errors"
)

// Errors of every back end; test for them with errors.Is.
var (
	// ErrInvalid means that the contract does not allow a batch, an entry or a query; the text says
	// what is wrong.
	ErrInvalid = errors.New("invalid")
	// ErrHole means that a batch begins after the offset that Next returns.
	ErrHole = errors.New("the batch leaves offsets out")
	// ErrConflict means that the ledger holds an entry, or a range of offsets, with other content. The
	// text names it. Nothing was written.
	ErrConflict = errors.New("the ledger holds something else")
	// ErrOverflow means that a sum does not fit into 64 bits.
	ErrOverflow = errors.New("the sum exceeds 64 bits")
	// ErrTooMany means that a query's answer would exceed MaxRows.
	ErrTooMany = errors.New("the answer has too many rows")
	// ErrClosed is the error of every call on a closed ledger.
	ErrClosed = errors.New("ledger is closed")
)

// Ledger is an open ledger. It is safe for concurrent use, also by several processes. No method
// blocks forever: each ends soon after ctx has ended, or with an error when the storage is silent.
type Ledger interface {
	// Next returns the offset of a topic's partition to read next: the one after everything appended,
	// at first 0.
	Next(ctx context.Context, topic string, partition int32) (int64, error)

	// Append adds the entries of a batch and moves Next past it, exactly once. When it returns nil, all of
	// that is durable. ErrInvalid, ErrHole, ErrConflict and ErrOverflow mean that nothing was written.
	// After any other error the outcome is unknown, and the caller appends the same offsets again, divided
	// into batches in any way. An existing entry is not added again, whichever batch or writer brought it.
	// A missing one, although its offset was appended, is added, so that appending again repairs the
	// ledger, and a reader that understands more records than an earlier one adds their entries. The
	// marker stays as it is.
	Append(ctx context.Context, b Batch) error

	// Usage returns an account's charges, grouped by q, in the order of Row's fields.
	Usage(ctx context.Context, q Query) ([]Row, error)

	// Entries returns the entries behind an amount, by time of occurrence and then by id.
	Entries(ctx context.Context, q EntryQuery) (Page, error)

	// Markers returns up to MaxMarkers markers of a topic's partition: of the batches that end at or
	// after an offset, in the order of their offsets. Two concurrent writers may leave overlapping
	// markers. Each is true on its own.
	Markers(ctx context.Context, topic string, partition int32, from int64) ([]Marker, error)

	// RowsOf returns the figures of the entries now present whose Source is within the offsets lo to
	// hi. They equal those of a marker of that range, unless entries were lost, or were published
	// twice: an entry's Source is the first place where it was read.
	RowsOf(ctx context.Context, topic string, partition int32, lo, hi int64) (Figures, error)

	// Sourced returns the entries now present whose Source is within the offsets lo to hi, by offset and
	// then by id, at most MaxSourced of them.
	Sourced(ctx context.Context, topic string, partition int32, lo, hi int64) ([]Entry, error)

	// Held returns those entries that the ledger holds with the same content, with the Source under which it holds
	// them: that of another topic, if they came from there first.
	Held(ctx context.Context, entries []Entry) ([]Entry, error)

	// Topics returns the topics from which anything was appended, by name.
	Topics(ctx context.Context) ([]string, error)

	// Close releases everything and cancels calls under way.
	Close() error
}

// Limits of batches and answers.
const (
	// MaxBatch is the maximum number of entries of a batch.
	MaxBatch = 100_000
	// MaxMarkers is the maximum number of markers in one answer.
	MaxMarkers = 1000
	// MaxRows is the maximum number of rows of one answer to Usage.
	MaxRows = 100_000
	// MaxPage is the maximum number of entries of a page, MaxSourced that of an answer to Sourced.
	MaxPage    = 1000
	MaxSourced = 5000
)

// Marker says that the offsets Lo to Hi were appended, and with what. The figures are those of the
// distinct entries in that part of the log, so that a reader of the log can recompute them.
type Marker struct {
	Lo, Hi int64
	Figures
}

// Figures summarise entries so that two sets of them can be compared.
type Figures struct {
	Entries, Units, Bytes int64
	// Xor is the exclusive or of the entries' hashes.
	Xor uint64
}
