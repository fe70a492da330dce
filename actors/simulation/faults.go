package simulation

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
	"platen.dev/events"
)

// Faults returns the seeded faults, each named after what goes wrong.
func Faults() map[string]Fault {
	all := maps.Clone(shardFaults)
	maps.Copy(all, dispatchFaults)
	maps.Copy(all, attemptFaults)
	maps.Copy(all, noticeFaults)
	maps.Copy(all, uploadFaults)
	maps.Copy(all, historyFaults)
	maps.Copy(all, clockFaults)
	maps.Copy(all, drainFaults)
	return all
}

// shardFaults are faults in the orchestration of a shard.
var shardFaults = map[string]Fault{
	"a reply is dropped while the owner resigns": {shard: func(o *ownership, in shard.Input, outs []shard.Output) []shard.Output {
		if !o.resigned {
			return outs
		}
		return lose[shard.Folded, shard.Reply, shard.Input, shard.Output]()(o, in, outs)
	}},
	"an effect begins before it is read back": {shard: func(_ *ownership, in shard.Input, outs []shard.Output) []shard.Output {
		if d, ok := in.(shard.Decided); ok {
			for _, e := range d.Decision.Begin {
				outs = append(outs, shard.Begin{Effect: e})
			}
		}
		return outs
	}},
	"the window is released twice": {shard: func(_ *ownership, _ shard.Input, outs []shard.Output) (all []shard.Output) {
		for _, o := range outs {
			all = append(all, o)
			if _, ok := o.(shard.Credit); ok {
				all = append(all, o)
			}
		}
		return all
	}},
	"nobody looks for lost renders": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
		if s, ok := in.(shard.Scanned); ok {
			s.Jobs = slices.DeleteFunc(s.Jobs, func(j account.Job) bool { return j.State.Phase == job.Rendering })
			return s
		}
		return in
	}},
	"what was set aside is trimmed": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
		if s, ok := in.(shard.Scanned); ok {
			s.HasQuarantined = false
			return s
		}
		return in
	}},
	"a take-over does not begin pending effects": loseShard[shard.Scanned, shard.Begin](),
	"lost effects are not looked for":            loseShard[shard.Scanned, shard.Resume](),
	"a gap hides a command that is there": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
		if s, ok := in.(shard.Skipped); ok {
			s.To++
			return s
		}
		return in
	}},
	"the end of a node is ignored": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
		if _, ok := in.(shard.NodeGone); ok {
			return nil
		}
		return in
	}},
	"a job stays with a node that was gone before its start was decided": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
		if d, ok := in.(shard.Decided); ok {
			d.Decision.Held = nil
			return d
		}
		return in
	}},
	"a wake is sent once, and may be lost": {shard: func(o *ownership, in shard.Input, outs []shard.Output) []shard.Output {
		return lose[shard.Ticked, shard.Send, shard.Input, shard.Output](func(s shard.Send) bool {
			w, wake := s.Body.(events.WakeJob)
			again := wake && o.woken[w.Job]
			o.woken[w.Job] = true
			return again
		})(o, in, outs)
	}},
	"an owner skips its first command": {shard: func(_ *ownership, _ shard.Input, outs []shard.Output) []shard.Output {
		for i, o := range outs {
			if a, ok := o.(shard.Activate); ok {
				a.From++
				outs[i] = a
			}
		}
		return outs
	}},
	"envelopes leave in the order of their decisions": {shard: func(_ *ownership, in shard.Input, outs []shard.Output) []shard.Output {
		if _, ok := in.(shard.Decided); ok && len(outs) > 1 {
			outs[0], outs[1] = outs[1], outs[0]
		}
		return outs
	}},
	"an account with commands under way is retired": {shard: func(o *ownership, in shard.Input, outs []shard.Output) []shard.Output {
		if _, ok := in.(shard.Ticked); ok {
			for _, id := range []events.AccountID{"acc_0", "acc_1", "acc_2"} {
				outs = append(outs, shard.Retire{Account: id})
			}
		}
		return outs
	}},
	"content that a job needs is trimmed": {shard: func(_ *ownership, _ shard.Input, outs []shard.Output) []shard.Output {
		for i, o := range outs {
			if _, ok := o.(shard.Trim); ok {
				outs[i] = shard.Trim{Before: math.MaxInt64}
			}
		}
		return outs
	}},
	"effects are not withdrawn on resign":                loseShard[shard.Resign, shard.ForgetAll](),
	"effects are not withdrawn when an owner is stopped": loseShard[shard.Abandoned, shard.ForgetAll](),
	"an owner that resigned withdraws the next owner's effects": {shard: func(o *ownership, _ shard.Input, outs []shard.Output) (all []shard.Output) {
		for _, out := range outs {
			if _, ok := out.(shard.Stop); ok && o.resigned {
				all = append(all, shard.ForgetAll{})
			}
			all = append(all, out)
		}
		return all
	}},
}

// dispatchFaults are faults in the dispatch of jobs.
var dispatchFaults = map[string]Fault{
	"a hand-over is forgotten too early": {jobs: func(j *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output {
		if a, ok := in.(dispatch.Answered); ok && a.Taken {
			return append(outs, j.machine.Step(dispatch.Forget{Job: a.Job})...)
		}
		return outs
	}},
	"a job is not taken back from a node that is gone": {jobsIn: func(_ *jobs, in dispatch.Input) dispatch.Input {
		switch in.(type) {
		case dispatch.NodeGone, dispatch.Overdue:
			return nil
		}
		return in
	}},
	"a job that is asked for again while it renders is forgotten": {jobsIn: func(j *jobs, in dispatch.Input) dispatch.Input {
		if t, ok := in.(dispatch.Take); ok && j.attempts[t.Effect.Job] != nil {
			return nil
		}
		return in
	}},
	"a suspended node is probed only once": {jobsIn: func(_ *jobs, in dispatch.Input) dispatch.Input {
		if _, ok := in.(dispatch.ProbeAgain); ok {
			return nil
		}
		return in
	}},
	"more attempts begin than are allowed": {jobs: func(_ *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output {
		if o, ok := in.(dispatch.Offered); ok && len(outs) > 0 {
			if a, refused := outs[0].(dispatch.Answer); refused && !a.Taken {
				return []dispatch.Output{dispatch.Begin{Partition: o.Partition, Effect: o.Effect}, dispatch.Answer{Job: a.Job, Taken: true}}
			}
		}
		return outs
	}},
}

// historyFaults are faults of snapshots.
var historyFaults = map[string]Fault{
	"the journal is trimmed before the snapshot counts":  {history: historyFault{trimsFirst: true}},
	"what the version before needs is not spared":        {history: historyFault{sparesNothing: true}},
	"what cannot be read is among what is kept":          {history: historyFault{countsAll: true}},
	"the rows of a snapshot are not those of its cursor": {history: historyFault{thaws: true}},
	"a snapshot is loaded over the rows that are there":  {history: historyFault{keepsRows: true}},
}

// clockFaults are faults of clocks.
var clockFaults = map[string]Fault{
	"a wrong first clock is believed":       {clock: clockFault{believes: true}},
	"a file lives by the time that is held": {clock: clockFault{hasty: true}},
}

// drainFaults are faults of nodes that drain.
var drainFaults = map[string]Fault{
	"nodes that drain at once leave nobody":        {drain: drainFault{trusting: true}},
	"a node that took its share back never leaves": {drain: drainFault{clinging: true}},
}

// noticeFaults are faults of webhooks.
var noticeFaults = map[string]Fault{
	"an attempt to send a webhook is not recorded": unrecorded[events.WebhookAttempted](),
	"a webhook is sent before the journal":         hasty[job.Notify](),
	"the id of a webhook changes with each attempt": {notice: func(e job.Notify, m *message) {
		m.id = fmt.Sprint(m.id, e.Number)
	}},
	"the next attempt of a webhook is forgotten": onlyFirst(func(n job.Notify) int { return n.Number }),
}

// uploadFaults are faults of uploads into the callers' own storage.
var uploadFaults = map[string]Fault{
	"an attempt to upload is not recorded":    unrecorded[events.UploadAttempted](),
	"a file is uploaded before the journal":   hasty[job.Deliver](),
	"the next attempt to upload is forgotten": onlyFirst(func(d job.Deliver) int { return d.Number }),
}

// unrecorded leaves events of one type out of decisions.
func unrecorded[E events.Event]() Fault {
	return Fault{shardIn: func(_ *ownership, in shard.Input) shard.Input {
		if d, ok := in.(shard.Decided); ok {
			d.Decision.Events = slices.DeleteFunc(slices.Clone(d.Decision.Events), func(ev events.Event) bool {
				_, is := ev.(E)
				return is
			})
			return d
		}
		return in
	}}
}

// hasty begins effects of one type when they are decided.
func hasty[E job.Effect]() Fault {
	return Fault{shard: func(_ *ownership, in shard.Input, outs []shard.Output) []shard.Output {
		if d, ok := in.(shard.Decided); ok {
			for _, e := range d.Decision.Begin {
				if _, is := e.(E); is {
					outs = append(outs, shard.Begin{Effect: e})
				}
			}
		}
		return outs
	}}
}

// onlyFirst begins the first attempt at an effect of one type, and no other.
func onlyFirst[E job.Effect](number func(E) int) Fault {
	return Fault{shard: func(_ *ownership, _ shard.Input, outs []shard.Output) []shard.Output {
		return slices.DeleteFunc(outs, func(o shard.Output) bool {
			b, _ := o.(shard.Begin)
			e, is := b.Effect.(E)
			return is && number(e) > 1
		})
	}}
}

// attemptFaults are faults in an attempt.
var attemptFaults = map[string]Fault{
	"an attempt without an outcome counts as told": atEnd(func(end attempt.End) attempt.End {
		return attempt.End{Told: true, GivesBack: end.GivesBack}
	}),
	"a start that is decided after its attempt has ended is kept": atEnd(func(end attempt.End) attempt.End {
		return attempt.End{Told: end.Told, Health: end.Health}
	}),
	"a fault of the infrastructure spends an attempt": {attempt: func(_ *attemptRun, _ attempt.Input, outs []attempt.Output) []attempt.Output {
		for i, o := range outs {
			if do, ok := o.(attempt.Do); ok && do.Fault != nil {
				outs[i] = attempt.Do{Step: do.Step, Fault: &attempt.Fault{Code: do.Fault.Code, Retryable: do.Fault.Retryable}}
			}
		}
		return outs
	}},
	"a page is not returned": {attempt: func(a *attemptRun, in attempt.Input, outs []attempt.Output) []attempt.Output {
		return lose[attempt.Done, attempt.Release, attempt.Input, attempt.Output]()(a, in, outs)
	}},
}

// atEnd changes how attempts end.
func atEnd(change func(attempt.End) attempt.End) Fault {
	return Fault{attempt: func(_ *attemptRun, _ attempt.Input, outs []attempt.Output) []attempt.Output {
		for i, o := range outs {
			if end, ok := o.(attempt.End); ok {
				outs[i] = change(end)
			}
		}
		return outs
	}}
}
