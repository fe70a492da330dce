// Package historytest writes the journal of a service that has run for months, for tests and
// benchmarks. It writes what owners would have decided, without deciding: many jobs per envelope,
// so that ten million of them take minutes.
package historytest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
)

// Config says what is written.
type Config struct {
	Log eventlog.Log
	// Accounts share the jobs evenly.
	Accounts int
	// JobsPerDay are accepted and done on each day, Batch of them in an envelope.
	JobsPerDay, Batch int
	// Begin is the first day.
	Begin time.Time
	// Young writes nothing more of jobs whose files may still be downloaded.
	Young bool
	// Durable is called after every few thousand durable envelopes, so that readers can keep up. It
	// may be nil.
	Durable func() error
}

// Writer writes one day after another. It belongs to one goroutine.
type Writer struct {
	cfg    Config
	epochs []int64
	causes []int64
	day    int

	slots   chan struct{} // one for each append under way
	pending sync.WaitGroup
	mu      sync.Mutex
	err     error // the first error of an append; guarded by mu
}

const (
	// inFlight bounds the appends under way.
	inFlight = 4096
	// flushEvery is the number of batches of jobs after which to wait for durability.
	flushEvery = 4096
)

// New announces an owner of all partitions and opens the accounts.
func New(cfg Config) (*Writer, error) {
	n := cfg.Log.Partitions()
	w := &Writer{cfg: cfg, epochs: make([]int64, n), causes: make([]int64, n), slots: make(chan struct{}, inFlight)}
	for p := range n {
		w.append(p, events.Marker{Owner: "historytest", Level: events.NewestLevel})
	}
	for a := range cfg.Accounts {
		id := w.account(a)
		w.envelope(id, w.at(0), events.AccountCreated{Plan: events.PlanBusiness, Anchor: w.at(0)},
			events.KeyIssued{Key: events.Key{ID: "key_1", Hash: hash(a), Prefix: "sk_live_", LastFour: "abcd", Created: w.at(0)}})
	}
	return w, w.Flush()
}

func (w *Writer) account(number int) events.AccountID {
	return events.AccountID(fmt.Sprintf("acc_%08d", number%w.cfg.Accounts))
}

func hash(account int) (h [32]byte) {
	binary.BigEndian.PutUint64(h[:], uint64(account)*0x9e3779b97f4a7c15+1)
	return h
}

// at returns an instant of the present day, given as a fraction of it.
func (w *Writer) at(part float64) events.Instant {
	return events.At(w.cfg.Begin.Add(time.Duration((float64(w.day) + part) * float64(24*time.Hour))))
}

// Day writes the next day: its jobs, the ends of the files of the day before, and the ends of the
// jobs whose status may no longer be read.
func (w *Writer) Day() error {
	batches := w.cfg.JobsPerDay / w.cfg.Batch
	life := int(contract.StatusLife/(24*time.Hour)) + 1
	for b := range batches {
		at := w.at(float64(b) / float64(batches))
		var evs []events.Event
		for j := range w.cfg.Batch {
			evs = append(evs, w.life(w.job(w.day, b, j), at)...)
		}
		w.envelope(w.account(b), at, evs...)
		if !w.cfg.Young {
			w.ends(w.day-2, b, at, expired)
			w.ends(w.day-life-1, b, at, forgotten)
		}
		if b%flushEvery == flushEvery-1 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
	w.day++
	return w.Flush()
}

// job returns the id of a job.
func (w *Writer) job(day, batch, number int) (id events.JobID) {
	n := uint64((day*(w.cfg.JobsPerDay/w.cfg.Batch)+batch)*w.cfg.Batch + number)
	binary.BigEndian.PutUint64(id[:], (n+1)*0x9e3779b97f4a7c15) // spread like random ids
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

// life returns the events of a job until its file is stored.
func (w *Writer) life(id events.JobID, at events.Instant) []events.Event {
	queued := events.JobQueued{Job: id, Key: "key_1", Operation: events.HTMLToPDF, Window: w.cfg.window()}
	if id[15]%2 == 0 {
		queued.Idempotency = &events.Idempotency{Key: id.String(), Fingerprint: [32]byte(append(id[:], id[:]...))}
	}
	attempt := events.AttemptID(binary.BigEndian.Uint64(id[:]) | 1)
	return []events.Event{
		events.QuotaReserved{Job: id, Window: w.cfg.window()},
		queued,
		events.RenderStarted{Job: id, Attempt: attempt, Node: "historytest", Deadline: at.Add(10 * time.Minute)},
		events.JobDone{
			Job: id, File: events.File{Name: id.String() + "-" + attempt.String() + ".pdf", Size: 51_234, Pages: 2},
			Metrics: events.Metrics{PageLoad: 12, Processing: 80, Total: 210}, Expires: at.Add(contract.FileLife),
			FileURL: "https://api.example.com/jobs/" + id.String() + "/download",
			Origin:  events.JobOrigin{Key: "key_1", Operation: events.HTMLToPDF},
		},
		events.QuotaDebited{Job: id, Window: w.cfg.window(), Bytes: 51_234},
	}
}

func (c Config) window() events.Instant { return events.At(c.Begin) }

func expired(id events.JobID) []events.Event {
	return []events.Event{events.FileExpired{Job: id}, events.FileDeleted{Job: id}}
}

func forgotten(id events.JobID) []events.Event { return []events.Event{events.JobForgotten{Job: id}} }

// ends writes what happens to the jobs of an earlier day.
func (w *Writer) ends(day, batch int, at events.Instant, of func(events.JobID) []events.Event) {
	if day < 0 {
		return
	}
	var evs []events.Event
	for j := range w.cfg.Batch {
		evs = append(evs, of(w.job(day, batch, j))...)
	}
	w.envelope(w.account(batch), at, evs...)
}

func (w *Writer) envelope(id events.AccountID, at events.Instant, evs ...events.Event) {
	p := events.Partition(id, w.cfg.Log.Partitions())
	var command events.CommandID
	binary.BigEndian.PutUint64(command[:], uint64(p))
	binary.BigEndian.PutUint64(command[8:], uint64(w.causes[p]))
	w.append(p, events.Envelope{
		Epoch: w.epochs[p], Cause: w.causes[p], Command: command, Account: id, At: at,
		Reply: &events.Reply{Code: events.Accepted}, Events: evs,
	})
	w.causes[p]++
}

// End writes that the commands were lost, so that a node that finds none continues with the first.
func (w *Writer) End() error {
	for p := range w.cfg.Log.Partitions() {
		w.append(p, events.Gap{Epoch: w.epochs[p], From: w.causes[p], To: 0})
		w.causes[p] = 0
	}
	return w.Flush()
}

func (w *Writer) append(p int32, entry events.Entry) {
	value, err := events.EncodeEntry(entry)
	if err != nil {
		w.fail(err)
		return
	}
	w.slots <- struct{}{}
	w.pending.Add(1)
	w.cfg.Log.Append(events.TopicJournal, p, eventlog.Record{Value: value}, func(_ int64, err error) {
		defer w.pending.Done()
		<-w.slots
		if err != nil {
			w.fail(err)
		}
	})
}

func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = errors.Join(w.err, err)
}

// Flush waits until what was written is durable.
func (w *Writer) Flush() error {
	w.pending.Wait()
	w.mu.Lock()
	err := w.err
	w.mu.Unlock()
	if err == nil && w.cfg.Durable != nil {
		err = w.cfg.Durable()
	}
	return err
}
