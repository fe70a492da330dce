package table

import (
	"platen.dev/events"
	"platen.dev/events/team"
)

// Teams holds who may sign in to each account. Deciders and readers share it.
var Teams = Table[team.Team]{'m'} // partition, account

// TeamKey returns the key of an account's team.
func TeamKey(partition int32, id events.AccountID) []byte { return Teams.Key(partition, []byte(id)...) }

// TeamOf reads who may sign in to an account of a partition.
func TeamOf(r Reader, partition int32, id events.AccountID) (team.Team, error) {
	t, _, err := Teams.Get(r, TeamKey(partition, id))
	return t, err
}
