package ledger

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// EntryQuery asks for the entries behind an amount: given the Start and End of a row, within the
// query's range, and a Match for each of its groups, it gets exactly the entries that the row
// counts.
type EntryQuery struct {
	Account string
	// From and To bound the time of occurrence as they do in Query.
	From, To time.Time
	// Window is the start of the quota window of the entries; zero means any.
	Window time.Time
	// Where has at most MaxGroupBy distinct dimensions.
	Where []Match
	// After is the Next of the previous page, empty for the first one.
	After string
	// Limit is how many entries a page has, from 1 to MaxPage.
	Limit int
}

// Match is a dimension with a value that entries must have in it.
type Match struct {
	Dimension Dimension
	Value     string
}

// Page is a part of an answer. Next is empty if it is the last one.
type Page struct {
	Entries []Entry
	Next    string
}

// Validate returns nil, or ErrInvalid with what is wrong.
func (q EntryQuery) Validate() error {
	if err := q.validate(); err != nil {
		return fmt.Errorf("%w: query: %w", ErrInvalid, err)
	}
	return nil
}

func (q EntryQuery) validate() error {
	if err := checkRange(q.Account, q.From, q.To); err != nil {
		return err
	}
	if !q.Window.IsZero() {
		if err := checkTime("window", q.Window); err != nil {
			return err
		}
	}
	if q.Limit < 1 || q.Limit > MaxPage {
		return fmt.Errorf("the limit %d is not 1 to %d", q.Limit, MaxPage)
	}
	var dimensions []Dimension
	for _, m := range q.Where {
		dimensions = append(dimensions, m.Dimension)
	}
	if err := checkDimensions(dimensions); err != nil {
		return err
	}
	for _, m := range q.Where { // an error names the dimension, which is known by now
		if err := checkText(string(m.Dimension), m.Value, 0, MaxTagValue); err != nil {
			return err
		}
	}
	_, err := parsePosition(q.After)
	return err
}

// Position is a place in the order of entries: after an entry with this time and id.
type Position struct {
	Second int64 // since 1970
	ID     string
}

// Position returns the place after which the page begins. The query has been validated.
func (q EntryQuery) Position() Position {
	p, _ := parsePosition(q.After)
	return p
}

func parsePosition(cursor string) (Position, error) {
	if cursor == "" {
		return Position{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	second, id, found := strings.Cut(string(text), " ")
	at, errNumber := strconv.ParseInt(second, 10, 64)
	if err != nil || errNumber != nil || !found || at < MinTime.Unix() || at >= MaxTime.Unix() || checkText("id", id, 1, MaxName) != nil {
		return Position{}, fmt.Errorf("after is not the next of a page")
	}
	return Position{at, id}, nil
}

// NewPage makes the page of a query from the entries after its position. A back end reads one more than the
// limit, which tells whether there is a next page.
func NewPage(q EntryQuery, entries []Entry) Page {
	if len(entries) <= q.Limit {
		return Page{Entries: entries}
	}
	entries = entries[:q.Limit]
	last := entries[q.Limit-1]
	cursor := fmt.Sprintf("%d %s", last.Occurred.Unix(), last.ID)
	return Page{entries, base64.RawURLEncoding.EncodeToString([]byte(cursor))}
}
