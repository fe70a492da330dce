package events

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// AccountID names an account; it is the key of every record about it.
type AccountID string

// NewAccountID makes a random account id, `acc_` and 16 base32 letters (80 bits).
func NewAccountID() AccountID {
	return AccountID("acc_" + randomName(10))
}

// KeyID names an API key inside its account. It is not the secret.
type KeyID string

// DashboardKey stands in for the API key of a job that a member sends in the dashboard. No key has this id.
const DashboardKey KeyID = "dashboard"

// NewKeyID makes a random key id, `key_` and 8 base32 letters (40 bits).
func NewKeyID() KeyID { return KeyID("key_" + randomName(5)) }

// ParseKeyID accepts only ids of the form that NewKeyID makes.
func ParseKeyID(s string) (KeyID, error) {
	name, ok := strings.CutPrefix(s, "key_")
	if b, err := keyNames.DecodeString(strings.ToUpper(name)); !ok || err != nil || len(b) != 5 || name != strings.ToLower(name) {
		return "", fmt.Errorf("%.30q is not the id of a key", s)
	}
	return KeyID(s), nil
}

var keyNames = base32.StdEncoding.WithPadding(base32.NoPadding)

func randomName(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand aborts the process instead
	return strings.ToLower(keyNames.EncodeToString(b))
}

// JobID is a random UUID made at the edge (docs/API.md, Submitting).
type JobID uuid.UUID

// NewJobID makes a random (version 4) job id.
func NewJobID() JobID { return JobID(uuid.New()) }

// ParseJobID parses the 36-character form and no other.
func ParseJobID(s string) (JobID, error) {
	if len(s) != 36 {
		return JobID{}, fmt.Errorf("job id has %d characters, not 36", len(s))
	}
	id, err := uuid.Parse(s)
	return JobID(id), err
}

// String returns the 36-character lower-case form.
func (id JobID) String() string { return uuid.UUID(id).String() }

// CommandID identifies a command. All copies of the command in the log share it, so
// that a duplicate is recognised. Its first 48 bits are a time (UUID version 7).
type CommandID uuid.UUID

// NewCommandID makes a command id.
func NewCommandID() CommandID { return CommandID(uuid.Must(uuid.NewV7())) }

// String returns the 36-character lower-case form.
func (id CommandID) String() string { return uuid.UUID(id).String() }

// AttemptID is the fencing token of one attempt to render a job. It is random, not
// counted, because two nodes may start an attempt at the same moment. The log's order
// decides which of them holds the job; the results of the other are void.
type AttemptID uint64

// NewAttemptID makes a random attempt id, never zero.
func NewAttemptID() AttemptID { return AttemptID(randomNumber()) }

// String returns 16 hexadecimal digits, as in the names of stored files.
func (id AttemptID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// DownloadID is the fencing token of one download: only its holder may renew or end
// the stream.
type DownloadID uint64

// NewDownloadID makes a random download id, never zero.
func NewDownloadID() DownloadID { return DownloadID(randomNumber()) }

// String returns 16 hexadecimal digits.
func (id DownloadID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

func randomNumber() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint64(b[:]) | 1
}

// Instant is a moment in milliseconds since 1970 UTC, the resolution of the API. Zero means none.
type Instant int64

// At returns a time as an Instant.
func At(t time.Time) Instant { return Instant(t.UnixMilli()) }

// Time returns the instant as a time in UTC.
func (i Instant) Time() time.Time { return time.UnixMilli(int64(i)).UTC() }

// String returns RFC 3339 in UTC, to the millisecond; a dash for zero.
func (i Instant) String() string {
	if i == 0 {
		return "-"
	}
	return i.Time().Format("2006-01-02T15:04:05.000Z")
}

// Add returns i+d, with d truncated to milliseconds.
func (i Instant) Add(d time.Duration) Instant { return i + Instant(d.Milliseconds()) }

// Recent reports whether i is less than d before now. One that is further in the future than ClockTolerance is not: a wrong clock gave it.
func (i Instant) Recent(d time.Duration, now Instant) bool {
	return now < i.Add(d) && i <= now.Add(ClockTolerance)
}

// ClockTolerance is how far the clocks of nodes are expected to differ.
const ClockTolerance = 2 * time.Second

// SecondsUntil returns the seconds between i and a later instant, rounded up and at
// least one: the value of a Retry-After header.
func (i Instant) SecondsUntil(later Instant) int64 { return max(1, (int64(later-i)+999)/1000) }

// Partition returns the partition of an account among n: FNV-1a modulo n, its halves folded together because the low bits alone mix badly. The
// mapping is fixed for the life of a log, like n.
//
// The id of a partition is always in that partition.
func Partition(account AccountID, n int32) int32 {
	if p, ok := account.OfPartition(); ok && p < n {
		return p
	}
	h := fnv.New32a()
	h.Write([]byte(account))
	sum := h.Sum32()
	return int32((sum ^ sum>>16) % uint32(n))
}
