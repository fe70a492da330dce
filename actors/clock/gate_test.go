package clock

import (
	"testing"
	"time"
)

// bench is a gate with both of its clocks.
type bench struct {
	t             *testing.T
	gate          *Gate
	passed, ahead time.Duration // since the start; the system clock's lead over true time
	say           Testimony
}

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newBench(t *testing.T) *bench { return &bench{t: t, gate: New(start, start)} }

func (b *bench) steady() time.Time { return start.Add(b.passed) }
func (b *bench) wall() time.Time   { return b.steady().Add(b.ahead) }

// begin sets the age of the newest record, by true time.
func (b *bench) begin(old time.Duration) { b.gate.Begin(b.steady().Add(-old), b.steady(), b.wall()) }

// expect waits, and checks how far the gate's time is ahead of true time, and its doubt.
func (b *bench) expect(what string, wait, want time.Duration, doubt Doubt) {
	b.t.Helper()
	b.passed += wait
	now, doubted := b.gate.Read(b.steady(), b.wall())
	if doubted {
		now = b.gate.Judge(b.say)
	}
	if got := now.Sub(b.steady()); got != want {
		b.t.Errorf("%s: the time is %s ahead, want %s", what, got, want)
	}
	if got, _ := b.gate.Doubt(); got != doubt {
		b.t.Errorf("%s: doubt %d, want %d", what, got, doubt)
	}
}

// A jump of the system's clock is believed after it has lasted, unless other nodes contradict it. Small steps are followed at once.
func TestJump(t *testing.T) {
	b := newBench(t)
	b.begin(0)
	b.expect("at rest", time.Hour, 0, None)
	b.ahead = MaxStep
	b.expect("after a step", time.Second, MaxStep, None)
	b.ahead += MaxStep + 1
	b.expect("after a jump", time.Second, MaxStep, Jumped)
	b.expect("shortly before it is believed", SettleAfter-1, MaxStep, Jumped)
	b.expect("when it is believed", 1, b.ahead, None)
	before := b.ahead
	b.ahead -= 26 * time.Hour
	b.expect("after a jump back", time.Second, before, Jumped)
	b.ahead = before
	b.expect("when it was a mistake", 20*time.Second, before, None)
	b.ahead -= 26 * time.Hour
	b.expect("after another jump back", time.Second, before, Jumped)
	b.say.Word = Doubted
	b.expect("as long as others speak against it", time.Hour, before, Jumped)
	b.say.Word = Unknown
	b.expect("when they do not any more", time.Second, b.ahead, None)
	b.ahead = before
	b.say.Word = Backed
	b.expect("after a jump to the time of the others", time.Second, before, None)
}

// A jump counts from when the clock runs evenly again.
func TestAJumpSettles(t *testing.T) {
	b := newBench(t)
	b.ahead = 10 * time.Second
	b.expect("after a jump", time.Second, 0, Jumped)
	b.ahead += MaxStep
	b.expect("after a small step more", SettleAfter-1, 0, Jumped)
	b.ahead += MaxStep + 1
	b.expect("after another jump", 1, 0, Jumped)
	b.expect("before that one has settled", SettleAfter-1, 0, Jumped)
	b.expect("when it has", 1, b.ahead, None)
}

// A jump far ahead is held until it is confirmed, however long it lasts.
func TestAJumpFarAhead(t *testing.T) {
	for name, tc := range map[string]struct {
		ahead   time.Duration
		say     Testimony
		doubt   Doubt
		follows bool
	}{
		"at the bound":                         {MaxUnproven, Testimony{}, Jumped, true},
		"beyond it":                            {MaxUnproven + 1, Testimony{}, Held, false},
		"synchronised":                         {MaxUnproven + 1, Testimony{Synchronised: true}, Held, true},
		"synchronised, and others contradict":  {MaxUnproven + 1, Testimony{Synchronised: true, Word: Doubted}, Held, false},
		"others hold an earlier time, as ours": {25 * time.Hour, Testimony{Known: true, Others: -24 * time.Hour}, Held, false},
	} {
		b := newBench(t)
		b.begin(0)
		b.ahead, b.say = tc.ahead, tc.say
		b.expect(name+": at once", time.Second, 0, tc.doubt)
		want, doubt := time.Duration(0), tc.doubt
		if tc.follows {
			want, doubt = tc.ahead, None
		}
		b.expect(name+": after a day", 24*time.Hour, want, doubt)
	}
	b := newBench(t)
	b.ahead, b.say.Word = 25*time.Hour, Backed
	b.expect("backed by others", 0, b.ahead, None)
}

// The first reading is compared with the newest record.
func TestFirstReading(t *testing.T) {
	for name, tc := range map[string]struct {
		old, ahead time.Duration
		say        Testimony
		want       time.Duration // how far the time is ahead of true time
		doubt      Doubt
	}{
		"it is right":                {old: 10 * time.Minute, want: 0},
		"ahead, at the bound":        {ahead: MaxUnproven, want: MaxUnproven},
		"ahead, beyond it":           {ahead: MaxUnproven + 1, want: 0, doubt: Held},
		"away for a weekend":         {old: 60 * time.Hour, want: -60 * time.Hour, doubt: Held},
		"a weekend, synchronised":    {old: 60 * time.Hour, say: Testimony{Synchronised: true}, want: 0},
		"a weekend, backed":          {old: 60 * time.Hour, say: Testimony{Word: Backed}, want: 0},
		"synchronised and doubted":   {old: 60 * time.Hour, say: Testimony{Synchronised: true, Word: Doubted}, want: -60 * time.Hour, doubt: Held},
		"behind, at the bound":       {ahead: -MaxBehind, want: -MaxBehind},
		"behind, beyond it":          {ahead: -MaxBehind - 1, want: -MaxBehind - 1, doubt: Behind},
		"behind, synchronised":       {ahead: -time.Hour, say: Testimony{Synchronised: true}, want: -time.Hour},
		"behind, backed":             {ahead: -time.Hour, say: Testimony{Word: Backed}, want: -time.Hour},
		"behind, and others say so":  {ahead: -time.Hour, say: Testimony{Synchronised: true, Word: Doubted}, want: -time.Hour, doubt: Behind},
		"others began earlier":       {ahead: 25 * time.Hour, old: time.Hour, say: Testimony{Known: true, Others: -25*time.Hour - time.Minute}, want: -time.Minute, doubt: Held},
		"others are no further":      {ahead: 25 * time.Hour, old: time.Hour, say: Testimony{Known: true, Others: -26*time.Hour + MaxStep}, want: -time.Hour, doubt: Held},
		"others are ahead of it all": {ahead: 25 * time.Hour, say: Testimony{Known: true, Others: time.Hour}, want: 0, doubt: Held},
	} {
		b := newBench(t)
		b.ahead, b.say = tc.ahead, tc.say
		b.begin(tc.old)
		b.expect(name, 0, tc.want, tc.doubt)
		if tc.doubt != Behind { // TestClockCatchesUp
			b.expect(name+", an hour later", time.Hour, tc.want, tc.doubt)
		}
	}
}

// Without a record there is nothing to lose.
func TestNoRecord(t *testing.T) {
	b := newBench(t)
	b.ahead = 25 * time.Hour
	b.gate.Begin(time.Time{}, b.steady(), b.wall())
	b.expect("a first start", 0, b.ahead, None)
}

// A held clock is followed when it is corrected, and once something synchronises it.
func TestHeldClockIsMended(t *testing.T) {
	b := newBench(t)
	b.ahead = 25 * time.Hour
	b.begin(time.Minute)
	b.expect("held", 0, -time.Minute, Held)
	b.ahead = 0
	b.expect("put right", time.Second, -time.Minute, Jumped)
	b.expect("when that has settled", SettleAfter, 0, None)

	b = newBench(t)
	b.begin(60 * time.Hour)
	b.expect("held", 0, -60*time.Hour, Held)
	b.say.Synchronised = true
	b.expect("synchronised", time.Second, 0, None)
}

// A clock that is behind is followed when it has reached the newest record, but not if it has jumped far beyond.
func TestClockCatchesUp(t *testing.T) {
	b := newBench(t)
	b.ahead = -time.Hour
	b.begin(0)
	b.expect("behind", 0, -time.Hour, Behind)
	b.say.Word = Doubted
	b.expect("as others say", time.Minute-1, -time.Hour, Behind)
	b.say.Word = Unknown
	b.expect("shortly before it is there", time.Hour-time.Minute-MaxBehind, -time.Hour, Behind)
	b.expect("when it is", 1, -time.Hour, None)

	b = newBench(t)
	b.ahead = -time.Hour
	b.begin(0)
	b.ahead = 25 * time.Hour
	b.expect("when it is far ahead instead", time.Minute, 0, Held)
}

// Anything made while a clock is held may have to last from the time that this clock shows.
func TestLatest(t *testing.T) {
	for ahead, want := range map[time.Duration]time.Duration{
		MaxUnproven: MaxUnproven, MaxUnproven + 1: MaxUnproven + 1, MaxLatest: MaxLatest, MaxLatest + 1: MaxLatest, -time.Hour: -time.Hour,
	} {
		b := newBench(t)
		b.ahead = ahead
		b.begin(0)
		if got := b.gate.Latest().Sub(b.steady()); got != want {
			t.Errorf("by a clock that is %s ahead, the latest time is %s ahead, want %s", ahead, got, want)
		}
	}
	b := newBench(t)
	b.ahead = MaxUnproven
	b.expect("a jump that settles", 0, 0, Jumped)
	if got := b.gate.Latest(); !got.Equal(b.steady()) {
		t.Errorf("after a small jump the latest time is %s", got)
	}
}

// An operator's word is enough for any clock.
func TestAccept(t *testing.T) {
	for _, ahead := range []time.Duration{-time.Hour, 25 * time.Hour} {
		b := newBench(t)
		b.ahead, b.say.Word = ahead, Doubted
		b.begin(0)
		b.expect("before", 0, min(ahead, 0), map[bool]Doubt{true: Behind, false: Held}[ahead < 0])
		b.gate.Accept(b.steady(), b.wall())
		b.expect("afterwards", time.Second, ahead, None)
	}
}
