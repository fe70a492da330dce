package projections

import (
	"crypto/sha256"
	"encoding/binary"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// The tables of this package, with their keys. Package actors/account has more.

var jobs = table.Table[Job]{Name: 'j'} // partition, job

func jobKey(partition int32, id events.JobID) []byte { return jobs.Key(partition, id[:]...) }

// listed indexes an account's jobs by time, newest first. Its rows hold the properties that lists are filtered
// by.
var listed = table.Table[Summary]{Name: 'l'} // partition, account, 0, the complement of the creation, job

func listedKey(partition int32, account events.AccountID, at Place) []byte {
	key := binary.BigEndian.AppendUint64(listedPrefix(partition, account), ^uint64(at.Created))
	return append(key, at.Job[:]...)
}

// listedPrefix returns the key prefix of an account's jobs.
func listedPrefix(partition int32, account events.AccountID) []byte {
	return listed.Key(partition, append([]byte(account), 0)...)
}

var accounts = table.Table[Account]{Name: 'a'} // partition, account

func accountKey(partition int32, id events.AccountID) []byte {
	return accounts.Key(partition, []byte(id)...)
}

// apiKeys indexes API keys by the hash of their secrets. A look-up does not know the account yet,
// so these keys have no partition: Key and Row do not apply.
var apiKeys = table.Table[KeyRef]{Name: 'k'} // hash

func apiKeyKey(hash [32]byte) []byte { return append([]byte{apiKeys.Name}, hash[:]...) }

var templates = table.Table[SavedTemplate]{Name: 't'} // partition, account, 0, template

func templateKey(partition int32, account events.AccountID, id events.TemplateID) []byte {
	return templates.Key(partition, []byte(string(account)+"\x00"+string(id))...)
}

// templateVersions holds the versions of each saved template, by number.
var templateVersions = table.Table[TemplateVersion]{Name: 'v'} // partition, account, 0, template, 0, number

func templateVersionKey(partition int32, account events.AccountID, id events.TemplateID, number int64) []byte {
	key := templateVersions.Key(partition, []byte(string(account)+"\x00"+string(id)+"\x00")...)
	return binary.BigEndian.AppendUint64(key, uint64(number))
}

// templateEnds holds the number of each template's newest version.
var templateEnds = table.Table[int64]{Name: 'V'} // partition, account, 0, template

func templateEndKey(partition int32, account events.AccountID, id events.TemplateID) []byte {
	return templateEnds.Key(partition, []byte(string(account)+"\x00"+string(id))...)
}

// memberships indexes members by email address.
var memberships = table.Table[events.MemberID]{Name: 'e'} // partition, SHA-256 of the folded address, account

func membershipKey(partition int32, email string, account events.AccountID) []byte {
	return append(membershipPrefix(partition, email), account...)
}

func membershipPrefix(partition int32, email string) []byte {
	sum := sha256.Sum256([]byte(email))
	return memberships.Key(partition, sum[:]...)
}

// identities indexes members by their identity at a provider.
var identities = table.Table[events.MemberID]{Name: 'o'} // partition, identity, account

func identityKey(partition int32, identity events.Identity, account events.AccountID) []byte {
	return append(identityPrefix(partition, identity), account...)
}

func identityPrefix(partition int32, identity events.Identity) []byte {
	return identities.Key(partition, identity[:]...)
}

// handles indexes members by the handle that their passkeys know.
var handles = table.Table[Membership]{Name: 'p'} // partition, handle

func handleKey(partition int32, handle [32]byte) []byte { return handles.Key(partition, handle[:]...) }

// trails records who changed what in an account, by number.
var trails = table.Table[TrailEntry]{Name: 'h'} // partition, account, 0, number

func trailKey(partition int32, account events.AccountID, number int64) []byte {
	return trails.Key(partition, binary.BigEndian.AppendUint64(append([]byte(account), 0), uint64(number))...)
}

// trailEnds holds the range of entries of each trail.
var trailEnds = table.Table[trailEnd]{Name: 'H'} // partition, account

func trailEndKey(partition int32, account events.AccountID) []byte {
	return trailEnds.Key(partition, []byte(account)...)
}

var cursors = table.Table[Cursor]{Name: 'c'} // partition

func cursorKey(partition int32) []byte { return cursors.Key(partition) }
