package account

import "platen.dev/events"

// WindowEnd returns the end of the quota window that began at start, by the present anchor.
func (s State) WindowEnd(start events.Instant) events.Instant { return windowEnd(s.Anchor, start) }

// Unfinished returns the number of unfinished jobs by the quota window to which they will be charged. s is the account's state, read earlier.
func Unfinished(r Scanner, partition int32, id events.AccountID, s State) (jobsOf map[events.Instant]int64, err error) {
	if s.Running == 0 {
		return nil, nil
	}
	if s.Running == s.Reserved { // the counts of the last window: no others have unfinished jobs
		return map[events.Instant]int64{s.Window: s.Reserved}, nil
	}
	jobsOf = map[events.Instant]int64{}
	var mine []events.JobID
	err = r.Scan(unsettled.Key(partition), func(key, value []byte) bool {
		if account, wrong := unsettled.Decode(value); wrong == nil && account == id {
			mine = append(mine, parseUnsettledKey(key))
		}
		return true
	})
	for _, job := range mine {
		if err != nil {
			return nil, err
		}
		j, _, wrong := jobs.Get(r, jobKey(partition, job))
		if err = wrong; j.Active() && j.Window != 0 {
			jobsOf[j.Window]++
		}
	}
	return jobsOf, err
}
