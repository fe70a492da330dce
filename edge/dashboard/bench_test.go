package dashboard

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
)

// journal is one partition that the benchmark writes.
type journal struct {
	b     *testing.B
	log   *embedded.Log
	epoch int64
	cause int64
}

func newJournal(b *testing.B) *journal {
	log, err := embedded.Open(embedded.Config{Dir: filepath.Join(b.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	j := &journal{b: b, log: log}
	j.epoch = j.append(events.Marker{Owner: "n1", Level: events.NewestLevel})
	return j
}

func (j *journal) append(e events.Entry) int64 {
	value, err := events.EncodeEntry(e)
	if err != nil {
		j.b.Fatal(err)
	}
	at, err := eventlog.AppendWait(j.b.Context(), j.log, events.TopicJournal, 0, eventlog.Record{Value: value})
	if err != nil {
		j.b.Fatal(err)
	}
	return at
}

func (j *journal) write(at events.Instant, evs ...events.Event) {
	j.append(events.Envelope{Epoch: j.epoch, Cause: j.cause, Command: events.NewCommandID(), Account: "acc_a", At: at, Events: evs})
	j.cause++
}

// open folds the journal.
func (j *journal) open() *projections.Replica {
	r, err := projections.Open(j.b.Context(), projections.Config{
		Dir: filepath.Join(j.b.TempDir(), "replica"), Log: j.log, Projections: []projections.Projection{projections.ReadModels{}}, Logger: testkit.Silent(),
	})
	if err != nil {
		j.b.Fatal(err)
	}
	j.b.Cleanup(func() { _ = r.Close() })
	r.Start()
	if err := r.CatchUp(j.b.Context(), 0); err != nil {
		j.b.Fatal(err)
	}
	return r
}

// BenchmarkPages serves pages of an account that has a million jobs, one of ten thousand of which has failed.
func BenchmarkPages(b *testing.B) {
	const (
		jobs = 1_000_000
		each = 2_000 // in an envelope
	)
	j, now := newJournal(b), time.Now()
	began := events.At(now) - jobs
	secret, hash := newSecret()
	j.write(began, events.AccountCreated{Plan: events.PlanBusiness, Anchor: began},
		events.MemberInvited{Member: "mem_a", Email: "ada@example.com", Role: events.RoleOwner},
		events.MemberJoined{Member: "mem_a", Password: "x"},
		events.SessionOpened{Session: events.Session{ID: "ses_a", Member: "mem_a", Hash: hash, Until: events.At(now.Add(time.Hour))}})
	var last events.JobID
	for n := 0; n < jobs; n += each {
		evs := make([]events.Event, 0, each+1)
		for range each {
			last = events.NewJobID()
			evs = append(evs, events.JobQueued{Job: last, Key: "key_1f0e", Operation: events.HTMLToPDF, Tags: []events.Tag{{Name: "customer", Value: strconv.Itoa(n)}}})
		}
		if n%10_000 == 0 {
			evs = append(evs, events.JobFailed{Job: last, Code: events.PageTimeout})
		}
		j.write(began+events.Instant(n+1), evs...)
	}
	d := New(Config{
		Models: j.open(), Partitions: 1, Level: func(int32) events.Level { return events.NewestLevel },
		Usage: func(events.AccountID) (Usage, error) {
			return Usage{Jobs: jobs, JobLimit: jobs, ByteLimit: 1, Start: began, End: events.At(now)}, nil
		},
		ClientOf: func(*fasthttp.RequestCtx) (string, bool) { return "127.0.0.1", true },
		Logger:   testkit.Silent(), Now: func() time.Time { return now },
	})
	for _, path := range []string{"", "/jobs", "/jobs?status=failed", "/jobs/" + last.String(), "/keys", "/members", "/trail", "/security"} {
		b.Run(strings.Replace("page"+path, last.String(), "id", 1), func(b *testing.B) {
			size := 0
			for b.Loop() {
				var ctx fasthttp.RequestCtx
				ctx.Init(&fasthttp.Request{}, nil, nil)
				ctx.Request.SetRequestURI("http://localhost" + Path + path)
				ctx.Request.Header.SetCookie("platen", cookieValue("acc_a", "ses_a", secret))
				d.Serve(&ctx)
				if size = len(ctx.Response.Body()); ctx.Response.StatusCode() != 200 {
					b.Fatalf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
				}
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
