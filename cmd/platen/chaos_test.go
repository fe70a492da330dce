package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/logtest"
	"platen.dev/events/testkit"
)

// TestChaosBrief is TestChaos with few jobs.
func TestChaosBrief(t *testing.T) {
	testkit.Long(t)
	chaos(t, 60)
}

const (
	chaosCustomers = 5
	// chaosClients is the number of clients per customer. Each has one job under way.
	// With their polls they stay below the request rate of the business plan.
	chaosClients = 4
	chaosPace    = 200 * time.Millisecond
	// chaosKillEvery is the maximal number of jobs that end between two kills.
	chaosKillEvery = 50
)

// chaos sends a mix of jobs to a node while its browser is killed again and again. Every
// job that got a 202 must end as it would have without the kills: done with its own
// content, or failed with its own code. At the end nothing may be left of the killed
// browsers, in memory, among the processes or on disk.
func chaos(t *testing.T, jobs int) {
	r := testkit.Rand(t)
	m := newMachine(t, "--egress-allow", "127.0.0.0/8")
	p := m.start(t)
	run := &chaosRun{site: chaosSite(t).URL, address: p.address, ended: map[events.JobID]chaosEnd{}, moved: make(chan struct{})}
	run.openAccounts(t, m)
	run.work(t, run.jobs(r, jobs, 20)) // every part of the node has been used once
	before := settledGoroutines(t, p.address)

	killer := startKiller(t, run, p, r, min(chaosKillEvery, jobs/5))
	samples := run.sample(t, p)
	run.work(t, run.jobs(r, 0, jobs))
	killer.stop()
	checkMemory(t, samples())
	checkProcesses(t, m, p, killer)
	testkit.Eventually(t, fmt.Sprintf("the node has no more goroutines than the %d it had before", before), func() bool {
		return goroutines(t, p.address) <= before+chaosGoroutineSlack
	})
	run.checkFiles(t, m)
	run.checkUsage(t, m)
	p.stop(t)
	m.awaitNoBrowsers(t)
	checkEmpty(t, m.temp)
	checkEmpty(t, m.work())
	m.withLog(t, func(l eventlog.Log) { run.checkJournal(t, l, p.out) })
	t.Logf("%d jobs ended, %d done; %d browsers and %d renderers killed", len(run.ended), run.done(), killer.browsers, killer.renderers)
}

// chaosRun is what the clients know about their jobs.
type chaosRun struct {
	site, address string
	customers     []client
	accounts      []string

	mu    sync.Mutex
	moved chan struct{} // closed and replaced with every job that ends
	ended map[events.JobID]chaosEnd
}

// chaosEnd is how a job ended.
type chaosEnd struct {
	job  chaosJob
	from client
	ended
}

func (run *chaosRun) openAccounts(t *testing.T, m *machine) {
	t.Helper()
	for range chaosCustomers {
		id := strings.Fields(m.admin(t, "account", "create", "--plan", "business"))[2]
		run.accounts = append(run.accounts, id)
		run.customers = append(run.customers, client{strings.Fields(m.admin(t, "key", "create", id))[0]})
	}
}

// jobs returns n jobs of all kinds, numbered from first, in random order.
func (run *chaosRun) jobs(r *rand.Rand, first, n int) (all []chaosJob) {
	for i := range n {
		all = append(all, chaosJob{chaosKinds[i%len(chaosKinds)], first + i, run.site})
	}
	r.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// work has the customers send the jobs and wait for their end.
func (run *chaosRun) work(t *testing.T, jobs []chaosJob) {
	t.Helper()
	waiting := make(chan chaosJob, len(jobs))
	for _, job := range jobs {
		waiting <- job
	}
	close(waiting)
	var working sync.WaitGroup
	for i := range chaosCustomers * chaosClients {
		working.Go(func() {
			for job := range waiting {
				run.serve(t, run.customers[i%chaosCustomers], job)
			}
		})
	}
	working.Wait()
}

// serve sends a job, waits for its end and checks the result.
func (run *chaosRun) serve(t *testing.T, from client, job chaosJob) {
	id, ok := run.submit(t, from, job)
	if !ok {
		return
	}
	end := chaosEnd{job: job, from: from}
	if !patiently(func() bool { return run.look(from, id, &end.ended) }) {
		t.Errorf("job %s (%s) did not end; it is %s", id, job, end.Status)
		return
	}
	if end.Status == events.StatusDone && job.fails == "" {
		if err := run.fetch(from, id, &end); err != nil {
			t.Errorf("job %s (%s): %v", id, job, err)
		}
	}
	end.file = nil
	run.mu.Lock()
	defer run.mu.Unlock()
	run.ended[id] = end
	close(run.moved)
	run.moved = make(chan struct{})
}

func (run *chaosRun) submit(t *testing.T, from client, job chaosJob) (id events.JobID, ok bool) {
	ok = patiently(func() bool {
		given, status, err := from.post(run.address+"/"+job.operation, job.request())
		id = given
		if err != nil || status != 202 && status != 429 && status != 503 {
			t.Errorf("%s: %d %v", job, status, err)
		}
		return status == 202
	})
	if !ok {
		t.Errorf("%s was never accepted", job)
	}
	return id, ok
}

// look reports whether the job has ended.
func (run *chaosRun) look(from client, id events.JobID, into *ended) bool {
	status, answer, err := from.do("GET", run.address+"/jobs/"+id.String(), nil)
	return err == nil && status == 200 && json.Unmarshal(answer, into) == nil &&
		(into.Status == events.StatusDone || into.Status == events.StatusFailed)
}

// fetch downloads a file and checks it against its job.
func (run *chaosRun) fetch(from client, id events.JobID, end *chaosEnd) error {
	status := 0
	patiently(func() bool {
		status, end.file, _ = from.do("GET", run.address+"/jobs/"+id.String()+"/download", nil)
		return status != 0 && status != 429 && status != 503
	})
	if status != http.StatusOK {
		return fmt.Errorf("download: %d %.200s", status, end.file)
	}
	return end.job.check(end.file)
}

// patiently waits until a condition is true or patience ends. It checks slowly enough for
// the request rate.
func patiently(is func() bool) bool {
	tick := time.NewTicker(chaosPace)
	defer tick.Stop()
	for deadline := time.Now().Add(testkit.Patience); !is(); <-tick.C {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// ends returns the number of jobs that have ended, and a channel that closes when another
// one does.
func (run *chaosRun) ends() (n int, next <-chan struct{}) {
	run.mu.Lock()
	defer run.mu.Unlock()
	return len(run.ended), run.moved
}

func (run *chaosRun) done() (n int) {
	for _, end := range run.ended {
		if end.Status == events.StatusDone {
			n++
		}
	}
	return n
}

// checkJournal compares each end with the job and the journal. A job that can succeed is
// done and debited once, unless each of its attempts was killed. A job that cannot has
// failed with its own code, or because each attempt was killed, and is not debited.
func (run *chaosRun) checkJournal(t *testing.T, l eventlog.Log, out *nodetest.Output) {
	t.Helper()
	b, killed := auditJournal(t, l), readRequeued(t, l)
	for id, end := range run.ended {
		want := tally{account: b[id].account, reserved: 1, queued: 1, done: 1, debited: 1}
		if end.Status == events.StatusFailed {
			want = tally{account: b[id].account, reserved: 1, queued: 1, failed: 1, released: 1}
		}
		if *b[id] != want {
			t.Errorf("job %s (%s, %s): the journal has %+v, want %+v", id, end.job, end.Status, *b[id], want)
		}
		switch {
		case end.Status == events.StatusFailed && end.Error == events.BrowserCrashed && killed[id] == 2: // and the third
			t.Logf("job %s (%s) was killed three times", id, end.job)
		case end.Error != end.job.fails || (end.Status == events.StatusFailed) != (end.job.fails != ""):
			t.Errorf("job %s (%s) is %s %s after %d lost attempts, want %q; the node logged:\n%s",
				id, end.job, end.Status, end.Error, killed[id], end.job.fails, linesAbout(out, id))
		}
	}
	if len(b) != len(run.ended) {
		t.Errorf("%d jobs are in the journal, the clients know of %d", len(b), len(run.ended))
	}
	b.checkStates(t, l)
}

// linesAbout returns the lines that a node logged about a job.
func linesAbout(out *nodetest.Output, id events.JobID) string {
	var about strings.Builder
	for line := range strings.Lines(out.Text()) {
		if strings.Contains(line, id.String()) {
			about.WriteString(line)
		}
	}
	return about.String()
}

// readRequeued counts the RenderRequeued events of each job.
func readRequeued(t *testing.T, l eventlog.Log) map[events.JobID]int {
	t.Helper()
	counts := map[events.JobID]int{}
	for p := range l.Partitions() {
		logtest.Each(t, l, events.TopicJournal, p, func(r eventlog.Record) {
			entry, err := events.DecodeEntry(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			envelope, _ := entry.(events.Envelope) // a marker has no events
			for _, event := range envelope.Events {
				if e, ok := event.(events.RenderRequeued); ok {
					counts[e.Job]++
				}
			}
		})
	}
	return counts
}

// checkUsage compares the usage that an operator sees with the files that the clients
// got.
func (run *chaosRun) checkUsage(t *testing.T, m *machine) {
	t.Helper()
	for i, account := range run.accounts {
		want := int64(0)
		for _, end := range run.ended {
			if end.from == run.customers[i] && end.Status == events.StatusDone {
				want++
			}
		}
		if got := m.listedUnits(t, account); got != want {
			t.Errorf("account %s is shown with %d units, its clients got %d files", account, got, want)
		}
	}
}

// checkFiles waits until the store has the file of every job that is done, and no other.
func (run *chaosRun) checkFiles(t *testing.T, m *machine) {
	t.Helper()
	testkit.Eventually(t, "the store has the files of the jobs and no others", func() bool {
		found := storedFiles(filepath.Join(m.data, "files"))
		for _, path := range found {
			id, _, ok := events.ParseFileName(filepath.Base(path))
			if !ok || run.ended[id].Status != events.StatusDone {
				return false
			}
		}
		return len(found) == run.done()
	})
}

// chaosSite has the pages that URL jobs go to.
func chaosSite(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		fmt.Fprintf(w, `<!doctype html><title>%s</title><body style="background: #%s"><script>document.body.append("script wrote %[1]s")</script>`, q.Get("name"), q.Get("colour"))
	})
	mux.HandleFunc("/gone", http.NotFound)
	mux.HandleFunc("/leave", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site
}
