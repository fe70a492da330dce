package history

import (
	"context"

	"platen.dev/projections/snapshot"
)

// Shown is an existing snapshot.
type Shown struct {
	snapshot.Ref
	snapshot.Manifest
	// Err is why it is useless; nil if the manifest shows no fault.
	Err error
}

// List returns the snapshots of a partition, newest first.
func (k *Keeper) List(ctx context.Context, partition int32) (all []Shown, err error) {
	list, err := snapshot.List(ctx, k.cfg.Files)
	if err != nil {
		return nil, err
	}
	for _, ref := range list.Refs[partition] {
		m, err := k.source.open(ctx, ref)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all = append(all, Shown{ref, m, err})
	}
	return all, nil
}
