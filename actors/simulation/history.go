package simulation

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/history"
	"platen.dev/projections/snapshot"
	"platen.dev/projections/table"
)

// saved is a snapshot of a partition.
type saved struct {
	ref    snapshot.Ref
	cursor projections.Cursor
	values table.Memory
	last   []byte       // the record before the cursor
	reads  events.Level // of the version that took it: versions that read less cannot read it
}

// keeping is a node's progress with the history of a partition. Each step stands alone: the node may be
// paused or crash before the next, and another node may do the same work.
type keeping struct {
	taken saved
	// listed are the snapshots that the node knows of, once its own is published.
	listed []snapshot.Ref
}

var keepTwo = history.Policy{Keep: 2}

// keep does the next step for the history of a partition that the node believes to own.
func (n *node) keep(p int32) {
	k := n.keeping[p]
	switch {
	case k == nil && n.owns(p) && n.replicas[p].cursor.Next > 0 && !n.replicas[p].damaged: // a damaged one is refused when it is verified
		n.keeping[p] = &keeping{taken: n.freeze(p)}
	case k == nil:
	case k.listed == nil && n.world.rules.Fault.history.trimsFirst:
		k.listed = append([]snapshot.Ref{k.taken.ref}, n.refs(p)...)
		n.world.trimmed[p] = max(n.world.trimmed[p], k.taken.ref.Next-1)
	case k.listed == nil:
		if n.world.rules.Fault.history.thaws {
			k.taken.values = maps.Clone(n.replicas[p].values)
		}
		if !n.world.has(p, k.taken.cursor.Next, k.taken.last) { // the journal has lost its end since
			n.keeping[p] = nil
			return
		}
		n.confirm(p, k.taken)
		n.world.publish(p, k.taken)
		k.listed = n.refs(p)
	default:
		n.prune(p, k.listed)
		n.keeping[p] = nil
	}
}

func (n *node) freeze(p int32) saved {
	r := n.replicas[p]
	return saved{snapshot.Ref{Partition: p, Next: r.cursor.Next, ID: fmt.Sprint(n.id, n.world.id())}, r.cursor, maps.Clone(r.values), r.last, n.reads}
}

// publish makes a snapshot count. The newest comes first.
func (w *world) publish(p int32, s saved) {
	w.saved[p] = append(w.saved[p], s)
	slices.SortStableFunc(w.saved[p], func(a, b saved) int { return cmp.Compare(b.ref.Next, a.ref.Next) })
}

// refs returns the snapshots that the node can read. The others belong to a lost part of the journal, or to a newer version, which deletes them
// itself.
func (n *node) refs(p int32) (refs []snapshot.Ref) {
	for _, s := range n.world.saved[p] {
		if (s.reads <= n.reads || n.world.rules.Fault.history.countsAll) && n.world.has(p, s.ref.Next, s.last) {
			refs = append(refs, s.ref)
		}
	}
	return refs
}

// prune deletes superfluous snapshots, and the journal before those that are kept, by the node's possibly outdated list.
func (n *node) prune(p int32, listed []snapshot.Ref) {
	w := n.world
	spared, needed := n.spare(p, listed)
	for _, ref := range keepTwo.Superfluous(listed, listed) {
		w.saved[p] = slices.DeleteFunc(w.saved[p], func(s saved) bool { return s.ref == ref && ref != spared })
	}
	w.trimmed[p] = max(w.trimmed[p], keepTwo.TrimBefore(listed, needed))
}

// usable returns the newest snapshot after one offset, and at most up to another, that the node can read and from which the journal continues.
func (n *node) usable(p int32, after, upTo int64) (saved, bool) {
	for _, s := range n.world.saved[p] {
		if s.reads <= n.reads && s.ref.Next > after && s.ref.Next <= upTo && n.world.belongs(p, s) {
			return s, true
		}
	}
	return saved{}, false
}

// belongs reports whether the journal continues from a snapshot.
func (w *world) belongs(p int32, s saved) bool {
	if s.ref.Next-1 < w.trimmed[p] || !w.has(p, s.ref.Next, s.last) {
		return false
	}
	if s.cursor.Epoch < w.trimmed[p] {
		return true
	}
	m, is := w.journal[p][s.cursor.Epoch].entry.(events.Marker)
	return is && m.Owner == s.cursor.Owner
}

// confirm compares a snapshot with a rebuild from an earlier one, or from the beginning.
func (n *node) confirm(p int32, s saved) {
	w, r := n.world, newReplica()
	if base, found := n.usable(p, 0, s.ref.Next-1); found {
		r = &replica{cursor: base.cursor, values: maps.Clone(base.values), last: base.last}
	} else if w.trimmed[p] > 0 {
		return // a zombie's, older than everything left: nobody will use it
	}
	tx := table.NewTx(r.values)
	for _, record := range w.journal[p][r.cursor.Next:s.ref.Next] {
		if e, is := record.entry.(events.Envelope); w.rules.step(&r.cursor, r.cursor.Next, record.entry) && is {
			apply(tx, p, e)
		}
	}
	if err := tx.Flush(r.values); err != nil {
		panic(err)
	}
	if r.cursor != s.cursor || !maps.EqualFunc(r.values, s.values, bytes.Equal) {
		w.fail("the snapshot of partition %d at %d is not what a rebuild has", p, s.ref.Next)
	}
}

// restore makes a node whose next record is trimmed start from a snapshot, as a new node may. Its ownership of the partition ends. If no snapshot is
// left for the node's version because the level was raised, the node ends itself, and restore returns false.
func (n *node) restore(p int32) bool {
	w, r := n.world, n.replicas[p]
	fresh := r.cursor.Next == 0 && w.chance(50)
	if r.cursor.Next >= w.trimmed[p] && !fresh {
		return true
	}
	s, found := n.usable(p, r.cursor.Next, int64(len(w.journal[p])))
	if !found {
		if r.cursor.Next < w.trimmed[p] {
			if n.reads < w.level(p) {
				n.upgrade("journal")
				return false
			}
			w.fail("%s needs partition %d from %d, which is trimmed before %d, and there is no snapshot", n.id, p, r.cursor.Next, w.trimmed[p])
		}
		return true
	}
	if !w.rules.Fault.history.keepsRows {
		clear(r.values)
	}
	maps.Copy(r.values, s.values)
	r.cursor, r.last, r.marker = s.cursor, s.last, nil
	n.failOwnerships(p, "the replica was restored from a snapshot")
	return true
}
