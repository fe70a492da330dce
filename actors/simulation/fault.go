package simulation

import (
	"math"
	"slices"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
	"platen.dev/events"
)

// Fault is a mistake in the orchestration: it changes what a machine is told, or what
// it puts out, as a wrong line of its code would. The zero Fault changes nothing.
type Fault struct {
	// shardIn and jobsIn change what a machine is told; nil for nothing at all.
	shardIn func(o *ownership, in shard.Input) shard.Input
	jobsIn  func(j *jobs, in dispatch.Input) dispatch.Input
	// shard, jobs and attempt change what a machine puts out on an input.
	shard   func(o *ownership, in shard.Input, outs []shard.Output) []shard.Output
	jobs    func(j *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output
	attempt func(a *attemptRun, in attempt.Input, outs []attempt.Output) []attempt.Output
}

func (f Fault) tellShard(o *ownership, in shard.Input) shard.Input {
	if f.shardIn == nil {
		return in
	}
	return f.shardIn(o, in)
}

func (f Fault) tellJobs(j *jobs, in dispatch.Input) dispatch.Input {
	if f.jobsIn == nil {
		return in
	}
	return f.jobsIn(j, in)
}

func (f Fault) changeShard(o *ownership, in shard.Input, outs []shard.Output) []shard.Output {
	if f.shard == nil {
		return outs
	}
	return f.shard(o, in, outs)
}

func (f Fault) changeJobs(j *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output {
	if f.jobs == nil {
		return outs
	}
	return f.jobs(j, in, outs)
}

func (f Fault) changeAttempt(a *attemptRun, in attempt.Input, outs []attempt.Output) []attempt.Output {
	if f.attempt == nil {
		return outs
	}
	return f.attempt(a, in, outs)
}

// lose drops the outputs of one type that a machine puts out on inputs of another.
func lose[In, Out any, I, O any](more ...func(Out) bool) func(_ any, in I, outs []O) []O {
	return func(_ any, in I, outs []O) (kept []O) {
		if _, hit := any(in).(In); !hit {
			return outs
		}
		for _, o := range outs {
			out, hit := any(o).(Out)
			for _, is := range more {
				hit = hit && is(out)
			}
			if !hit {
				kept = append(kept, o)
			}
		}
		return kept
	}
}

// loseShard is lose for the machine of a shard.
func loseShard[In, Out any](more ...func(Out) bool) Fault {
	change := lose[In, Out, shard.Input, shard.Output](more...)
	return Fault{shard: func(o *ownership, in shard.Input, outs []shard.Output) []shard.Output { return change(o, in, outs) }}
}

// Faults are the seeded faults, each named for what goes wrong.
func Faults() map[string]Fault {
	return map[string]Fault{
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
		"lost renders are not looked for at a take-over": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
			if s, ok := in.(shard.Scanned); ok && s.For == shard.ForTakeOver {
				s.Jobs = slices.DeleteFunc(s.Jobs, func(j account.Job) bool { return j.State.Phase == job.Rendering })
				return s
			}
			return in
		}},
		"pending effects are not begun at a take-over": loseShard[shard.Scanned, shard.Begin](),
		"the end of a node is ignored": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
			if _, ok := in.(shard.NodeGone); ok {
				return nil
			}
			return in
		}},
		"a start by a node that is gone stands": {shardIn: func(_ *ownership, in shard.Input) shard.Input {
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
		"an owner begins one command too late": {shard: func(_ *ownership, _ shard.Input, outs []shard.Output) []shard.Output {
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
		"effects are kept when a partition is given away": loseShard[shard.Resign, shard.ForgetAll](),
		"effects of the next owner are withdrawn by the one that resigned": {shard: func(o *ownership, _ shard.Input, outs []shard.Output) (all []shard.Output) {
			for _, out := range outs {
				if _, ok := out.(shard.Stop); ok && o.resigned {
					all = append(all, shard.ForgetAll{})
				}
				all = append(all, out)
			}
			return all
		}},
		"a hand-over is forgotten too early": {jobs: func(j *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output {
			if a, ok := in.(dispatch.Answered); ok && a.Taken {
				return append(outs, j.machine.Step(dispatch.Forget{Job: a.Job})...)
			}
			return outs
		}},
		"what a node took that is gone is not taken back": {jobsIn: func(_ *jobs, in dispatch.Input) dispatch.Input {
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
		"an attempt that ends without a word counts as told": {attempt: func(_ *attemptRun, _ attempt.Input, outs []attempt.Output) []attempt.Output {
			for i, o := range outs {
				if _, ok := o.(attempt.End); ok {
					outs[i] = attempt.End{Told: true}
				}
			}
			return outs
		}},
		"a page is not given back": {attempt: func(a *attemptRun, in attempt.Input, outs []attempt.Output) []attempt.Output {
			return lose[attempt.Done, attempt.Release, attempt.Input, attempt.Output]()(a, in, outs)
		}},
		"more attempts are begun than there are": {jobs: func(_ *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output {
			if o, ok := in.(dispatch.Offered); ok && len(outs) > 0 {
				if a, refused := outs[0].(dispatch.Answer); refused && !a.Taken {
					return []dispatch.Output{dispatch.Begin{Partition: o.Partition, Effect: o.Effect}, dispatch.Answer{Job: a.Job, Taken: true}}
				}
			}
			return outs
		}},
	}
}
