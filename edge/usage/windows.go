package usage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"platen.dev/events"
	"platen.dev/ledger"
)

// Windows are the quota windows of an account that have entries.
type Windows struct {
	Source  string      `json:"source"`
	Windows []WindowRow `json:"windows"`
}

// Window is a quota window with what makes up its figures.
type Window struct {
	Source string `json:"source"`
	WindowRow
	ByOperation []OperationRow `json:"by_operation"`
	ByKey       []KeyRow       `json:"by_key"`
	Fingerprint Fingerprint    `json:"fingerprint"`
}

// OperationRow has the figures of one operation; corrections have none.
type OperationRow struct {
	Operation string `json:"operation"`
	Figures
}

// KeyRow has the figures of the jobs of one API key; corrections have no key.
type KeyRow struct {
	Key string `json:"key_id"`
	Figures
}

// Fingerprint identifies exactly what was charged, as ledger.Fingerprint does. While the window is open it is
// preliminary: it changes with the next entry.
type Fingerprint struct {
	Algorithm   string `json:"algorithm"`
	SHA256      string `json:"sha256"`
	Preliminary bool   `json:"preliminary"`
}

// Windows lists the quota windows of an account.
func (s *Service) Windows(ctx context.Context, account events.AccountID) (w Windows, err error) {
	err = s.run(ctx, account, oneQuery, QueryLimit, func(ctx context.Context) error {
		rows, err := s.windows(ctx, account)
		w = Windows{Source, rows}
		return err
	})
	return w, err
}

// windows reads the account's state before the ledger: see Live.
func (s *Service) windows(ctx context.Context, account events.AccountID) ([]WindowRow, error) {
	live, err := s.live(account)
	if err != nil {
		return nil, err
	}
	rows, err := s.ledger.Usage(ctx, ledger.Query{Account: string(account), From: ledger.MinTime, To: ledger.MaxTime, Bucket: ledger.Window})
	if err != nil {
		return nil, err
	}
	statuses := live.statuses(rows, s.now())
	live.setEnds(rows)
	windows := make([]WindowRow, len(rows))
	for i, row := range rows {
		windows[i] = WindowRow{
			Start: row.Start.UTC().Format(time.RFC3339), End: row.End.UTC().Format(time.RFC3339),
			Status: statuses[i], Figures: Figures{row.Units, row.Bytes, row.Entries},
		}
	}
	return windows, nil
}

var tooManyEntries = fmt.Errorf("%w: the window has more than %d entries", ErrTooLarge, ledger.MaxFingerprint)

// Window shows one quota window. It reads all its entries; ErrTooLarge is returned if they are more
// than ledger.MaxFingerprint.
func (s *Service) Window(ctx context.Context, account events.AccountID, start time.Time) (w Window, err error) {
	err = s.run(ctx, account, wholeWindow, WindowLimit, func(ctx context.Context) error {
		w, err = s.window(ctx, account, start)
		return err
	})
	return w, err
}

func (s *Service) window(ctx context.Context, account events.AccountID, start time.Time) (Window, error) {
	rows, err := s.windows(ctx, account)
	if err != nil {
		return Window{}, err
	}
	text := start.UTC().Format(time.RFC3339)
	i := slices.IndexFunc(rows, func(r WindowRow) bool { return r.Start == text })
	if i < 0 {
		return Window{}, ErrNoWindow
	}
	if rows[i].Entries > ledger.MaxFingerprint {
		return Window{}, tooManyEntries
	}
	b := newBreakdown(account, start)
	if err := s.eachEntry(ctx, account, start, b.add); err != nil {
		return Window{}, err
	}
	return b.window(rows[i])
}

// eachEntry visits the entries of a window.
func (s *Service) eachEntry(ctx context.Context, account events.AccountID, window time.Time, visit func(ledger.Entry) error) error {
	q := ledger.EntryQuery{Account: string(account), From: ledger.MinTime, To: ledger.MaxTime, Window: window, Limit: ledger.MaxPage}
	for {
		page, err := s.page(ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := visit(e); err != nil {
				return err
			}
		}
		if q.After = page.Next; q.After == "" {
			return nil
		}
	}
}

func (s *Service) page(ctx context.Context, q ledger.EntryQuery) (ledger.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, QueryLimit)
	defer cancel()
	return s.ledger.Entries(ctx, q)
}
