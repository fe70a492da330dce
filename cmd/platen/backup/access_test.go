package backup_test

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/backup"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
	"platen.dev/projections/snapshot"
	"platen.dev/store"
)

// inhabited returns a world with accounts that have access: the first with two keys, one of them revoked, and three members, of whom one is signed in
// twice and one was invited; the second with a key.
func inhabited(t *testing.T, seed uint64) *world {
	t.Helper()
	w := newWorld(t, seed)
	until := events.At(w.now.Add(6 * 24 * time.Hour))
	key := func(id events.KeyID) events.Event {
		return events.KeyIssued{Key: events.Key{ID: id, Hash: sha256.Sum256([]byte(id)), Name: "of " + string(id)}}
	}
	invite := func(id events.MemberID) events.Event {
		return events.MemberInvited{Member: id, Email: string(id) + "@example.com", Role: events.RoleOwner, Invitation: sha256.Sum256([]byte(id)), Until: until}
	}
	session := func(id events.SessionID) events.Event {
		return events.SessionOpened{Session: events.Session{ID: id, Member: "mem_a", Until: until}}
	}
	w.decide(accounts[0], "", key("key_a"), key("key_b"), events.KeyRevoked{Key: "key_b", Hash: sha256.Sum256([]byte("key_b"))})
	w.decide(accounts[0], "", invite("mem_a"), events.MemberJoined{Member: "mem_a", Password: "hash"}, session("ses_1"), session("ses_2"))
	w.decide(accounts[0], "", invite("mem_b"), invite("mem_c"), events.MemberJoined{Member: "mem_c", Password: "hash"})
	w.decide(accounts[1], "", key("key_c"))
	w.steps(60)
	return w
}

// accessOf verifies a backup, and returns its access.
func accessOf(t *testing.T, files store.Files, m backup.Manifest) *backup.Access {
	t.Helper()
	access := &backup.Access{}
	must(t, backup.Verify(t.Context(), files, m, backup.Rebuilding{
		Scratch: t.TempDir(), Projections: folds(), Pace: snapshot.Unpaced, Logger: testkit.Silent(), Access: access,
	}))
	return access
}

// The access that a backup brings back is listed.
func TestAccess(t *testing.T) {
	t.Parallel()
	w := inhabited(t, 40)
	place := newFiles()
	found := accessOf(t, place, w.take(place, 0).Manifest).Accounts
	if len(found) != 2 {
		t.Fatalf("found %+v", found)
	}
	slices.SortFunc(found, func(a, b backup.AccountAccess) int { return strings.Compare(string(a.Account), string(b.Account)) })
	first, second := found[0], found[1]
	want := []backup.MemberAccess{{Email: "mem_a@example.com", Sessions: 2}, {Email: "mem_b@example.com", Link: true}, {Email: "mem_c@example.com"}}
	if first.Account != accounts[0] || len(first.Keys) != 1 || first.Keys[0].ID != "key_a" || first.Keys[0].Name != "of key_a" || !slices.Equal(first.Members, want) {
		t.Errorf("of the first account: %+v", first)
	}
	if second.Account != accounts[1] || len(second.Keys) != 1 || len(second.Members) > 0 {
		t.Errorf("of the second account: %+v", second)
	}
}

// valid returns the keys, sessions and links that are valid in a cluster.
func (c *cluster) valid() map[string]bool {
	c.t.Helper()
	good := map[string]bool{}
	for _, id := range []string{"key_a", "key_b", "key_c"} {
		_, known, err := c.replica.Caller(sha256.Sum256([]byte(id)))
		if must(c.t, err); known {
			good[id] = true
		}
	}
	team, err := c.replica.Team(accounts[0])
	must(c.t, err)
	for _, s := range team.Sessions {
		good[string(s.ID)] = true
	}
	for _, m := range team.Members {
		if m.Invitation == sha256.Sum256([]byte(m.ID)) {
			good["link of "+string(m.ID)] = true
		}
		good[string(m.ID)] = true
	}
	return good
}

// From its first record on, a restored cluster accepts no access that may have been revoked since, unless that is to be kept. Its members stay. It
// continues, and can be backed up, like any other.
func TestRestoreRevokes(t *testing.T) {
	t.Parallel()
	w := inhabited(t, 41)
	place := newFiles()
	m := w.take(place, 0).Manifest
	members := map[string]bool{"mem_a": true, "mem_b": true, "mem_c": true}
	all := maps.Clone(members)
	for _, id := range []string{"key_a", "key_c", "ses_1", "ses_2", "link of mem_b"} {
		all[id] = true
	}
	for revoke, want := range map[bool]map[string]bool{false: all, true: members} {
		restored := newCluster(t)
		target := restored.target()
		if revoke {
			target.Revoke = accessOf(t, place, m)
		}
		must(t, backup.Restore(t.Context(), place, m, target))
		restored.run() // no owner has announced itself
		if got := restored.valid(); !maps.Equal(got, want) {
			t.Errorf("revoked %t: good are %v, want %v", revoke, got, want)
		}
		restored.settled()
		restored.equal()
		again := newFiles()
		r := restored.take(again, 0)
		must(t, verify(t, again, r.Manifest))
		if revoke && len(accessOf(t, again, r.Manifest).Accounts) != 1 { // the members
			t.Errorf("after all was revoked: %+v", accessOf(t, again, r.Manifest).Accounts)
		}
	}
}

// commandsBehind returns the commands of a log after those of a cut.
func (c *cluster) commandsBehind(m backup.Manifest) (all []events.Command) {
	c.t.Helper()
	for p, one := range m.Partitions {
		_, end, err := c.log.Bounds(c.t.Context(), events.TopicCommands, int32(p))
		must(c.t, err)
		for offset := one.Cursor.Cause + 1; offset < end; offset++ {
			r, err := eventlog.ReadOne(c.t.Context(), c.log, events.TopicCommands, int32(p), offset)
			must(c.t, err)
			command, err := events.DecodeCommand(r.Value)
			must(c.t, err)
			all = append(all, command)
		}
	}
	return all
}

// A restore that is interrupted and repeated makes the same commands, and deciding one of them again changes nothing.
func TestRevokingAgain(t *testing.T) {
	t.Parallel()
	w := inhabited(t, 42)
	place := newFiles()
	m := w.take(place, 0).Manifest
	var made [2][]events.Command
	var restored *cluster
	for i := range made {
		restored = newCluster(t)
		target := restored.target()
		target.Revoke = accessOf(t, place, m)
		must(t, backup.Restore(t.Context(), place, m, target))
		made[i] = restored.commandsBehind(m)
	}
	if len(made[0]) != 4 || !slices.Equal(made[0], made[1]) {
		t.Errorf("the first time %+v, then %+v", made[0], made[1])
	}
	restored.run()
	for _, command := range made[0] {
		p := events.Partition(command.Account, partitions)
		aggregate := account.NewAggregate(command.Account, account.ReplicaStore{Reader: restored.replica, Partition: p}, account.LimitsOf)
		d, err := aggregate.Decide(1<<40, command)
		if err != nil || len(d.Events) > 0 || d.Reply == nil || d.Reply.Code != events.Accepted {
			t.Errorf("%s once more: %+v (%v)", command.Body, d, err)
		}
	}
}

// If a restore ends between its commands and their decisions, the first owner makes the same decisions, at any time.
func TestFirstOwnerRevokes(t *testing.T) {
	t.Parallel()
	w := inhabited(t, 44)
	place := newFiles()
	m := w.take(place, 0).Manifest
	restored, kept := newCluster(t), newCluster(t)
	target := restored.target()
	target.Revoke = accessOf(t, place, m)
	must(t, backup.Restore(t.Context(), place, m, target))
	must(t, backup.Restore(t.Context(), place, m, kept.target())) // what comes before the decisions
	kept.run()
	decided := map[events.AccountID]*account.Aggregate{}
	for i, command := range restored.commandsBehind(m) {
		p := events.Partition(command.Account, partitions)
		if decided[command.Account] == nil {
			decided[command.Account] = account.NewAggregate(command.Account, account.ReplicaStore{Reader: kept.replica, Partition: p}, account.LimitsOf)
		}
		command.At = events.At(w.now.Add(24 * time.Hour))
		d, err := decided[command.Account].Decide(1<<40+int64(i), command)
		if err != nil || len(d.Events) != 1 || d.Reply.Code != events.Accepted {
			t.Errorf("%s a day later: %+v (%v)", command.Body, d, err)
		}
	}
}

// The envelopes that revoke continue the causes of the cut, and the next owner continues theirs.
func TestRevokedCauses(t *testing.T) {
	t.Parallel()
	w := inhabited(t, 43)
	place := newFiles()
	m := w.take(place, 0).Manifest
	restored := newCluster(t)
	target := restored.target()
	target.Revoke = accessOf(t, place, m)
	must(t, backup.Restore(t.Context(), place, m, target))
	next := w.after(restored, m)
	for p, one := range m.Partitions {
		got := next.replica.Cursor(int32(p))
		if got.Cause != next.causes[p]-1 || got.Cause == one.Cursor.Cause || got.At != one.Cursor.At {
			t.Errorf("partition %d: the cursor is %+v, the next command %d, and the cut was %+v", p, got, next.causes[p], one.Cursor)
		}
	}
	next.decide(accounts[0], "", events.KeyIssued{Key: events.Key{ID: "key_b2", Hash: sha256.Sum256([]byte("new"))}})
	next.catchUp()
	if _, known, err := next.replica.Caller(sha256.Sum256([]byte("new"))); err != nil || !known {
		t.Errorf("a key that was issued since: %t (%v)", known, err)
	}
}
