package ledger

import (
	"cmp"
	"time"
)

// StartOfDay returns the moment when a location's clock first shows a date, or a later one where the
// date was skipped: a bucket by Day begins there. A nil location means UTC. It returns ErrInvalid
// for zones that buckets cannot have.
func StartOfDay(location *time.Location, year int, month time.Month, date int) (time.Time, error) {
	location = cmp.Or(location, time.UTC)
	at, err := clock{location}.reached(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Unix())
	return time.Unix(at, 0).In(location), err
}
