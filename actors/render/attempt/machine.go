// Package attempt decides what one attempt at a job does next, from the ends of its own
// steps and from what the journal says about the job. It is pure state without actors,
// clock or I/O. A Machine takes one input at a time and returns the outputs that follow.
// Package render drives it with real steps, and actors/simulation drives it through
// random schedules.
//
//	read ─▶ lease ─▶ announce ────────────▶ tell
//	              └▶ render ─▶ finish ─▶ store ─┘
//
// Rendering does not wait until the announcement is durable, but reporting the outcome
// does. An attempt's work is void unless the journal says that it holds the job, so it
// ends early when the journal says that it does not.
package attempt

import "platen.dev/events"

// Step is a piece of an attempt's work that needs I/O. Each runs at most once.
type Step uint8

// The steps.
const (
	// Read reads the content from the command log.
	Read Step = iota
	// Lease waits for a page; a test job needs none.
	Lease
	// Announce makes the StartRender durable.
	Announce
	// Render prints or captures on the page.
	Render
	// Finish applies the options that need no browser. The page has been returned by
	// then.
	Finish
	// Store makes the file durable.
	Store
	// Tell reports the outcome and waits until it is durable.
	Tell
	steps
)

// Fault is why a step failed.
type Fault struct {
	Code events.ErrorCode
	// Retryable is set when neither the page nor the caller caused the failure.
	Retryable bool
	// Infrastructure is set when something that the node depends on failed. Then another attempt is made, regardless of Retryable.
	Infrastructure bool
	// Detail tells the caller why; "" if Code says it all.
	Detail string
}

// Health is an attempt's verdict on the infrastructure of its node.
type Health uint8

// The values of Health.
const (
	// Unknown is the health after an attempt that neither stored a file nor met a fault of
	// the infrastructure.
	Unknown Health = iota
	Sound
	Faulty
)

// Input is something that happened to an attempt.
type Input interface{ isInput() }

// The inputs of a Machine.
type (
	// Start begins the attempt.
	Start struct{}
	// Done reports that a step has ended, successfully if Fault is nil. Cancelled is set
	// if it was given up because of an Abort or because the node is stopping.
	Done struct {
		Step      Step
		Fault     *Fault
		Cancelled bool
		// NoPage is set at the end of Read for a job that needs no page.
		NoPage bool
	}
	// Fact is an event about the job, now in the journal.
	Fact struct{ Event events.Event }
)

func (Start) isInput() {}
func (Done) isInput()  {}
func (Fact) isInput()  {}

// Output is something for the driver of a Machine to do. Outputs are carried out in
// order.
type Output interface{ isOutput() }

// The outputs of a Machine.
type (
	// Do runs a step. Its end is a Done.
	Do struct {
		Step Step
		// Fault is the outcome for Tell to report; nil for a file.
		Fault *Fault
	}
	// Release returns the page.
	Release struct{}
	// Abort cancels the steps under way.
	Abort struct{}
	// End ends the attempt, with no step under way. Told is set when the job needs no other attempt on this node: its outcome is durable, or another
	// attempt has the job. GivesBack is set after an announcement without an outcome: a StartRender that is decided late may still let the attempt hold
	// the job, until a LoseRender sent after it ends that.
	End struct {
		Told, GivesBack bool
		Health          Health
	}
)

func (Do) isOutput()      {}
func (Release) isOutput() {}
func (Abort) isOutput()   {}
func (End) isOutput()     {}

// Machine is one attempt.
type Machine struct {
	id      events.AttemptID
	pending [steps]bool // steps under way
	begun   [steps]bool
	leased  bool
	// announced is set once the StartRender is durable.
	announced bool
	// made is set once there is an outcome: a stored file or a fault.
	made  bool
	fault *Fault
	// void is set when the journal gave the job to another attempt or ended it, cancelled
	// when the node is stopping or a step could not begin.
	void, cancelled bool
	health          Health
	ended           bool
	out             []Output
}

// New returns the machine of an attempt.
func New(id events.AttemptID) *Machine { return &Machine{id: id} }

// Step takes an input and returns what to do. After the End it ignores every input.
func (m *Machine) Step(in Input) []Output {
	m.out = nil
	if m.ended {
		return nil
	}
	switch in := in.(type) {
	case Start:
		m.do(Read)
	case Done:
		m.onDone(in)
	case Fact:
		m.onFact(in.Event)
	}
	m.endIfIdle()
	return m.out
}

func (m *Machine) emit(o Output) { m.out = append(m.out, o) }

func (m *Machine) do(s Step) {
	m.pending[s], m.begun[s] = true, true
	m.emit(Do{Step: s})
}

func (m *Machine) onDone(in Done) {
	m.pending[in.Step] = false
	if in.Step == Render {
		m.release()
	}
	if in.Cancelled {
		m.cancel()
		return
	}
	m.diagnose(in)
	switch in.Step {
	case Read:
		m.onRead(in)
	case Lease:
		m.onLeased(in)
	case Announce:
		m.announced = true
		m.tell()
	case Tell:
	default:
		m.onMade(in)
	}
}

// diagnose notes what the end of a step says about the infrastructure. Failing to lease a page counts as such a fault, too.
func (m *Machine) diagnose(in Done) {
	switch {
	case in.Fault != nil && (in.Fault.Infrastructure || in.Step == Lease):
		m.health = Faulty
	case in.Fault == nil && in.Step == Store:
		m.health = Sound
	}
}

// onRead continues to lease a page, unless the job needs none. Content that cannot be read is an outcome, which must follow an announcement.
func (m *Machine) onRead(in Done) {
	switch {
	case m.givenUp():
	case in.Fault != nil:
		m.do(Announce)
		m.settle(in.Fault)
	case in.NoPage:
		m.work()
	default:
		m.do(Lease)
	}
}

func (m *Machine) onLeased(in Done) {
	if in.Fault != nil {
		m.cancel()
		return
	}
	m.leased = true
	if m.givenUp() {
		m.release()
		return
	}
	m.work()
}

func (m *Machine) work() {
	m.do(Announce)
	m.do(Render)
}

// next maps each step that makes the file to the one after it.
var next = map[Step]Step{Render: Finish, Finish: Store}

func (m *Machine) onMade(in Done) {
	after, more := next[in.Step]
	switch {
	case m.givenUp():
	case in.Fault != nil || !more:
		m.settle(in.Fault)
	default:
		m.do(after)
	}
}

// settle records the outcome, nil for a file.
func (m *Machine) settle(f *Fault) {
	m.made, m.fault = true, f
	m.tell()
}

// tell reports the outcome once the announcement is durable.
func (m *Machine) tell() {
	if m.announced && m.made && !m.begun[Tell] && !m.cancelled {
		m.pending[Tell], m.begun[Tell] = true, true
		m.emit(Do{Tell, m.fault})
	}
}

// onFact handles what the journal says about the job. Once the file is being stored, the
// attempt continues regardless: a stored file is deleted only after it was reported.
func (m *Machine) onFact(ev events.Event) {
	if !m.begun[Store] && m.takes(ev) && !m.givenUp() {
		m.void = true
		m.abort()
	}
}

// takes reports whether an event takes the job from the attempt for good.
func (m *Machine) takes(ev events.Event) bool {
	switch e := ev.(type) {
	case events.RenderStarted:
		return e.Attempt != m.id
	case events.RenderRequeued:
		return e.Attempt == m.id
	case events.UploadBegun, events.JobDone, events.JobFailed, events.JobForgotten:
		return !m.begun[Tell]
	}
	return false
}

// givenUp reports whether the attempt was given up.
func (m *Machine) givenUp() bool { return m.void || m.cancelled }

func (m *Machine) cancel() {
	if !m.givenUp() {
		m.abort()
	}
	m.cancelled = true
}

func (m *Machine) abort() {
	if m.pending != [steps]bool{} {
		m.emit(Abort{})
	}
}

func (m *Machine) release() {
	if m.leased {
		m.leased = false
		m.emit(Release{})
	}
}

// endIfIdle ends the attempt when nothing is under way.
func (m *Machine) endIfIdle() {
	if m.pending != [steps]bool{} {
		return
	}
	m.ended = true
	m.emit(End{Told: m.void || !m.cancelled, GivesBack: m.begun[Announce] && !m.begun[Tell], Health: m.health})
}
