package account

import "platen.dev/events"

// Evolve returns the state after an event that happened at the given instant. It does not
// change slices of s, which other states may share.
func Evolve(s State, ev events.Event, at events.Instant) State {
	switch e := ev.(type) {
	case events.AccountCreated:
		return State{Plan: e.Plan, Anchor: e.Anchor, Window: e.Anchor}
	case events.PlanChanged:
		s.Plan = e.Plan
	case events.KeyIssued:
		s.Keys = append(s.Keys[:len(s.Keys):len(s.Keys)], e.Key)
	case events.KeyRevoked:
		s.Keys = events.Revoke(s.Keys, e.Key, at)
	case events.KeyUsed:
		s.Keys = used(s.Keys, e.Key, at)
	case events.AnchorMoved:
		s.Anchor = e.Anchor
	case events.WindowReset:
		if e.Window != s.Window {
			s.Window, s.Reserved, s.Used, s.Bytes = e.Window, 0, 0, 0
		}
		if e.Units != 0 || e.Bytes != 0 || e.Reserved != 0 {
			s.Used, s.Bytes, s.Reserved = e.Units, e.Bytes, e.Reserved
		}
		s.Tests = Tests{}
	case events.UsageAdjusted:
		if e.Window == s.Window {
			s.Used, s.Bytes = s.Used+e.Units, s.Bytes+e.Bytes
		}
	case events.WindowOpened:
		s.Window, s.Reserved, s.Used, s.Bytes = e.Window, 0, 0, 0
	case events.FilesLimited:
		s.MaxFile = e.Bytes
	case events.VolumeBlocksSet:
		s.Blocks = e.Blocks
	case events.TemplateSaved:
		s = saved(s, e.Template)
	case events.TemplateDeleted:
		s = deleted(s, e.Template)
	case events.DefaultTemplateSet:
		s.DefaultTemplate = e.Template
	case events.TestCounted:
		s.Tests = s.Tests.counted(at)
	default:
		s = evolveQuota(s, ev)
		s.Suspension = evolveSuspension(s.Suspension, ev, at)
		s.Webhooks = evolveWebhooks(s.Webhooks, ev)
		s.Team = s.Team.Evolve(ev, at)
	}
	return s
}

// evolveQuota applies an event to the counts of the quota window.
func evolveQuota(s State, ev events.Event) State {
	switch e := ev.(type) {
	case events.QuotaReserved:
		if e.Window > s.Window {
			s.Window, s.Reserved, s.Used, s.Bytes = e.Window, 0, 0, 0
		}
		s.Running++
		s.Reserved++
	case events.QuotaDebited:
		s = s.ended(e.Window)
		if e.Window == s.Window { // the units of an earlier window no longer count
			s.Used++
			s.Bytes += e.Bytes
		}
	case events.QuotaReleased:
		s = s.ended(e.Window)
	}
	return s
}

// ended takes a job that has ended from the running ones, and its unit from the reserved ones of its window. After a reset, their number is one that
// was counted a moment before.
func (s State) ended(window events.Instant) State {
	s.Running--
	if window == s.Window {
		s.Reserved = max(0, s.Reserved-1)
	}
	s.Reserved = min(s.Reserved, s.Running)
	return s
}

func used(keys []events.Key, id events.KeyID, at events.Instant) []events.Key {
	return events.WithKey(keys, id, func(k *events.Key) { k.LastUsed = at })
}
