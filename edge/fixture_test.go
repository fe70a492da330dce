package edge

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/request"
	"platen.dev/einvoice/report"
	"platen.dev/events"
	"platen.dev/events/apikey"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/store"
)

// fixture is a server over fakes of everything behind the edge, with an account that has one key.
type fixture struct {
	t      *testing.T
	url    string
	secret string

	mu       sync.Mutex
	reply    events.Reply
	err      error
	commands []events.CommandBody
	by       events.Author // of the last command
	attempts projections.WebhookLog
	jobs     map[events.JobID]projections.Job
	fresh    map[events.JobID]projections.Job // appear once the models catch up
	page     projections.JobPage
	asked    jobQuery // for that page
	caught   error
	ready    error
	hash     [32]byte
	plan     events.Plan
	rate     events.Rate
	told     []events.CommandBody
	caughtUp int
	known    bool // the read models have the key
	// foresee lists the replies that would refuse a job, one per look; room is why no jobs can be accepted.
	foresee []events.Reply
	room    error
	files   store.Files // downloadable files; nil: a text that names the file
	server  *Server
	stored  map[string][]byte // large content, sealed; noStore refuses more
	noStore error
	// unread, noCaller, noAccount and noAttempts are why jobs, keys, accounts and attempts of webhooks cannot be read.
	unread, noCaller, noAccount, noAttempts error
	// on returns the reply to a command, nil for the usual one; it may be nil.
	on func(events.CommandBody) *events.Reply
}

// newFixture starts a server whose documents can be refused.
func newFixture(t *testing.T) *fixture { return newFixtureFor(t, defaultTimeouts) }

func newFixtureFor(t *testing.T, timeouts timeouts) *fixture {
	t.Helper()
	cfg, d := fakeConfig(testkit.Silent())
	d.t, d.known = t, true
	cfg.Documents = refusableDocuments
	cfg.Open = func(ctx context.Context, name string) (io.ReadCloser, int64, error) {
		if d.files != nil {
			f, err := d.files.Open(ctx, name)
			if err != nil {
				return nil, 0, err
			}
			return f, f.Size, nil
		}
		switch name {
		case "missing":
			return nil, 0, store.ErrNotExist
		case "broken":
			return nil, 0, errors.New("the store has no space")
		}
		return io.NopCloser(strings.NewReader("content of " + name)), int64(len("content of " + name)), nil
	}
	s := newServer(cfg, timeouts)
	d.server = s
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		err := s.Shutdown(context.Background())
		_ = l.Close() // a server that has not begun to serve does not know of it
		if err := errors.Join(err, <-served); err != nil {
			t.Error(err)
		}
	})
	d.url = "http://" + l.Addr().String()
	return d
}

// refusableDocuments refuses Markdown and invoices that consist of the word bad.
var refusableDocuments = Documents{
	Placeholders: func(string) error { return nil },
	Markdown: func(source string, _ int) (string, error) {
		if source == "bad" {
			return "", errors.New("too deep")
		}
		return "<p>" + source, nil
	},
	Sanitize: func(html string, limit int) (string, error) {
		if len(html) > limit {
			return "", errors.New("too large")
		}
		return strings.ReplaceAll(html, "<script>", ""), nil
	},
	Embeds:   func(html string) bool { return strings.Contains(html, "<img") },
	Template: func(html string) string { return "safe " + html },
	Invoice: func(i request.Invoice) (ByRules, error) {
		if i.XML == "bad" {
			return nil, errors.New("not " + i.Profile)
		}
		return nil, nil
	},
}

// fakeConfig returns the configuration of a server over fakes that never fail.
func fakeConfig(log *slog.Logger) (Config, *fixture) {
	secret, key := apikey.New(apikey.Live, 1)
	d := &fixture{
		secret: secret, hash: key.Hash, reply: events.Reply{Code: events.Accepted}, plan: events.PlanBusiness,
		rate: events.Rate{Allowed: true, Limit: 2000, Remaining: 1999, Reset: events.At(time.Now().Add(time.Minute))},
		jobs: map[events.JobID]projections.Job{}, fresh: map[events.JobID]projections.Job{},
	}
	return Config{
		Accounts: Accounts{
			Jobs: service.New(service.Config{Commands: shards{d}, Now: time.Now}).Jobs, Fresh: service.NewFreshness(4, d.CatchUp), Commands: d, Models: d, Partitions: 4,
			Foresee: func(events.AccountID, events.SubmitJob) (events.Reply, bool) { return d.foreseen() },
			Room:    func() error { return d.room },
			Rate:    func(events.AccountID, events.Plan) events.Rate { return d.rate },
			Open: func(context.Context, string) (io.ReadCloser, int64, error) {
				return io.NopCloser(strings.NewReader("content")), int64(len("content")), nil
			},
		},
		Sources: Sources{
			Documents: Documents{
				Placeholders: func(string) error { return nil },
				Markdown:     func(source string, _ int) (string, error) { return "<p>" + source, nil },
				Fragment:     func(source string, _ int) (string, error) { return "<p>" + source, nil },
				Sanitize:     func(html string, _ int) (string, error) { return html, nil },
				Embeds:       func(string) bool { return false },
				Template:     func(html string) string { return html },
				Invoice:      func(request.Invoice) (ByRules, error) { return nil, nil },
				Validate:     func(request.InvoiceCheck) *report.Report { r := &report.Report{}; r.Conclude(); return r },
				Extract:      func([]byte) (*report.Extract, error) { return nil, errors.New("no invoice") },
			},
			Resolve: resolve, Seal: sealed, Content: contents{d}, Fingerprint: func(digest [32]byte) [32]byte { return digest },
			Signers: func() []ed25519.PrivateKey {
				return []ed25519.PrivateKey{ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
			},
		},
		Listening: Listening{BodyBytes: 256 << 20},
		Operations: Operations{
			Ready:   func() (string, error) { return "", d.ready },
			Metrics: func(ctx *fasthttp.RequestCtx) { text(ctx, 200, "metrics") },
		},
		Links: Links{DocsURL: "https://example.test/errors", UpgradeURL: "https://example.test/pricing", HeaderPrefix: "X-Platen"},
		Now:   time.Now, Logger: log,
	}, d
}

// contents holds the contents stored and not deleted.
type contents struct{ *fixture }

func (c contents) Put(name string, sealed []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.noStore != nil {
		return c.noStore
	}
	if c.stored == nil {
		c.stored = map[string][]byte{}
	}
	c.stored[name] = sealed
	return nil
}

func (c contents) Delete(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.stored, name)
	return c.noStore
}

// shards receives the commands of the services.
type shards struct{ *fixture }

func (d shards) DoBy(by events.Author, _ events.AccountID, body events.CommandBody) (events.Reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.commands, d.by = append(d.commands, body), by
	if d.on != nil {
		if reply := d.on(body); reply != nil {
			return *reply, nil
		}
	}
	return d.reply, d.err
}

func (shards) Append(context.Context, events.Command) (int64, error) {
	return 0, errors.New("nobody sends a command as it is")
}

func (d *fixture) foreseen() (reply events.Reply, refused bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.foresee) == 0 {
		return reply, false
	}
	reply, d.foresee = d.foresee[0], d.foresee[1:]
	return reply, true
}

func (d *fixture) Tell(_ events.AccountID, body events.CommandBody, done func(error)) {
	d.mu.Lock()
	d.told = append(d.told, body)
	d.mu.Unlock()
	done(nil)
}

func (d *fixture) Caller(hash [32]byte) (projections.Caller, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return projections.Caller{KeyRef: projections.KeyRef{Account: "acc", Key: "key"}, Plan: d.plan}, hash == d.hash && d.known, d.noCaller
}

func (d *fixture) Account(events.AccountID) (projections.Account, bool, error) {
	return projections.Account{Plan: d.plan}, true, d.noAccount
}

func sealed(_ events.JobID, plain string) events.Sealed {
	if plain == "" {
		return nil
	}
	return events.Sealed("sealed " + plain)
}

func resolve(_ context.Context, host string) error {
	switch host {
	case "intranet.test":
		return ErrBlocked
	case "nowhere.test":
		return errors.New("no such host")
	}
	return nil
}

func (d *fixture) Job(_ events.AccountID, id events.JobID) (projections.Job, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	j, ok := d.jobs[id]
	return j, ok, d.unread
}

func (d *fixture) Jobs(_ events.AccountID, f projections.Filter, after *projections.Place, most int) (projections.JobPage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = jobQuery{f, after, most}
	return d.page, d.err
}

func (d *fixture) Webhook(events.AccountID, events.JobID) (projections.WebhookLog, error) {
	return d.attempts, d.noAttempts
}

func (d *fixture) Template(events.AccountID, events.TemplateID) (projections.SavedTemplate, bool, error) {
	return projections.SavedTemplate{}, false, nil
}

func (d *fixture) CatchUp(context.Context, int32) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.caughtUp++
	d.known = true
	for id, j := range d.fresh {
		d.jobs[id] = j
	}
	return d.caught
}

// answer is a response with its body read.
type answer struct {
	*http.Response
	body string
}

func (d *fixture) do(method, path, body string, headers ...string) answer {
	d.t.Helper()
	req, err := http.NewRequest(method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("X-API-Key", d.secret)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return answer{resp, string(b)}
}

// problemOf checks the common shape of an error body and returns it.
func (a answer) problemOf(t *testing.T) problemBody {
	t.Helper()
	p := problemBody{upgrade: new(upgrade)}
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		t.Fatalf("%d %q is not a problem body: %v", a.StatusCode, a.body, err)
	}
	if a.Header.Get("Content-Type") != "application/problem+json" || p.Status != a.StatusCode || p.Detail == "" ||
		p.Error == "" || !strings.Contains(p.Type, "#") || p.RequestID == "" || p.RequestID != a.Header.Get("X-Request-Id") {
		t.Errorf("problem %+v with headers %v is incomplete", p, a.Header)
	}
	return p
}
