package ledger

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FingerprintAlgorithm names the algorithm of Fingerprint, which never changes under this name.
const FingerprintAlgorithm = "platen-window-v1"

// MaxFingerprint is the most entries of one window that a fingerprint is made of. They are sorted
// in memory, where a million of them take about 200 MB: twice what the largest plan has in a month.
const MaxFingerprint = 1_000_000

// Fingerprint computes the fingerprint of a quota window: the SHA-256 of what was charged in it. Whoever
// has the account's public events computes the same one without Platen (docs/API.md, Usage).
//
// What is hashed are lines of UTF-8, each ended by \n, their fields separated by \t. The first has the
// algorithm's name, the account and the window's start. Then follows a line for each entry, sorted by
// the bytes of the entry's id: id, kind, time of occurrence, job, key, operation, the entry that is
// corrected, render units, bytes. What an entry lacks is empty. Times are in UTC, cut to seconds.
type Fingerprint struct {
	account string
	window  time.Time
	most    int
	lines   []fingerprintLine
}

// fingerprintLine is an entry's line, without the \t between its two parts.
type fingerprintLine struct{ id, rest string }

// NewFingerprint begins the fingerprint of an account's window without entries.
func NewFingerprint(account string, window time.Time) *Fingerprint {
	return &Fingerprint{account: account, window: window, most: MaxFingerprint}
}

// Add adds an entry of the window, each of them once and in any order. It returns ErrTooMany beyond
// MaxFingerprint.
func (f *Fingerprint) Add(e Entry) error {
	if len(f.lines) == f.most {
		return fmt.Errorf("%w: the window has more than %d entries", ErrTooMany, f.most)
	}
	f.lines = append(f.lines, fingerprintLine{e.ID, strings.Join([]string{
		e.Kind.String(), wholeSeconds(e.Occurred), e.Job, e.Key, e.Operation, e.Ref,
		strconv.FormatInt(e.Units, 10), strconv.FormatInt(e.Bytes, 10),
	}, "\t")})
	return nil
}

// Sum returns the fingerprint of the entries added so far.
func (f *Fingerprint) Sum() (sum [sha256.Size]byte) {
	slices.SortFunc(f.lines, func(a, b fingerprintLine) int { return cmp.Compare(a.id, b.id) })
	hash := sha256.New()
	write := func(fields ...string) { _, _ = io.WriteString(hash, strings.Join(fields, "\t")+"\n") } // a hash never fails
	write(FingerprintAlgorithm, f.account, wholeSeconds(f.window))
	for _, l := range f.lines {
		write(l.id, l.rest)
	}
	hash.Sum(sum[:0])
	return sum
}

// wholeSeconds shows a time cut to seconds, since events have milliseconds and the ledger has none.
func wholeSeconds(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
