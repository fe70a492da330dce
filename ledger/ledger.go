// Package ledger is the contract of Platen's usage ledger: what every account was charged,
// entry by entry, for good. The entries come from a topic of the log. Two back ends keep them:
// ledger/embedded (SQLite, one machine) and ledger/clickhouse (a ClickHouse server or cluster).
// Both pass the suite in ledger/ledgertest, and give identical answers.
//
// # Exactly once
//
// The ledger itself remembers how far every partition of a topic was read. The reader asks Next
// where to continue, reads the log from there, and appends batches: a contiguous range of offsets
// with the entries that the records in it stand for. An entry is known by its id; the offset says
// where it came from. So whatever is appended again, by whoever and after whatever crash, counts
// once. A batch that would leave offsets out is refused.
//
// Nothing is ever changed or deleted. A wrong entry is corrected by another one of kind Adjust.
package ledger

import (
	"context"
	"errors"
)

// Errors of every back end; test for them with errors.Is.
var (
	// ErrInvalid refuses a batch, an entry or a query that the contract does not allow; the text
	// says what is wrong.
	ErrInvalid = errors.New("invalid")
	// ErrHole refuses a batch that begins behind the offset that Next returns.
	ErrHole = errors.New("the batch leaves offsets out")
	// ErrConflict means that an entry, or a range of offsets, is in the ledger with another
	// content. The text names it. Nothing was written.
	ErrConflict = errors.New("the ledger holds something else")
	// ErrOverflow means that a sum does not fit into 64 bits.
	ErrOverflow = errors.New("the sum exceeds 64 bits")
	// ErrTooMany refuses a query whose answer would exceed MaxRows.
	ErrTooMany = errors.New("the answer has too many rows")
	// ErrClosed is the error of every call on a closed ledger.
	ErrClosed = errors.New("ledger is closed")
)

// Ledger is an open ledger. All methods may be called from any goroutine, and by any number of
// processes. None blocks forever: each ends soon after ctx has ended, or with an error when
// whatever keeps the entries is silent.
type Ledger interface {
	// Next returns the offset of a topic's partition to read next: the one behind everything that
	// was appended, at first 0.
	Next(ctx context.Context, topic string, partition int32) (int64, error)

	// Append adds the entries of a batch and moves Next behind it, exactly once. When it returns
	// nil, all of that is durable. After any other error than ErrInvalid, ErrHole, ErrConflict and
	// ErrOverflow, which mean that nothing was written, the outcome is unknown, and the caller
	// appends the same offsets again, divided into batches in any way. An entry that is there is not added
	// again, whichever batch or writer brought it. One that is missing, although its offset was
	// appended, is added, so that appending again repairs the ledger, and a reader that understands
	// more records than the one before adds what they stand for. The marker stays as it is.
	Append(ctx context.Context, b Batch) error

	// Usage returns what an account was charged, as q groups it, in the order of Row's fields.
	Usage(ctx context.Context, q Query) ([]Row, error)

	// Entries returns the entries behind an amount, by time of occurrence and then by id.
	Entries(ctx context.Context, q EntryQuery) (Page, error)

	// Markers returns what was appended of a topic's partition from an offset on: the batches that
	// end at it or behind it, in the order of their offsets, at most MaxMarkers. Two writers at
	// once may leave markers that overlap. Each is true by itself.
	Markers(ctx context.Context, topic string, partition int32, from int64) ([]Marker, error)

	// RowsOf returns the figures of the entries that are there now and whose Source is within the
	// offsets lo to hi. They equal those of a marker of that range, unless entries were lost, or were
	// published twice: an entry's Source is the first place where it was read.
	RowsOf(ctx context.Context, topic string, partition int32, lo, hi int64) (Figures, error)

	// Sourced returns the entries that are there now and whose Source is within the offsets lo to hi, by
	// offset and then by id, at most MaxSourced of them.
	Sourced(ctx context.Context, topic string, partition int32, lo, hi int64) ([]Entry, error)

	// Held returns those of some entries that are there with the same content, with the Source by which they are kept:
	// that of another topic, if they came from there first.
	Held(ctx context.Context, entries []Entry) ([]Entry, error)

	// Topics returns the topics that anything was appended of, by name.
	Topics(ctx context.Context) ([]string, error)

	// Close releases everything. Calls under way end.
	Close() error
}

// Limits of batches and answers.
const (
	// MaxBatch is the most entries of a batch.
	MaxBatch = 100_000
	// MaxMarkers is the most markers of one answer.
	MaxMarkers = 1000
	// MaxRows is the most rows of one answer to Usage.
	MaxRows = 100_000
	// MaxPage is the most entries of a page, MaxSourced that of an answer to Sourced.
	MaxPage    = 1000
	MaxSourced = 5000
)

// Marker says that the offsets Lo to Hi were appended, and with what. The figures are those of the
// distinct entries that the log holds there, so that whoever reads the log can compute them again.
type Marker struct {
	Lo, Hi int64
	Figures
}

// Figures sum up entries so that two sets of them can be compared.
type Figures struct {
	Entries, Units, Bytes int64
	// Xor is the exclusive or of the entries' hashes.
	Xor uint64
}
