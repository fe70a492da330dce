package projections

import (
	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections/table"
)

func applyTeam(tx *table.Tx, partition int32, e events.Envelope, ev events.Event) {
	record(tx, partition, e, ev)
	if !team.Changes(ev) {
		return
	}
	key := table.TeamKey(partition, e.Account)
	t, _ := table.Teams.Load(tx, key)
	table.Teams.Put(tx, key, t.Evolve(ev, e.At))
	switch ev := ev.(type) {
	case events.MemberInvited:
		memberships.Put(tx, membershipKey(partition, ev.Email, e.Account), ev.Member)
	case events.MemberJoined:
		forgetHandle(tx, partition, t, ev.Member)
		connect(tx, partition, e.Account, t, ev.Member, ev.Identity)
	case events.MemberConnected:
		connect(tx, partition, e.Account, t, ev.Member, ev.Identity)
	case events.MemberRemoved:
		memberships.Delete(tx, membershipKey(partition, ev.Email, e.Account))
		forgetHandle(tx, partition, t, ev.Member)
		connect(tx, partition, e.Account, t, ev.Member, events.Identity{})
	case events.PasskeyAdded:
		handles.Put(tx, handleKey(partition, ev.Handle), Membership{Account: e.Account, Member: ev.Member})
	}
}

// connect makes an identity at a provider lead to a member, and removes the previous identity. Zero is
// nobody.
func connect(tx *table.Tx, partition int32, account events.AccountID, before team.Team, id events.MemberID, to events.Identity) {
	if m, _ := before.Member(id); m.Identity != (events.Identity{}) {
		identities.Delete(tx, identityKey(partition, m.Identity, account))
	}
	if to != (events.Identity{}) {
		identities.Put(tx, identityKey(partition, to, account), id)
	}
}

// forgetHandle removes the row that leads from its passkeys to a member, if there is one.
func forgetHandle(tx *table.Tx, partition int32, before team.Team, id events.MemberID) {
	if m, _ := before.Member(id); m.Handle != ([32]byte{}) {
		handles.Delete(tx, handleKey(partition, m.Handle))
	}
}

// Team reads who may sign in to an account.
func (r *Replica) Team(id events.AccountID) (team.Team, error) {
	return table.TeamOf(r, r.partition(id), id)
}

// Membership is an account that somebody is a member of.
type Membership struct {
	Account events.AccountID `cbor:"1,keyasint"`
	Member  events.MemberID  `cbor:"2,keyasint"`
}

// Memberships lists up to limit accounts that a folded email address is a member of, in the order of partition and
// id.
func (r *Replica) Memberships(email string, limit int) ([]Membership, error) {
	return r.membersIn(memberships, limit, func(p int32) []byte { return membershipPrefix(p, email) })
}

// Identities lists the memberships connected with an identity at a provider, like Memberships.
func (r *Replica) Identities(identity events.Identity, limit int) ([]Membership, error) {
	return r.membersIn(identities, limit, func(p int32) []byte { return identityPrefix(p, identity) })
}

// membersIn lists the rows of an index of members that begin with a prefix; their keys end in the account.
func (r *Replica) membersIn(index table.Table[events.MemberID], limit int, prefixOf func(partition int32) []byte) (all []Membership, err error) {
	for p := range int32(len(r.followers)) {
		prefix := prefixOf(p)
		err = index.Each(r, prefix, func(key []byte, m events.MemberID) bool {
			all = append(all, Membership{Account: events.AccountID(key[len(prefix):]), Member: m})
			return len(all) < limit
		})
		if err != nil || len(all) == limit {
			return all, err
		}
	}
	return all, nil
}

// HandleOwner returns the member whose passkeys know it by a handle; false if there is none.
func (r *Replica) HandleOwner(handle [32]byte) (m Membership, found bool, err error) {
	for p := range int32(len(r.followers)) {
		if m, found, err = handles.Get(r, handleKey(p, handle)); found || err != nil {
			break
		}
	}
	return m, found, err
}
