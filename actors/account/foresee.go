package account

import "platen.dev/events"

// Foresee returns the reply that refuses a submission if, by the committed state, the account has
// reached a limit. That keeps content that would be refused out of the log. The account itself
// decides everything else, including a request that may repeat an earlier one, and any request
// while the store fails.
func Foresee(store Store, id events.AccountID, b events.SubmitJob, now events.Instant) (events.Reply, bool) {
	s, err := store.Account(id)
	if err != nil {
		return events.Reply{}, false
	}
	if _, ok := entitled(s, b); !ok {
		return events.Reply{}, false
	}
	if b.Idempotency != nil {
		if earlier, err := store.AcceptedRequest(id, b.Idempotency.Key); err != nil || earlier.At != 0 {
			return events.Reply{}, false
		}
	}
	if admitted, _ := admit(s, b, now.Add(events.ClockTolerance), LimitsOf); len(admitted) > 0 {
		return events.Reply{}, false
	}
	admitted, reply := admit(s, b, now, LimitsOf)
	return reply, len(admitted) == 0
}
