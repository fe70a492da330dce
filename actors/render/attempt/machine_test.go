package attempt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen.dev/events"
)

const own, other = events.AttemptID(1), events.AttemptID(2)

var stepNames = map[Step]string{Read: "read", Lease: "lease", Announce: "announce", Render: "render", Finish: "finish", Store: "store", Tell: "tell"}

var healthNames = map[Health]string{Sound: ", sound", Faulty: ", faulty"}

// show formats outputs as words.
func show(outs []Output) string {
	var words []string
	for _, o := range outs {
		switch o := o.(type) {
		case Do:
			word := stepNames[o.Step]
			if o.Fault != nil {
				word += ":" + string(o.Fault.Code)
			}
			words = append(words, word)
		case End:
			word := fmt.Sprintf("end(told %t%s", o.Told, healthNames[o.Health])
			if o.GivesBack {
				word += ", gives back"
			}
			words = append(words, word+")")
		default:
			words = append(words, strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", o), "attempt.")))
		}
	}
	return strings.Join(words, " ")
}

func ok(s Step) Input        { return Done{Step: s} }
func cancelled(s Step) Input { return Done{Step: s, Cancelled: true} }
func failed(s Step) Input {
	return Done{Step: s, Fault: &Fault{Code: events.RenderFailed}}
}

// Each script is a series of inputs, each with the outputs expected.
func TestScripts(t *testing.T) {
	type line struct {
		in   Input
		want string
	}
	started := []line{{Start{}, "read"}, {ok(Read), "lease"}, {ok(Lease), "announce render"}}
	for name, script := range map[string][]line{
		"a good job": append(slices.Clone(started),
			line{ok(Announce), ""}, line{Fact{events.RenderStarted{Attempt: own}}, ""}, line{ok(Render), "release finish"}, line{ok(Finish), "store"},
			line{ok(Store), "tell"}, line{ok(Tell), "end(told true, sound)"}),
		"a job faster than its announcement": append(slices.Clone(started),
			line{ok(Render), "release finish"}, line{ok(Finish), "store"}, line{ok(Store), ""}, line{ok(Announce), "tell"}, line{ok(Tell), "end(told true, sound)"}),
		"a test job needs no page": {
			{Start{}, "read"}, {Done{Step: Read, NoPage: true}, "announce render"}, {ok(Render), "finish"}, {ok(Announce), ""}, {ok(Finish), "store"},
		},
		"a failed print": append(slices.Clone(started),
			line{ok(Announce), ""}, line{failed(Render), "release tell:RENDER_FAILED"}, line{ok(Tell), "end(told true)"}),
		"a failure before the announcement": append(slices.Clone(started),
			line{failed(Render), "release"}, line{ok(Announce), "tell:RENDER_FAILED"}, line{ok(Tell), "end(told true)"}),
		"the content cannot be read": {
			{Start{}, "read"}, {failed(Read), "announce"}, {ok(Announce), "tell:RENDER_FAILED"}, {ok(Tell), "end(told true)"},
		},
		"the lease fails": {
			{Start{}, "read"}, {ok(Read), "lease"}, {failed(Lease), "end(told false, faulty)"},
		},
		"the store fails": append(slices.Clone(started),
			line{ok(Announce), ""}, line{ok(Render), "release finish"}, line{ok(Finish), "store"},
			line{Done{Step: Store, Fault: &Fault{Code: events.RenderFailed, Infrastructure: true}}, "tell:RENDER_FAILED"}, line{ok(Tell), "end(told true, faulty)"}),
		"another attempt holds the job": append(slices.Clone(started),
			line{Fact{events.RenderStarted{Attempt: other}}, "abort"}, line{cancelled(Announce), ""}, line{cancelled(Render), "release end(told true, gives back)"}),
		"the job was lost with its node, as the owner saw it": append(slices.Clone(started),
			line{ok(Announce), ""}, line{Fact{events.RenderRequeued{Attempt: own}}, "abort"}, line{cancelled(Render), "release end(told true, gives back)"}),
		"another attempt was lost": append(slices.Clone(started),
			line{Fact{events.RenderRequeued{Attempt: other}}, ""}),
		"the job ended before a page was free": {
			{Start{}, "read"}, {ok(Read), "lease"}, {Fact{events.JobFailed{}}, "abort"}, {ok(Lease), "release end(told true)"},
		},
		"a file that is being stored is reported even if another attempt holds the job, to be deleted": append(slices.Clone(started),
			line{ok(Announce), ""}, line{ok(Render), "release finish"}, line{ok(Finish), "store"},
			line{Fact{events.RenderStarted{Attempt: other}}, ""}, line{ok(Store), "tell"}, line{ok(Tell), "end(told true, sound)"}),
		"the job's failure by this attempt changes nothing": append(slices.Clone(started),
			line{ok(Announce), ""}, line{failed(Render), "release tell:RENDER_FAILED"}, line{Fact{events.JobFailed{}}, ""}, line{ok(Tell), "end(told true)"}),
		"the node stops": append(slices.Clone(started),
			line{cancelled(Announce), "abort"}, line{cancelled(Render), "release end(told false, gives back)"}),
		"the node stops during Tell": append(slices.Clone(started),
			line{ok(Announce), ""}, line{failed(Render), "release tell:RENDER_FAILED"}, line{cancelled(Tell), "end(told false)"}),
		"nothing after the end": {
			{Start{}, "read"}, {cancelled(Read), "end(told false)"}, {ok(Lease), ""}, {Fact{events.JobFailed{}}, ""},
		},
	} {
		m := New(own)
		for i, l := range script {
			if got := show(m.Step(l.in)); got != l.want {
				t.Errorf("%s: input %d (%+v) gives %q, want %q", name, i, l.in, got, l.want)
			}
		}
	}
}
