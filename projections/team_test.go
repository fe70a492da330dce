package projections_test

import (
	"slices"
	"testing"

	"platen.dev/events"
	"platen.dev/projections"
)

// A handle leads to its member from its first passkey on, until the member is removed or has a new password by a link.
func TestHandles(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	leadsTo := func(handle byte, account events.AccountID, member events.MemberID) {
		t.Helper()
		f.catchUp(r)
		m, found, err := r.HandleOwner([32]byte{handle})
		if want := (projections.Membership{Account: account, Member: member}); err != nil || m != want || found != (member != "") {
			t.Errorf("handle %d leads to %+v (%t, %v)", handle, m, found, err)
		}
	}
	added := func(member events.MemberID, handle, id byte) events.PasskeyAdded {
		return events.PasskeyAdded{Member: member, Handle: [32]byte{handle}, Passkey: events.Passkey{ID: []byte{id}}}
	}
	accounts := []events.AccountID{"acc_a", "acc_b", "acc_c"} // in both partitions
	for i, account := range accounts {
		f.write(account, events.MemberInvited{Member: "mem_1", Email: "ada@example.com"}, events.MemberJoined{Member: "mem_1"})
		f.write(account, events.MemberInvited{Member: "mem_2", Email: "bo@example.com"}, events.MemberJoined{Member: "mem_2"})
		f.write(account, added("mem_1", byte(10+i), 1), added("mem_2", byte(20+i), 1))
	}
	for i, account := range accounts {
		leadsTo(byte(10+i), account, "mem_1")
		leadsTo(byte(20+i), account, "mem_2")
	}
	leadsTo(30, "", "")
	f.write("acc_a", events.PasskeyRemoved{Member: "mem_1", ID: []byte{1}}, added("mem_1", 10, 2))
	leadsTo(10, "acc_a", "mem_1")
	f.write("acc_a", events.MemberJoined{Member: "mem_1"}, events.MemberRemoved{Member: "mem_2", Email: "bo@example.com"})
	leadsTo(10, "", "")
	leadsTo(20, "", "")
	leadsTo(11, "acc_b", "mem_1")
	f.write("acc_a", added("mem_1", 40, 3))
	leadsTo(40, "acc_a", "mem_1")
	rows := 0
	for key := range dump(t, r) {
		if key[0] == 'p' {
			rows++
		}
	}
	if rows != 5 {
		t.Errorf("%d rows, not 5: some lead nowhere", rows)
	}
}

// An identity at a provider leads to the members connected with it, and to no others.
func TestIdentities(t *testing.T) {
	f := newFixture(t)
	r := f.open("r")
	defer closed(t, r)
	ada, bo := events.NewIdentity("https://login.example", "ada"), events.NewIdentity("https://login.example", "bo")
	leadsTo := func(identity events.Identity, want ...events.AccountID) {
		t.Helper()
		f.catchUp(r)
		found, err := r.Identities(identity, 20)
		var accounts []events.AccountID
		for _, m := range found {
			accounts = append(accounts, m.Account)
		}
		slices.Sort(accounts)
		if err != nil || !slices.Equal(accounts, want) {
			t.Errorf("leads to %v, want %v, %v", accounts, want, err)
		}
	}
	for _, account := range []events.AccountID{"acc_a", "acc_b", "acc_c"} {
		f.write(account, events.MemberInvited{Member: "mem_1", Email: "ada@example.com"})
	}
	leadsTo(ada)
	f.write("acc_a", events.MemberJoined{Member: "mem_1", Identity: ada})
	f.write("acc_b", events.MemberJoined{Member: "mem_1"})
	f.write("acc_c", events.MemberJoined{Member: "mem_1", Identity: ada})
	leadsTo(ada, "acc_a", "acc_c")
	f.write("acc_b", events.MemberConnected{Member: "mem_1", Identity: ada})
	leadsTo(ada, "acc_a", "acc_b", "acc_c")
	f.write("acc_a", events.MemberConnected{Member: "mem_1", Identity: bo})
	f.write("acc_b", events.MemberConnected{Member: "mem_1"})
	leadsTo(ada, "acc_c")
	leadsTo(bo, "acc_a")
	f.write("acc_a", events.MemberJoined{Member: "mem_1"}) // by a link, which somebody else may have
	f.write("acc_c", events.MemberRemoved{Member: "mem_1", Email: "ada@example.com"})
	leadsTo(ada)
	leadsTo(bo)
	leadsTo(events.Identity{})
}
