package backup

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/team"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

// Access lists who can sign in to the accounts of a backup: access revoked after its cut is valid in it. Verify fills it. The zero value is ready to
// be filled.
type Access struct {
	// Accounts are those with any valid access, in the order of partition and id.
	Accounts []AccountAccess
	// revoke has the commands that end the access, by partition.
	revoke map[int32][]decided
}

// AccountAccess lists the access to an account.
type AccountAccess struct {
	Account events.AccountID
	// Keys are the valid keys.
	Keys    []events.Key
	Members []MemberAccess
}

// MemberAccess is a member.
type MemberAccess struct {
	Email string
	// Sessions is the number of its sessions that had not expired at the cut. Link is set if it has a one-time link.
	Sessions int
	Link     bool
}

// decided is a command with the decision about it.
type decided struct {
	events.Command
	account.Decision
}

// record returns the record of the command in its topic, without an offset.
func (d decided) record() (eventlog.Record, error) {
	value, err := events.EncodeCommand(d.Command)
	return eventlog.Record{Key: []byte(d.Account), Value: value}, err
}

// envelope returns the decision as the owner of an epoch writes it to the journal.
func (d decided) envelope(epoch, cause int64) events.Envelope {
	return events.Envelope{
		Epoch: epoch, Cause: cause, Command: d.ID, Account: d.Account, At: d.At, Reply: d.Reply, By: d.By, Events: d.Events, SetAside: d.SetAside,
	}
}

// revoked returns the commands that revoke the access to the accounts of a partition.
func (t Target) revoked(p int32) []decided {
	if t.Revoke == nil {
		return nil
	}
	return t.Revoke.revoke[p]
}

// look finds the access to the accounts of a partition, and decides the commands that end it.
func (a *Access) look(p int32, rows *projections.Frozen) error {
	if a.revoke == nil {
		a.revoke = map[int32][]decided{}
	}
	return account.EachAccount(rows, p, func(id events.AccountID, state account.State) error {
		t, err := table.TeamOf(rows, p, id)
		if err != nil {
			return err
		}
		if found := accessTo(id, state, t, rows.Cursor.At); len(found.Keys)+len(found.Members) > 0 {
			a.Accounts = append(a.Accounts, found)
		}
		all, err := decideAll(p, rows, id, revocations(state, t, rows.Cursor.At))
		a.revoke[p] = append(a.revoke[p], all...)
		return err
	})
}

func accessTo(id events.AccountID, state account.State, t team.Team, at events.Instant) AccountAccess {
	a := AccountAccess{Account: id}
	for _, k := range state.Keys {
		if k.Revoked == 0 {
			a.Keys = append(a.Keys, k)
		}
	}
	for _, m := range t.Members {
		one := MemberAccess{Email: m.Email, Link: hasLink(m, at)}
		for _, s := range t.Sessions {
			if s.Member == m.ID && s.Until > at {
				one.Sessions++
			}
		}
		a.Members = append(a.Members, one)
	}
	return a
}

// hasLink reports whether a member has a working one-time link.
func hasLink(m team.Member, at events.Instant) bool {
	return m.Until > at && m.Invitation != [32]byte{}
}

// revocations returns the commands that end the access to an account: they revoke its keys, sign its members out, and replace their one-time links by
// links that nobody has: no secret has a hash of zeros. Such a link expires with the one that it replaces, so the command stays valid for as long as
// that link would, whoever decides it.
func revocations(state account.State, t team.Team, at events.Instant) (all []events.CommandBody) {
	for _, k := range state.Keys {
		if k.Revoked == 0 {
			all = append(all, events.RevokeKey{Key: k.ID})
		}
	}
	signedIn := map[events.MemberID]bool{}
	for _, s := range t.Sessions {
		signedIn[s.Member] = true
	}
	for _, m := range t.Members {
		if signedIn[m.ID] {
			all = append(all, events.CloseSession{Member: m.ID})
		}
		if hasLink(m, at) {
			all = append(all, events.InviteMember{Member: m.ID, Email: m.Email, Role: m.Role, Until: m.Until})
		}
	}
	return all
}

// decideAll decides commands about an account at a cut, each on the outcome of the previous one, at the time of the cut: so they follow from the
// backup alone, whatever the clock says, and restoring it again makes the same ones.
func decideAll(p int32, rows *projections.Frozen, id events.AccountID, bodies []events.CommandBody) (all []decided, err error) {
	aggregate := account.NewAggregate(id, account.ReplicaStore{Reader: rows, Partition: p}, account.LimitsOf)
	for i, body := range bodies {
		c := events.Command{ID: revocationID(rows.Cursor, id, i), Account: id, At: rows.Cursor.At, Latest: rows.Cursor.At, By: events.Author{Operator: true}, Body: body}
		d, err := aggregate.Decide(int64(i), c) // the cause matters only to submissions
		if err == nil && (d.Reply == nil || d.Reply.Code != events.Accepted) {
			err = fmt.Errorf("%s of account %s at the cut is refused: %+v", body, id, d)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, decided{c, d})
	}
	return all, nil
}

// revocationID returns the id of the nth command about an account, the same each time that the cut is restored. Another cut of the same timeline has
// other ids: its commands are not repetitions.
func revocationID(cut projections.Cursor, id events.AccountID, n int) events.CommandID {
	text := fmt.Appendf(nil, "platen revocation %s %d %s %d", cut.Timeline, cut.Next, id, n)
	sum := sha256.Sum256(text)
	var made events.CommandID
	copy(made[:], sum[:])
	binary.BigEndian.PutUint64(made[:], uint64(cut.At)<<16|uint64(binary.BigEndian.Uint16(sum[:])))
	made[6], made[8] = made[6]&0x0f|0x70, made[8]&0x3f|0x80 // UUID version 7, like the others
	return made
}
