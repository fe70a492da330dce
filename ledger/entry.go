package ledger

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind says what an entry does. The numbers are stored and never change.
type Kind int8

// The kinds.
const (
	// Debit charges for a job.
	Debit Kind = 1
	// Credit gives back what was charged.
	Credit Kind = 2
	// Adjust corrects what was charged, either way.
	Adjust Kind = 3
)

// String returns the kind's name, as it is stored and shown.
func (k Kind) String() string {
	switch k {
	case Debit:
		return "debit"
	case Credit:
		return "credit"
	case Adjust:
		return "adjust"
	}
	return fmt.Sprintf("kind %d", int8(k))
}

// Limits of an entry. Lengths are in bytes of UTF-8.
const (
	MaxTags     = 8
	MaxName     = 128  // id, account, job, key, operation, ref, topic
	MaxTagName  = 40   // as of jobs: ASCII letters, digits, dots, dashes and underscores
	MaxTagValue = 256  // empty is allowed
	MaxReason   = 1024 // empty is allowed
)

// An entry occurs, and its window starts, at MinTime or later and before MaxTime: within these,
// both back ends store and group times alike.
var (
	MinTime = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	MaxTime = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Entry is one line of the ledger. Texts are UTF-8 without zero bytes.
type Entry struct {
	// ID is the entry's permanent identity, such as "<job>/debit".
	ID string
	// Account is the account charged or credited.
	Account string
	// Job is the job charged for; empty if an adjustment is for no job.
	Job  string
	Kind Kind
	// Key is the id of the API key, Operation the operation called. Both may be empty.
	Key, Operation string
	// Tags are the caller's own, in the caller's order, at most MaxTags with distinct names.
	Tags []Tag
	// Occurred is when it happened, from the event, never when it was received. Window is the start of
	// the quota window in which the units were reserved. Both are stored in UTC with a precision of a
	// second; Append refuses a fraction rather than drop it.
	Occurred, Window time.Time
	// Units are render units, Bytes the size of the file; both are signed.
	Units, Bytes int64
	// Ref is the id of the corrected entry, if there is a particular one, and Reason says why. An
	// Adjust has a reason.
	Ref, Reason string
	// Source is where the entry was read. It is not part of the entry's identity or hash.
	Source Source
}

// Tag is a name with a value.
type Tag struct{ Name, Value string }

// Source is the place of a record in the log.
type Source struct {
	Topic     string
	Partition int32
	Offset    int64
}

// Validate returns nil, or ErrInvalid with what is wrong.
func (e Entry) Validate() error {
	if err := e.validate(); err != nil {
		return fmt.Errorf("%w: entry %.140q: %w", ErrInvalid, e.ID, err)
	}
	return nil
}

func (e Entry) validate() error {
	for _, f := range []struct {
		name, value string
		least, most int
	}{
		{"id", e.ID, 1, MaxName},
		{"account", e.Account, 1, MaxName},
		{"job", e.Job, 0, MaxName},
		{"key", e.Key, 0, MaxName},
		{"operation", e.Operation, 0, MaxName},
		{"ref", e.Ref, 0, MaxName},
		{"reason", e.Reason, 0, MaxReason},
	} {
		if err := checkText(f.name, f.value, f.least, f.most); err != nil {
			return err
		}
	}
	if e.Kind < Debit || e.Kind > Adjust {
		return fmt.Errorf("%s is unknown", e.Kind)
	}
	if e.Kind == Adjust && e.Reason == "" {
		return fmt.Errorf("an adjust entry needs a reason")
	}
	if err := checkTime("occurred", e.Occurred); err != nil {
		return err
	}
	if err := checkTime("window", e.Window); err != nil {
		return err
	}
	return checkTags(e.Tags)
}

func checkText(name, value string, least, most int) error {
	switch {
	case len(value) < least:
		return fmt.Errorf("%s is empty", name)
	case len(value) > most:
		return fmt.Errorf("%s has %d bytes, more than %d", name, len(value), most)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		return fmt.Errorf("%s %.140q is not UTF-8 without zero bytes", name, value)
	}
	return nil
}

func checkTime(name string, t time.Time) error {
	switch {
	case t.Before(MinTime) || !t.Before(MaxTime):
		return fmt.Errorf("%s %s is not in the years 2000 to 2099", name, t.UTC().Format(time.RFC3339))
	case t.Nanosecond() != 0:
		return fmt.Errorf("%s %s has a fraction of a second", name, t.UTC().Format(time.RFC3339Nano))
	}
	return nil
}

func checkTags(tags []Tag) error {
	if len(tags) > MaxTags {
		return fmt.Errorf("%d tags, more than %d", len(tags), MaxTags)
	}
	for i, tag := range tags {
		if err := checkTagName(tag.Name); err != nil {
			return err
		}
		if err := checkText("tag "+tag.Name, tag.Value, 0, MaxTagValue); err != nil {
			return err
		}
		for _, other := range tags[:i] {
			if other.Name == tag.Name {
				return fmt.Errorf("two tags are named %s", tag.Name)
			}
		}
	}
	return nil
}

func checkTagName(name string) error {
	if name == "" || len(name) > MaxTagName {
		return fmt.Errorf("the tag name %.70q does not have 1 to %d bytes", name, MaxTagName)
	}
	for _, c := range []byte(name) {
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !plain && !strings.ContainsRune("._-", rune(c)) {
			return fmt.Errorf("the tag name %q has other characters than ASCII letters, digits, dots, dashes and underscores", name)
		}
	}
	return nil
}
