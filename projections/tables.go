package projections

import (
	"crypto/sha256"
	"encoding/binary"

	"platen.dev/events"
	"platen.dev/events/team"
)

// The tables of this package, each with its keys. Package actors/account has further ones.

var jobs = Table[Job]{'j'} // partition, job

func jobKey(partition int32, id events.JobID) []byte { return jobs.Key(partition, id[:]...) }

// listed is the index of an account's jobs by their time, newest first. Its rows have what lists are filtered by.
var listed = Table[Summary]{'l'} // partition, account, 0, the complement of the creation, job

func listedKey(partition int32, account events.AccountID, at Place) []byte {
	key := binary.BigEndian.AppendUint64(listedPrefix(partition, account), ^uint64(at.Created))
	return append(key, at.Job[:]...)
}

// listedPrefix is what the keys of an account's jobs begin with.
func listedPrefix(partition int32, account events.AccountID) []byte {
	return listed.Key(partition, append([]byte(account), 0)...)
}

var accounts = Table[Account]{'a'} // partition, account

func accountKey(partition int32, id events.AccountID) []byte {
	return accounts.Key(partition, []byte(id)...)
}

// apiKeys is the index of API keys by the hash of their secrets. A look-up does not know the
// account yet, so these keys have no partition: Key and Row do not apply.
var apiKeys = Table[KeyRef]{'k'} // hash

func apiKeyKey(hash [32]byte) []byte { return append([]byte{apiKeys.Name}, hash[:]...) }

var replies = Table[events.Reply]{'r'} // partition, command

func replyKey(partition int32, id events.CommandID) []byte { return replies.Key(partition, id[:]...) }

// replied is the index of replies by the offset of the command, from which the reply that
// leaves the window is found.
var replied = Table[events.CommandID]{'s'} // partition, offset of the command

func repliedKey(partition int32, cause int64) []byte {
	return replied.Key(partition, binary.BigEndian.AppendUint64(nil, uint64(cause))...)
}

var templates = Table[SavedTemplate]{'t'} // partition, account, 0, template

func templateKey(partition int32, account events.AccountID, id events.TemplateID) []byte {
	return templates.Key(partition, []byte(string(account)+"\x00"+string(id))...)
}

// templateVersions has what a saved template has been, by number.
var templateVersions = Table[TemplateVersion]{'v'} // partition, account, 0, template, 0, number

func templateVersionKey(partition int32, account events.AccountID, id events.TemplateID, number int64) []byte {
	key := templateVersions.Key(partition, []byte(string(account)+"\x00"+string(id)+"\x00")...)
	return binary.BigEndian.AppendUint64(key, uint64(number))
}

// templateEnds has the number of the newest version of a template.
var templateEnds = Table[int64]{'V'} // partition, account, 0, template

func templateEndKey(partition int32, account events.AccountID, id events.TemplateID) []byte {
	return templateEnds.Key(partition, []byte(string(account)+"\x00"+string(id))...)
}

// teams has who may sign in to an account. The deciders read it too.
var teams = Table[team.Team]{'m'} // partition, account

func teamKey(partition int32, id events.AccountID) []byte { return teams.Key(partition, []byte(id)...) }

// memberships is the index of members by their email address.
var memberships = Table[events.MemberID]{'e'} // partition, SHA-256 of the folded address, account

func membershipKey(partition int32, email string, account events.AccountID) []byte {
	return append(membershipPrefix(partition, email), account...)
}

func membershipPrefix(partition int32, email string) []byte {
	sum := sha256.Sum256([]byte(email))
	return memberships.Key(partition, sum[:]...)
}

// identities is the index of members by who a provider says they are.
var identities = Table[events.MemberID]{'o'} // partition, identity, account

func identityKey(partition int32, identity events.Identity, account events.AccountID) []byte {
	return append(identityPrefix(partition, identity), account...)
}

func identityPrefix(partition int32, identity events.Identity) []byte {
	return identities.Key(partition, identity[:]...)
}

// handles is the index of members by what their passkeys know them by.
var handles = Table[Membership]{'p'} // partition, handle

func handleKey(partition int32, handle [32]byte) []byte { return handles.Key(partition, handle[:]...) }

// trails has who changed what in an account, by number.
var trails = Table[TrailEntry]{'h'} // partition, account, 0, number

func trailKey(partition int32, account events.AccountID, number int64) []byte {
	return trails.Key(partition, binary.BigEndian.AppendUint64(append([]byte(account), 0), uint64(number))...)
}

// trailEnds has which entries each trail has.
var trailEnds = Table[trailEnd]{'H'} // partition, account

func trailEndKey(partition int32, account events.AccountID) []byte {
	return trailEnds.Key(partition, []byte(account)...)
}

var cursors = Table[Cursor]{'c'} // partition

func cursorKey(partition int32) []byte { return cursors.Key(partition) }
