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

// MaxFingerprint is the maximum number of entries of one window in a fingerprint. They are sorted
// in memory, where a million of them take about 200 MB: twice what the largest plan has in a month.
const MaxFingerprint = 1_000_000

// Fingerprint computes the fingerprint of a quota window: the SHA-256 of the charges in it. Anybody with
// the account's public events can compute the same one without Platen (docs/API.md, Usage).
//
// The hashed lines are UTF-8, each ended by \n, their fields separated by \t. The first has the
// algorithm's name, the account and the window's start. Then follows a line for each entry, sorted by
// the bytes of the entry's id: id, kind, time of occurrence, job, key, operation, the corrected entry,
// render units, bytes. Missing values are empty. Times are in UTC, truncated to seconds.
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

// Add adds an entry of the window; each must be added once, in any order. It returns ErrTooMany
// beyond MaxFingerprint.
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

// wholeSeconds formats a time truncated to seconds, since events have milliseconds and the ledger
// has none.
func wholeSeconds(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
