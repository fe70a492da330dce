package history

import (
	"context"
	"errors"
	"math"

	"platen.dev/projections"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// spared is the part of a partition's history that a node of the previous version needs, if it may come back and has an earlier schema: the newest
// snapshot that it can read, and the journal from needed on.
type spared struct {
	ref    snapshot.Ref
	needed int64
}

// spare returns what else must be kept, beyond the policy. refs are newest first.
func (k *Keeper) spare(ctx context.Context, p int32, refs []snapshot.Ref) (s spared, err error) {
	if k.cfg.Replica.Cursor(p).Level() >= k.since {
		return spared{needed: math.MaxInt64}, nil
	}
	for _, ref := range refs {
		m, err := snapshot.Open(ctx, k.cfg.Files, ref)
		switch {
		case errors.Is(err, snapshot.ErrDamaged), errors.Is(err, store.ErrNotExist):
			continue
		case err != nil:
			return s, err
		case m.Schema < projections.Schema:
			return spared{ref, ref.Next - 1}, nil // a snapshot is recognised by its last record
		}
	}
	return s, nil // it folds the journal from its beginning
}
