package usage

import (
	"errors"
	"fmt"
	"sync"

	"platen.dev/events"
	"platen.dev/ledger"
)

// The limits of concurrent queries, in shares: per account, so that one account does not take the ledger from the others, and per node.
const (
	accountRoom = 2
	nodeRoom    = 8
)

// share is how much of the room a query takes.
type share struct{ account, node int }

var (
	oneQuery = share{1, 1}
	// wholeWindow is the share of a query that reads a window entry by entry, which takes time, and
	// memory up to what ledger.MaxFingerprint allows.
	wholeWindow = share{accountRoom, nodeRoom / 2}
)

// gate counts the queries under way. The zero value is an empty gate.
type gate struct {
	mu   sync.Mutex
	node int
	of   map[events.AccountID]int
}

// enter takes a share, which leave gives back, or returns ErrBusy or ErrUnavailable.
func (g *gate) enter(account events.AccountID, s share) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.of[account]+s.account > accountRoom:
		return nil, ErrBusy
	case g.node+s.node > nodeRoom:
		return nil, fmt.Errorf("%w: %d queries are under way", ErrUnavailable, g.node)
	}
	if g.of == nil {
		g.of = map[events.AccountID]int{}
	}
	g.of[account] += s.account
	g.node += s.node
	return func() { g.leave(account, s) }, nil
}

func (g *gate) leave(account events.AccountID, s share) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.node -= s.node
	if g.of[account] -= s.account; g.of[account] == 0 {
		delete(g.of, account)
	}
}

// classify converts an error of a query to one of this package.
func classify(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrTooLarge), errors.Is(err, ErrNoWindow):
		return err
	case errors.Is(err, ledger.ErrTooMany):
		return fmt.Errorf("%w: the answer would have more than %d rows", ErrTooLarge, ledger.MaxRows)
	case errors.Is(err, ledger.ErrOverflow):
		return fmt.Errorf("%w: a sum exceeds 64 bits", ErrTooLarge)
	case errors.Is(err, ledger.ErrInvalid): // parsing refuses everything that the ledger refuses
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
