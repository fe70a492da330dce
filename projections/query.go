package projections

import "platen.dev/events"

// Job reads a job of an account; false when the account has no such job.
func (r *Replica) Job(account events.AccountID, id events.JobID) (Job, bool, error) {
	j, ok, err := jobs.Get(r, jobs.Key(r.partition(account), id[:]...))
	return j, ok && j.Account == account, err
}

// Key finds what the hash of an API key's secret leads to.
func (r *Replica) Key(hash [32]byte) (KeyRef, bool, error) {
	ref, ok, generation := r.keys.get(hash)
	if ok {
		return ref, true, nil
	}
	ref, ok, err := keys.Get(r, keyIndex(hash))
	if ok && err == nil {
		r.keys.put(hash, ref, generation)
	}
	return ref, ok, err
}

// Account reads an account.
func (r *Replica) Account(id events.AccountID) (Account, bool, error) {
	return accounts.Get(r, accounts.Key(r.partition(id), []byte(id)...))
}

// Accounts lists every account, by partition and id.
func (r *Replica) Accounts() ([]Account, error) {
	var all []Account
	var decodeErr error
	err := r.Scan([]byte{accounts.Name}, func(_, value []byte) bool {
		var a Account
		a, decodeErr = accounts.Decode(value)
		all = append(all, a)
		return decodeErr == nil
	})
	if err == nil {
		err = decodeErr
	}
	return all, err
}

// Reply finds the reply that a command of an account got.
func (r *Replica) Reply(account events.AccountID, id events.CommandID) (events.Reply, bool, error) {
	return ReplyTo(r, r.partition(account), id)
}

// ReplyTo finds the reply that a command of a partition got.
func ReplyTo(r Reader, partition int32, id events.CommandID) (events.Reply, bool, error) {
	return replies.Get(r, replies.Key(partition, id[:]...))
}

func (r *Replica) partition(account events.AccountID) int32 {
	return events.Partition(account, r.cfg.Log.Partitions())
}
