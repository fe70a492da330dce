package shard

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/events"
	"platen.dev/projections"
)

// show formats outputs as words.
func show(outs []Output) string {
	var words []string
	for _, o := range outs {
		words = append(words, showOne(o))
	}
	return strings.Join(words, " ")
}

func showOne(o Output) string {
	switch o := o.(type) {
	case Append:
		if e, ok := o.Entry.(events.Envelope); ok {
			return fmt.Sprintf("append(%d)", e.Cause)
		}
		if g, ok := o.Entry.(events.Gap); ok {
			return fmt.Sprintf("append(gap %d-%d)", g.From, g.To)
		}
		if m, ok := o.Entry.(events.Marker); ok && m.Published > 0 {
			return fmt.Sprintf("append(marker of %s behind %d)", m.Timeline, m.Published)
		} else if ok && m.Timeline != "" {
			return fmt.Sprintf("append(marker of %s)", m.Timeline)
		}
		return "append(marker)"
	case Activate:
		return fmt.Sprintf("activate(%d)", o.From)
	case Decide:
		return fmt.Sprintf("decide(%d)", o.Cause)
	case Commit:
		return fmt.Sprintf("commit(%d)", o.Cause)
	case Reply:
		return fmt.Sprintf("reply(%s)", o.CommandReply.Reply.Code)
	case Begin:
		return fmt.Sprintf("begin(%s)", o.Effect.Key().Kind)
	case Resume:
		return fmt.Sprintf("resume(%s)", o.Effect.Key().Kind)
	case Halt:
		return fmt.Sprintf("halt(%v)", o.Err)
	case Forget:
		return fmt.Sprintf("forget(%s)", o.Key.Kind)
	case Send:
		return strings.Replace(fmt.Sprintf("send(%T)", o.Body), "events.", "", 1)
	case Scan:
		if len(o.Again) > 0 {
			return fmt.Sprintf("again(%d)", o.Again[0][0])
		}
		return fmt.Sprintf("scan(%d)", o.After[0])
	case Trim:
		return fmt.Sprintf("trim(%d)", o.Before)
	case Stop:
		return fmt.Sprintf("stop(%v)", o.Err)
	default:
		return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", o), "shard."))
	}
}

var (
	theJob   = events.JobID{1}
	render   = job.Render{Account: "acc", Job: theJob}
	lose     = events.LoseRender{Job: theJob, Attempt: 7}
	wake     = events.WakeJob{Job: theJob}
	due      = Ticked{Due: []account.JobRef{{Account: "acc", Job: theJob}}}
	accepted = account.Decision{Reply: &events.Reply{Code: events.Accepted}, Begin: []job.Effect{render}}
)

func arrived(cause int64, body events.CommandBody) Input {
	return Arrived{Cause: cause, Command: events.Command{ID: events.CommandID{byte(cause)}, Account: "acc", ReplyTo: &events.Address{Node: "n1", ID: "replies"}, Body: body}}
}

// readBack returns the envelope of the owner under test, as accepted by its replica.
func readBack(cause int64) Input {
	return Folded{
		[]projections.Step{{Offset: cause + 10, Entry: events.Envelope{Epoch: 10, Cause: cause, Command: events.CommandID{byte(cause)}}, Accepted: true}},
		projections.Cursor{Next: cause + 11, Epoch: 10, Cause: cause, Commands: "new", Owner: "n1"},
	}
}

// gapRead returns a gap of the owner under test, as accepted by its replica.
func gapRead(from, to int64) Input {
	return Folded{
		[]projections.Step{{Offset: 30, Entry: events.Gap{Epoch: 10, From: from, To: to}, Accepted: true}},
		projections.Cursor{Next: 31, Epoch: 10, Cause: to - 1, Commands: "new", Owner: "n1"},
	}
}

func folded(offset int64, owner events.NodeID) Input {
	return Folded{
		[]projections.Step{{Offset: offset, Entry: events.Marker{Owner: owner}, Accepted: true}},
		projections.Cursor{Next: offset + 1, Epoch: offset, Cause: 7, Commands: "new", Owner: owner},
	}
}

// page is a page of jobs: theJob first, each with the id that follows the one before it. It is full if it has two.
func page(states ...job.State) Scanned {
	in := Scanned{Page: account.Page{More: len(states) == 2}}
	for i, s := range states {
		s.Account = "acc"
		in.Last = events.JobID{byte(1 + i)}
		in.Jobs = append(in.Jobs, account.Job{ID: in.Last, State: s})
	}
	return in
}

// quarantine is a page with the first command that was set aside.
func quarantine(in Scanned, cause int64) Scanned {
	in.Quarantined, in.HasQuarantined = cause, true
	return in
}

// Each script is a series of inputs, each with the outputs expected. The machine is node
// n1's, command 7 is the last that another owner decided, and the node "gone" is down.
func TestScripts(t *testing.T) {
	type line struct {
		in   Input
		want string
	}
	active := []line{
		{Announce{}, "append(marker)"},
		{Announced{Offset: 10, Cursor: projections.Cursor{Next: 10, Epoch: 3, Cause: 7}}, ""},
		{folded(10, "n1"), "activate(8) scan(0)"},
	}
	// named is the replica behind a marker, in a partition that names its timeline and has seven public events.
	named := func(offset int64) Input {
		return Folded{nil, projections.Cursor{Next: offset + 1, Epoch: offset, Cause: 7, Commands: "new", Owner: "n1", Timeline: "t0", Number: 7}}
	}
	announced := []line{
		{Announce{Timeline: "t1", Now: 5}, "append(marker of t1)"},
		{Announced{Offset: 10, Cursor: projections.Cursor{Next: 10, Epoch: 3, Cause: 7}}, ""},
		{named(10), "look"},
	}
	empty := []line{
		announced[0],
		{Announced{Offset: 10, Cursor: projections.Cursor{Next: 10, Epoch: -1, Cause: -1}}, ""},
		{Folded{nil, projections.Cursor{Next: 11, Epoch: 10, Cause: -1, Commands: "new", Owner: "n1", Timeline: "t0"}}, "look"},
	}
	taken := append(slices.Clone(active), line{arrived(8, events.StartRender{Job: theJob}), "decide(8)"})
	rendering := func(node events.NodeID) job.State {
		return job.State{Phase: job.Rendering, Attempt: 7, Node: node, Content: 6}
	}
	queued := job.State{Phase: job.Queued, Content: 5}
	unreadable := page(queued)
	unreadable.Unreadable = errors.New("damaged")
	taken, active = append(slices.Clone(taken), line{page(), "trim(8)"}), append(slices.Clone(active), line{page(), "trim(8)"})
	ticks := slices.Repeat([]line{{Ticked{}, ""}}, 3)
	for name, script := range map[string][]line{
		"an owner whose journal has all that is published": append(slices.Clone(announced), line{Looked{Published: 7, Timeline: "t2"}, "activate(8) scan(0)"}),
		"an owner whose journal has lost what was published begins a timeline": append(slices.Clone(announced),
			line{Looked{Published: 8, Timeline: "t2"}, "append(marker of t2 behind 8)"},
			line{Announced{Offset: 11, Cursor: projections.Cursor{Next: 11, Epoch: 10, Cause: 7}}, ""},
			line{named(11), "look"}, line{Looked{Published: 7, Timeline: "t3"}, "activate(8) scan(0)"}),
		"an owner of an empty journal, whose commands were decided in another one, waits, and begins behind them": append(slices.Clone(empty),
			line{Looked{Published: 8, End: 5, Timeline: "t2"}, "halt(the journal is empty, and public events up to number 8 tell of a former one: the commands up to 4 would be decided, and their jobs charged, once more)"},
			line{Continue{2, 5}, "append(gap 0-5)"},
			line{Folded{gapRead(0, 5).(Folded).Steps, projections.Cursor{Next: 12, Epoch: 10, Cause: 4, Commands: "new", Owner: "n1", Timeline: "t0"}}, "look"},
			line{Looked{Published: 8, End: 5, Timeline: "t2"}, "append(marker of t2 behind 8)"}),
		"an owner of an empty journal without commands begins a timeline":      append(slices.Clone(empty), line{Looked{Published: 8, Timeline: "t2"}, "append(marker of t2 behind 8)"}),
		"an owner of a new partition decides the commands that came before it": append(slices.Clone(empty), line{Looked{End: 5, Timeline: "t2"}, "activate(0) scan(0)"}),
		"an owner that resigns while it looks":                                 append(slices.Clone(announced), line{Resign{}, "forgetall stopreading stop(<nil>)"}, line{Looked{Published: 8}, ""}),
		"a gap takes the place of commands that were trimmed": append(slices.Clone(taken),
			line{Skipped{9, 12}, ""}, line{arrived(12, wake), "decide(12)"}, line{Decided{12, account.Decision{}}, ""},
			line{Decided{8, account.Decision{}}, "append(8) append(gap 9-12) append(12)"},
			line{readBack(8), "credit commit(8)"}, line{gapRead(9, 12), "credit"}, line{readBack(12), "credit commit(12)"}),
		"an owner whose commands are lost waits for the operator": append(slices.Clone(taken),
			line{Continue{0, 5}, ""}, line{Lost{errors.New("beyond the end")}, "halt(beyond the end)"}, line{Ticked{Due: due.Due}, ""}, line{Measured{99}, ""},
			line{Decided{8, account.Decision{}}, "append(8)"}, line{readBack(8), "credit commit(8)"},
			line{Continue{0, 5}, "append(gap 9-5)"}, line{Continue{0, 5}, ""}, line{gapRead(9, 5), "activate(5) scan(0)"}),
		"an owner whose topic was created again waits, and begins at its start": {
			active[0], active[1],
			{Folded{nil, projections.Cursor{Next: 11, Epoch: 10, Cause: 7, Commands: "old", Owner: "n1"}}, "halt(the topic of the commands was created again: the journal is about old, the log has new)"},
			{Continue{2, 5}, "append(gap 8-2)"},
			{gapRead(8, 2), "activate(2) scan(0)"},
		},
		"an owner that continues looks at the public events as any other": {
			active[0], active[1],
			{Folded{nil, projections.Cursor{Next: 11, Epoch: 10, Cause: 7, Commands: "old", Owner: "n1", Timeline: "t1", Number: 7}}, "halt(the topic of the commands was created again: the journal is about old, the log has new)"},
			{Continue{2, 5}, "append(gap 8-2)"},
			{Folded{gapRead(8, 2).(Folded).Steps, projections.Cursor{Next: 31, Epoch: 10, Cause: 1, Commands: "new", Owner: "n1", Timeline: "t1", Number: 7}}, "look"},
			{Looked{Published: 7, Timeline: "t2"}, "activate(2) scan(0)"},
		},
		"an owner that decides nothing for long ends": append(append(slices.Clone(taken), slices.Repeat([]line{{Measured{9}, ""}}, stallLimit)...),
			line{Measured{9}, "forgetall stop(commands are waiting, but none has been decided and read back: command 8 is next, the log ends at 9)"}),
		"an owner without commands does not stall": append(slices.Clone(active), slices.Repeat([]line{{Measured{8}, ""}}, 2*stallLimit)...),
		"an owner that goes on does not stall": append(append(append(slices.Clone(taken), slices.Repeat([]line{{Measured{99}, ""}}, stallLimit)...),
			line{Decided{8, account.Decision{}}, "append(8)"}, line{readBack(8), "credit commit(8)"}), slices.Repeat([]line{{Measured{99}, ""}}, stallLimit)...),
		"what was begun and got lost is looked for, a page with each tick": append(append(slices.Clone(active), ticks...),
			line{Ticked{}, "scan(0)"}, line{page(queued, rendering("n2")), "resume(render)"},
			line{Ticked{}, "scan(2)"}, line{Ticked{}, ""}, line{page(rendering("gone")), "send(LoseRender) trim(5)"}, line{Ticked{}, ""}, line{Ticked{}, "scan(0)"}),
		"a job that has changed while its page was on its way is looked at once more": append(slices.Clone(active[:3]),
			line{arrived(8, lose), "decide(8)"}, line{Decided{8, account.Decision{}}, "append(8)"}, line{readBack(8), "credit commit(8)"},
			line{page(queued, queued), "begin(render) again(1)"}, line{Scanned{Page: page(queued).Page, Again: true}, "begin(render) scan(2)"}, line{page(queued), "begin(render) trim(5)"}),
		"a node that goes during a pass has it hurry, and another one follow": append(append(slices.Clone(active), ticks...),
			line{Ticked{}, "scan(0)"}, line{NodeGone{"n3"}, ""}, line{page(queued, queued), "resume(render) resume(render) scan(2)"}, line{NodeGone{"gone"}, ""},
			line{page(), "trim(5) scan(0)"}, line{page(rendering("gone")), "send(LoseRender) trim(6)"}),
		"a node that goes between two pages has the next one come at once": append(append(slices.Clone(active), ticks...),
			line{Ticked{}, "scan(0)"}, line{page(queued, queued), "resume(render) resume(render)"}, line{NodeGone{"gone"}, "scan(2)"}, line{page(), "trim(5) scan(0)"}),
		"no command is trimmed while a job cannot be read": append(append(slices.Clone(active), ticks...),
			line{Ticked{}, "scan(0)"}, line{unreadable, "resume(render)"}),
		"a page that comes after the owner has resigned": append(append(slices.Clone(taken), ticks...),
			line{Ticked{}, "scan(0)"}, line{Resign{}, "forgetall stopreading"}, line{page(queued), ""}),
		"an owner's command that was set aside is not sent again for long": append(slices.Clone(active),
			line{due, "send(WakeJob)"}, line{arrived(8, wake), "decide(8)"}, line{Decided{8, account.Decision{SetAside: "panic"}}, "append(8)"}, line{readBack(8), "credit commit(8)"},
			line{due, ""}, line{due, ""}, line{due, "retire scan(0)"}, line{due, ""}, line{due, ""}, line{due, "send(WakeJob)"},
			line{arrived(9, wake), "decide(9)"}, line{Decided{9, account.Decision{}}, "append(9)"}, line{readBack(9), "credit commit(9)"}, line{due, "send(WakeJob)"}),
		"the decision about a traced job is said once it cannot get lost": append(slices.Clone(active),
			line{arrived(8, events.SubmitJob{Job: theJob, Trace: events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}, Sampled: true}}), "decide(8)"},
			line{Decided{8, accepted}, "append(8)"}, line{readBack(8), "credit commit(8) reply(accepted) traced begin(render)"}),
		"the decision about a job whose trace nobody records is not": append(slices.Clone(active),
			line{arrived(8, events.SubmitJob{Job: theJob, Trace: events.Trace{ID: events.TraceID{1}, Span: events.SpanID{2}}}), "decide(8)"},
			line{Decided{8, accepted}, "append(8)"}, line{readBack(8), "credit commit(8) reply(accepted) begin(render)"}),
		"replies and effects wait until the envelope is read back": append(slices.Clone(taken),
			line{Decided{8, accepted}, "append(8)"}, line{readBack(8), "credit commit(8) reply(accepted) begin(render)"}),
		"effects that nothing asks for any more are forgotten": append(slices.Clone(taken),
			line{Decided{8, account.Decision{Forget: []job.EffectKey{render.Key()}}}, "append(8)"}, line{readBack(8), "credit commit(8) forget(render)"}),
		"envelopes leave in the order of the commands": append(slices.Clone(taken),
			line{arrived(9, wake), "decide(9)"}, line{Decided{9, accepted}, ""}, line{Decided{8, accepted}, "append(8) append(9)"}),
		"an unreadable command gets an empty envelope": append(slices.Clone(active),
			line{Arrived{Cause: 8}, "append(8)"}, line{readBack(8), "credit"}),
		"a command whose type cannot be compared": append(slices.Clone(active),
			line{arrived(8, events.PutTemplate{}), "decide(8)"}, line{Decided{8, accepted}, "append(8)"}, line{readBack(8), "credit commit(8) reply(accepted) begin(render)"}),
		"another owner's marker ends the ownership": append(slices.Clone(taken),
			line{folded(11, "n2"), "forgetall stop(another owner has announced itself)"}, line{Decided{8, accepted}, ""}, line{due, ""}),
		"another owner's marker before its own is read": {
			active[0], active[1], {folded(9, "n2"), ""}, active[2],
		},
		"a failure ends the ownership": append(slices.Clone(taken),
			line{Failed{errors.New("disk full")}, "forgetall stop(disk full)"}, line{readBack(8), ""}),
		"a resigning owner finishes what it has taken": append(slices.Clone(taken),
			line{Resign{}, "forgetall stopreading"}, line{arrived(9, wake), ""}, line{Decided{8, accepted}, "append(8)"},
			line{Ticked{}, ""}, line{Ticked{}, ""}, line{Ticked{}, ""}, line{Ticked{}, ""},
			line{readBack(8), "credit commit(8) reply(accepted) stop(<nil>)"}),
		"an idle owner resigns at once": append(slices.Clone(active), line{Resign{}, "forgetall stopreading stop(<nil>)"}),
		"whatever an owner does when its actor ends, its effects are withdrawn, once": append(slices.Clone(taken),
			line{Abandoned{}, "forgetall"}, line{Abandoned{}, ""}, line{Decided{8, accepted}, ""}),
		"those of a resigning owner are withdrawn already": append(slices.Clone(taken), line{Resign{}, "forgetall stopreading"}, line{Abandoned{}, ""}),
		"a wake is sent until it is decided": append(slices.Clone(active),
			line{due, "send(WakeJob)"}, line{due, ""}, line{due, ""}, line{Ticked{}, "send(WakeJob) scan(0)"},
			line{arrived(8, wake), "decide(8)"}, line{Decided{8, account.Decision{}}, "append(8)"}, line{readBack(8), "credit commit(8)"},
			line{Ticked{}, ""}, line{Ticked{}, ""}, line{Ticked{}, "retire"}),
		"a take-over begins what is pending, and takes renders from nodes that are gone": append(slices.Clone(active[:3]),
			line{page(queued, job.State{Phase: job.Expired, File: "f"}), "begin(render) begin(delete file) scan(2)"},
			line{page(rendering("n2"), rendering("gone")), "send(LoseRender) scan(2)"}, line{page(), "trim(5)"}),
		"a node that goes loses its renders": append(slices.Clone(active),
			line{NodeGone{"gone"}, "scan(0)"}, line{page(rendering("gone")), "send(LoseRender) trim(6)"},
			line{NodeGone{"gone"}, "scan(0)"}, line{page(rendering("gone")), "trim(6)"}),
		"a node that went before its start was decided": append(slices.Clone(taken),
			line{Decided{8, account.Decision{Held: &job.Hold{Node: "gone", Lose: lose}}}, "append(8)"}, line{readBack(8), "credit commit(8) send(LoseRender)"}),
		"an idle account's actor ends": append(slices.Clone(taken),
			line{Decided{8, account.Decision{}}, "append(8)"}, line{Ticked{}, ""}, line{Ticked{}, ""}, line{Ticked{}, ""},
			line{readBack(8), "credit commit(8)"}, line{Ticked{}, "retire scan(0)"}, line{Ticked{}, ""}),
		"commands are trimmed up to the oldest content that a job needs": append(slices.Clone(active[:3]),
			line{page(queued, job.State{Phase: job.Done, Content: 2}), "begin(render) scan(2)"}, line{page(job.State{Phase: job.Delayed, Content: 4}), "trim(4)"}),
		"a command that was set aside is not trimmed, nor what follows it": append(slices.Clone(active[:3]),
			line{page(queued, queued), "begin(render) begin(render) scan(2)"}, line{quarantine(page(), 3), "trim(3)"}),
		"what jobs need may be older than it":                                          append(slices.Clone(active[:3]), line{quarantine(page(queued), 6), "begin(render) trim(5)"}),
		"a command that was set aside since the pass began is behind its floor anyway": append(slices.Clone(active[:3]), line{quarantine(page(), 9), "trim(8)"}),
		"the first command of all may be set aside":                                    append(slices.Clone(active[:3]), line{quarantine(page(), 0), "trim(0)"}),
		"a command that was set aside is kept although a job has to be looked at again": append(slices.Clone(active[:3]),
			line{arrived(8, lose), "decide(8)"}, line{Decided{8, account.Decision{}}, "append(8)"}, line{readBack(8), "credit commit(8)"},
			line{quarantine(page(queued), 3), "again(1)"}, line{Scanned{Page: page(queued).Page, Again: true}, "begin(render) trim(3)"}),
	} {
		m := NewMachine(Settings{
			Commands: "new", Node: "n1", Window: 4, PassiveAfter: 2, SendAgain: 3, SetAsideAgain: 6, SweepEvery: 4, PageJobs: 2, Trim: true,
			Alive: func(n events.NodeID) bool { return n != "gone" },
		})
		for i, l := range script {
			if got := show(m.Step(l.in)); got != l.want {
				t.Errorf("%s: input %d (%T) gives %q, want %q", name, i, l.in, got, l.want)
			}
		}
	}
}

// Decisions are stamped by the owner's clock. Their time does not decrease, and is never far
// ahead of the clock.
func TestStamp(t *testing.T) {
	const second = events.Instant(1000)
	for name, tc := range map[string]struct {
		journal events.Instant // the time of the last accepted envelope
		now     []events.Instant
		want    []events.Instant
	}{
		"the owner's clock":             {0, []events.Instant{5_000, 6_000}, []events.Instant{5_000, 6_000}},
		"the last owner's was ahead":    {5_900, []events.Instant{5_000, 5_100, 6_000}, []events.Instant{5_900, 5_900, 6_000}},
		"by just a second":              {6_000, []events.Instant{5_000}, []events.Instant{6_000}},
		"by more than a second":         {6_001, []events.Instant{5_000}, []events.Instant{6_000}},
		"by a year":                     {1 << 35, []events.Instant{5_000, 5_500}, []events.Instant{5_000 + second, 5_500 + second}},
		"its own was set back by hours": {0, []events.Instant{1 << 24, 5_000}, []events.Instant{1 << 24, 5_000 + second}},
	} {
		m := NewMachine(Settings{})
		m.cursor.At = tc.journal
		for i, now := range tc.now {
			if got := m.stamp(now); got != tc.want[i] {
				t.Errorf("%s: at %d the stamp is %d, want %d", name, now, got, tc.want[i])
			}
		}
	}
}
