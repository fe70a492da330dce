package conformance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/apikey"
)

// Quotas, volume and concurrency.

var quotaRows = []row{
	{"quota/free-jobs", limitSection, "the free plan has 100 jobs a month; the next is 402, failed jobs cost nothing", proveFreeJobs},
	{"quota/larger-plans", limitSection, "the starter and the pro plan have 5,000 and 50,000 jobs a month; the next is 402", proveLargerPlans},
	{"quota/table", limitSection, "each plan's jobs, volume and concurrent jobs are those of the table", proveQuotaTable},
	{"quota/volume", limitSection, "a plan's volume: a job is accepted just below it, and refused at it", proveVolume},
	{"quota/volume-overrun", "Submitting", "a running job may end above the volume; the next is refused", proveOverrun},
	{"quota/blocks", limitSection, "extra volume is bought in blocks of 1 GB, on the business plan", proveBlocks},
	{"quota/window", limitSection, "windows follow the anchor's day and time, clamped to a month's last day", proveWindow},
	{"quota/no-calendar", limitSection, "the calendar month's end resets nothing", proveNoCalendar},
	{"quota/settled", "Submitting", "a unit is reserved at acceptance, used when done, released when failed", proveSettled},
	{"quota/image-unit", "POST /html-to-image", "an image costs one unit and its bytes, of the same quotas as PDFs", proveImageUnit},
	{"quota/file-size", limitSection, "the limit of a file's size is 150 MB, and can be raised for an account", proveFileSize},
	{"quota/concurrency-keys", keySection, "concurrent jobs are counted over all keys of an account, and of no other", proveConcurrencyOfKeys},
	{"quota/concurrency", limitSection, "3, 15, 50 and 150 jobs may be under way; the next is 429", proveConcurrency},
}

// spent is a file that has a size but does not exist: only its volume counts.
func spent(id events.JobID, size int64) events.File {
	return events.File{Name: id.String() + "-1.pdf", Size: size, Pages: 1}
}

const gib = 1 << 30

// fill submits and finishes jobs one after another, and keeps below the request rate.
func (c *customer) fill(jobs int) {
	c.t.Helper()
	for range jobs {
		id := c.submit(htmlToPDF)
		c.finish(id, spent(id, 1))
		c.server.clock.pass(7 * time.Second)
	}
}

func proveFreeJobs(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	failing := c.submit(htmlToPDF)
	c.fail(failing, events.PageTimeout)
	c.fill(98)
	s.clock.pass(time.Minute)
	last := []events.JobID{c.submit(htmlToPDF), c.submit(htmlToPDF)} // reserved units count
	c.quotaIsUsedUp()
	c.finish(last[0], spent(last[0], 1))
	c.quotaIsUsedUp()
	c.fail(last[1], events.PageTimeout) // its unit is released
	s.clock.pass(time.Minute)
	c.fill(1)
	c.quotaIsUsedUp()
	c.post(htmlToPDF, object{"html": "x", "test": true}).accepted()
}

func (c *customer) quotaIsUsedUp() {
	c.t.Helper()
	o := c.post(htmlToPDF, minimal(htmlToPDF)).problem(402, "QUOTA_EXCEEDED", "quota-exceeded: ")
	if link, _ := o["upgrade_url"].(string); !strings.HasPrefix(link, "https://") {
		c.t.Errorf("the refusal names %v", o["upgrade_url"])
	}
}

// The jobs are made by the commands that the API and the renderers send: over HTTP they
// would take minutes. Short runs leave out the longer part.
func proveLargerPlans(t *testing.T, s *server) {
	for plan, jobs := range map[events.Plan]int{events.PlanStarter: 5_000, events.PlanPro: 50_000} {
		if testing.Short() && plan == events.PlanPro {
			continue
		}
		c := s.customer(t, plan)
		c.produce(jobs - 1)
		last := c.submit(htmlToPDF)
		c.quotaIsUsedUp()
		c.finish(last, spent(last, 1))
		c.quotaIsUsedUp()
	}
}

// produce makes jobs and ends them, one batch after another. Each batch waits until the
// previous one is decided, because nothing else holds back commands without a reply.
func (c *customer) produce(jobs int) {
	c.t.Helper()
	const batch = 1_000
	for ; jobs > 0; jobs -= batch {
		durable := make(chan error, 3*batch)
		for range min(batch, jobs) {
			id, attempt := events.NewJobID(), events.NewAttemptID()
			for _, body := range []events.CommandBody{
				events.Submission{SubmitJob: events.SubmitJob{Job: id, Key: c.key, Operation: events.HTMLToPDF}, Content: events.Content{HTML: "x"}},
				events.StartRender{Job: id, Attempt: attempt, Node: c.server.ID()},
				events.FinishRender{Job: id, Attempt: attempt, File: spent(id, 1)},
			} {
				c.server.Commands().Tell(c.account, body, func(err error) { durable <- err })
			}
		}
		for range 3 * min(batch, jobs) {
			if err := <-durable; err != nil {
				c.t.Fatal(err)
			}
		}
		c.command(events.ChangePlan{Plan: c.plan}) // decided after them all
	}
}

// This row does not make half a million jobs. It reads the limits that admission uses,
// and the rows above show that it uses them.
func proveQuotaTable(t *testing.T, s *server) {
	for plan, want := range map[events.Plan][3]int64{
		events.PlanFree: {100, gib / 2, 3}, events.PlanStarter: {5_000, 10 * gib, 15},
		events.PlanPro: {50_000, 50 * gib, 50}, events.PlanBusiness: {500_000, 300 * gib, 150},
	} {
		limits := s.customer(t, plan).usage().Limits
		if got := [3]int64{limits.Jobs, limits.Bytes, limits.Running}; got != want {
			t.Errorf("%s: %v, want %v", plan, got, want)
		}
	}
}

var volumes = map[events.Plan]int64{
	events.PlanFree: gib / 2, events.PlanStarter: 10 * gib, events.PlanPro: 50 * gib, events.PlanBusiness: 300 * gib,
}

// use ends a job with a file of that size.
func (c *customer) use(bytes int64) {
	c.t.Helper()
	id := c.submit(htmlToPDF)
	c.finish(id, spent(id, bytes))
}

func (c *customer) volumeIsUsedUp() object {
	c.t.Helper()
	return c.post(htmlToPDF, minimal(htmlToPDF)).problem(429, "QUOTA_BYTES_EXCEEDED", "quota-bytes-exceeded: ")
}

func proveVolume(t *testing.T, s *server) {
	for plan, volume := range volumes {
		c := s.customer(t, plan)
		c.use(volume - 1)
		c.use(1) // one byte was left
		c.volumeIsUsedUp()
		c.post(htmlToPDF, object{"html": "x", "test": true}).accepted()
	}
}

func proveOverrun(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	first, second := c.submit(htmlToPDF), c.submit(htmlToPDF)
	c.finish(first, spent(first, gib/2))
	c.volumeIsUsedUp()
	c.finish(second, spent(second, gib/2))
	c.is(second, object{"status": "done"})
	if u := c.usage(); u.Bytes != gib {
		t.Errorf("%d bytes are used, want %d", u.Bytes, gib)
	}
}

func proveBlocks(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	c.use(300 * gib)
	c.volumeIsUsedUp()
	c.command(events.SetVolumeBlocks{Blocks: 2})
	c.use(2*gib - 1)
	c.use(1)
	c.volumeIsUsedUp()
	pro := s.customer(t, events.PlanPro)
	if reply, err := s.Commands().Do(pro.account, events.SetVolumeBlocks{Blocks: 1}); err != nil || reply.Code != events.PlanRequired {
		t.Errorf("a block on the pro plan: %v %v", reply.Code, err)
	}
}

// nextMonth moves the clock month by month, to noon of the first day, until it reaches
// the given month.
func (s *server) nextMonth(month time.Month) time.Time {
	now := s.now()
	first := time.Date(now.Year(), now.Month(), 1, 12, 0, 0, 0, time.UTC)
	for first = first.AddDate(0, 1, 0); first.Month() != month; {
		first = first.AddDate(0, 1, 0)
	}
	s.clock.passTo(first)
	return first
}

// The anchor is 31 January, 09:00: the windows begin on 28 or 29 February, 31 March …
func proveWindow(t *testing.T, s *server) {
	february := s.nextMonth(time.February)
	anchor := time.Date(february.Year(), 1, 31, 9, 0, 0, 0, time.UTC)
	c := s.customerSince(t, events.PlanFree, anchor)
	for _, reset := range []time.Time{
		time.Date(february.Year(), 3, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, -1),
		time.Date(february.Year(), 3, 31, 9, 0, 0, 0, time.UTC),
		time.Date(february.Year(), 4, 30, 9, 0, 0, 0, time.UTC),
	} {
		c.use(gib / 2)
		if o := c.volumeIsUsedUp(); o["retry_after_seconds"] != reset.Sub(s.now()).Seconds() {
			t.Errorf("retry after %v s, want %v: at %s", o["retry_after_seconds"], reset.Sub(s.now()).Seconds(), reset)
		}
		s.clock.passTo(reset.Add(-time.Millisecond))
		c.volumeIsUsedUp()
		s.clock.passTo(reset)
	}
	c.use(1)
}

func proveNoCalendar(t *testing.T, s *server) {
	s.nextMonth(time.June)
	s.clock.pass(14 * 24 * time.Hour)
	c := s.customer(t, events.PlanFree)
	c.use(gib / 2)
	s.nextMonth(time.July)
	c.volumeIsUsedUp()
	s.clock.pass(15 * 24 * time.Hour)
	c.use(1)
}

func proveSettled(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	standing := func(reserved, used, bytes int64) {
		t.Helper()
		if u := c.usage(); u.Reserved != reserved || u.Used != used || u.Bytes != bytes || u.Running != reserved {
			t.Errorf("usage is %+v, want %d reserved, %d used, %d bytes", u.Usage, reserved, used, bytes)
		}
	}
	done, failed := c.submit(htmlToPDF), c.submit(htmlToPDF)
	standing(2, 0, 0)
	c.finish(done, spent(done, 7))
	standing(1, 1, 7)
	c.fail(failed, events.PageTimeout)
	standing(0, 1, 7)
}

func proveImageUnit(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	for i, path := range allOperations {
		id := c.submit(path)
		c.finish(id, spent(id, 10))
		if u := c.usage(); u.Used != int64(i+1) || u.Bytes != int64(10*(i+1)) {
			t.Errorf("after %s: %d units and %d bytes", path, u.Used, u.Bytes)
		}
	}
}

func proveFileSize(t *testing.T, s *server) {
	for _, plan := range events.Plans() {
		c := s.customer(t, plan)
		if got := c.usage().MaxFile; got != 150<<20 {
			t.Errorf("%s: a file may have %d bytes", plan, got)
		}
		c.command(events.LimitFiles{Bytes: 200 << 20})
		if got := c.usage().MaxFile; got != 200<<20 {
			t.Errorf("%s: raised to %d bytes", plan, got)
		}
	}
}

func proveConcurrency(t *testing.T, s *server) {
	for plan, limit := range map[events.Plan]int{events.PlanFree: 3, events.PlanStarter: 15, events.PlanPro: 50, events.PlanBusiness: 150} {
		c := s.customer(t, plan)
		var first events.JobID
		for i := range limit {
			if id := c.submit(htmlToPDF); i == 0 {
				first = id
			}
		}
		o := c.post(htmlToPDF, minimal(htmlToPDF)).problem(429, "CONCURRENCY_LIMIT_EXCEEDED", "concurrency-limit: ")
		if fmt.Sprint(o["retry_after_seconds"]) != "5" {
			t.Errorf("%s: retry after %v s, want 5", plan, o["retry_after_seconds"])
		}
		link, _ := o["upgrade_url"].(string)
		if o["plan"] != string(plan) || o["limit"] != float64(limit) || o["in_flight"] != float64(limit) || !strings.HasPrefix(link, "https://") {
			t.Errorf("%s: the refusal names %v, %v of %v and %v", plan, o["plan"], o["in_flight"], o["limit"], o["upgrade_url"])
		}
		c.post(htmlToPDF, object{"html": "x", "test": true}).accepted() // test jobs don't count
		c.finish(first, spent(first, 1))
		c.submit(htmlToPDF)
		c.post(htmlToPDF, minimal(htmlToPDF)).status(429)
	}
}

func proveConcurrencyOfKeys(t *testing.T, s *server) {
	c, other := s.customer(t, events.PlanFree), s.customer(t, events.PlanFree)
	_, second := c.issue(apikey.Test)
	c.submit(htmlToPDF)
	c.as(second).submit(htmlToPDF)
	c.as(second).submit(htmlToPDF)
	for _, key := range []*customer{c, c.as(second)} {
		key.post(htmlToPDF, minimal(htmlToPDF)).problem(429, "CONCURRENCY_LIMIT_EXCEEDED", "concurrency-limit: ")
	}
	other.submit(htmlToPDF)
}
