package simulation

import (
	"platen.dev/actors/job"
	"platen.dev/actors/render/attempt"
	"platen.dev/actors/render/dispatch"
	"platen.dev/actors/shard"
)

// Fault is a bug seeded into the orchestration. It changes a machine's inputs or outputs
// as a wrong line of its code would. The zero Fault changes nothing.
type Fault struct {
	// shardIn and jobsIn change an input of a machine; a nil result drops it.
	shardIn func(o *ownership, in shard.Input) shard.Input
	jobsIn  func(j *jobs, in dispatch.Input) dispatch.Input
	// shard, jobs and attempt change the outputs that follow from an input.
	shard   func(o *ownership, in shard.Input, outs []shard.Output) []shard.Output
	jobs    func(j *jobs, in dispatch.Input, outs []dispatch.Output) []dispatch.Output
	attempt func(a *attemptRun, in attempt.Input, outs []attempt.Output) []attempt.Output
	// notice changes a webhook that is sent.
	notice func(e job.Notify, m *message)
	// history is how nodes mishandle snapshots.
	history historyFault
	// clock is how nodes misuse their clocks.
	clock clockFault
	// drain is how nodes misbehave when draining.
	drain drainFault
}

// historyFault is a fault in taking snapshots, or in trimming.
type historyFault struct {
	// trimsFirst makes the journal be trimmed before the snapshot counts.
	trimsFirst bool
	// thaws makes a snapshot take rows of another moment than its cursor's.
	thaws bool
	// countsAll counts snapshots that a node cannot read among those that it keeps.
	countsAll bool
	// keepsRows loads a snapshot over the rows that are there.
	keepsRows bool
	// sparesNothing deletes what this version needs although it may come back.
	sparesNothing bool
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

// lose drops the outputs of one type that follow from inputs of another.
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
