package projections

import (
	"encoding/hex"
	"strings"

	"platen.dev/events"
	"platen.dev/projections/table"
)

// Job reads a job of an account; false if the account has no such job.
func (r *Replica) Job(account events.AccountID, id events.JobID) (Job, bool, error) {
	part := r.jobs.part(id)
	j, ok, generation := part.get(id)
	if ok {
		return j, j.Account == account, nil
	}
	j, ok, err := jobs.Get(r, jobKey(r.partition(account), id))
	if ok && err == nil {
		part.put(id, j, generation, maxJobs)
	}
	return j, ok && j.Account == account, err
}

// JobIn reads a job of an account from a partition's rows; false if the account has no such job.
func JobIn(r table.Reader, partition int32, account events.AccountID, id events.JobID) (Job, bool, error) {
	j, ok, err := jobs.Get(r, jobKey(partition, id))
	return j, ok && j.Account == account, err
}

// FindJob reads a job of any account.
func (r *Replica) FindJob(id events.JobID) (j Job, ok bool, err error) {
	for p := range int32(len(r.followers)) {
		if j, ok, err = jobs.Get(r, jobKey(p, id)); ok || err != nil {
			return j, ok, err
		}
	}
	return j, false, nil
}

// minDigits is how many digits of an id are needed to find jobs: few of a partition share so many.
const minDigits = 8

// FindJobs returns the jobs of an account whose ids begin with a text: at least the eight digits that lists show. Case and dashes do not matter.
func (r *Replica) FindJobs(account events.AccountID, beginning string) (found []ListedJob, err error) {
	digits := strings.ToLower(strings.ReplaceAll(beginning, "-", ""))
	row, err := hex.DecodeString(digits[:len(digits)&^1])
	if len(digits) < minDigits || err != nil {
		return nil, nil
	}
	err = jobs.Each(r, jobs.Key(r.partition(account), row...), func(key []byte, j Job) bool {
		id := jobs.Row(key)
		if j.Account == account && strings.HasPrefix(hex.EncodeToString(id), digits) {
			found = append(found, ListedJob{events.JobID(id), j})
		}
		return true
	})
	return found, err
}

// EachJob visits the jobs of an account, by id.
func (r *Replica) EachJob(account events.AccountID, visit func(events.JobID, Job)) error {
	return jobs.Each(r, jobs.Key(r.partition(account)), func(key []byte, j Job) bool {
		if j.Account == account {
			visit(events.JobID(jobs.Row(key)), j)
		}
		return true
	})
}

// Caller finds the caller by the hash of an API key's secret; false for an unknown or
// revoked key.
func (r *Replica) Caller(hash [32]byte) (Caller, bool, error) {
	c, ok, generation := r.callers.get(hash)
	if ok {
		return c, true, nil
	}
	c, ok, err := readCaller(r, r.partition, hash)
	if ok && err == nil {
		r.callers.put(hash, c, generation, maxCallers)
	}
	return c, ok, err
}

// readCaller reads a caller from the rows. Replica.forget must know every event that changes the
// outcome.
func readCaller(r table.Reader, partition func(events.AccountID) int32, hash [32]byte) (c Caller, ok bool, err error) {
	if c.KeyRef, ok, err = apiKeys.Get(r, apiKeyKey(hash)); err != nil || !ok {
		return c, false, err
	}
	account, ok, err := accounts.Get(r, accountKey(partition(c.Account), c.Account))
	c.Plan = account.Plan
	for _, k := range account.Keys {
		if k.ID == c.Key {
			c.LastUsed = k.LastUsed
		}
	}
	return c, ok, err
}

// Account reads an account; false if it does not exist.
func (r *Replica) Account(id events.AccountID) (Account, bool, error) {
	return accounts.Get(r, accountKey(r.partition(id), id))
}

// Accounts lists all accounts in the order of partition and id.
func (r *Replica) Accounts() (all []Account, err error) {
	err = accounts.Each(r, []byte{accounts.Name}, func(_ []byte, a Account) bool {
		all = append(all, a)
		return true
	})
	return all, err
}

// Reply finds the reply to a command of an account; false if the command is undecided, or older
// than table.ReplyWindow.
func (r *Replica) Reply(account events.AccountID, id events.CommandID) (events.Reply, bool, error) {
	return table.ReplyTo(r, r.partition(account), id)
}

func (r *Replica) partition(account events.AccountID) int32 {
	return events.Partition(account, r.cfg.Log.Partitions())
}
