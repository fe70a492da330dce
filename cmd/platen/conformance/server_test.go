package conformance

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/node"
	"platen.dev/cmd/platen/node/nodetest"
	"platen.dev/edge/openapi/openapitest"
	"platen.dev/events"
	"platen.dev/events/apikey"
)

// server is a node under test.
type server struct {
	*node.Node
	url   string
	data  string           // its directory
	now   func() time.Time // returns its time
	clock *clock           // the same, if it stands still
	// described has "METHOD /path" of every operation in the node's API description.
	// checker checks every response against that description.
	described []string
	checker   *openapitest.Checker
}

// clock is a clock that only moves when told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// passTo moves the clock forward to a moment.
func (c *clock) passTo(moment time.Time) { c.pass(moment.Sub(c.read())) }

// contractEpoch is when the still node's time begins, in a month that follows a short
// one.
var contractEpoch = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// openLive starts a node that renders, and may load pages from this machine.
func openLive(t *testing.T) *server {
	t.Helper()
	cfg := nodetest.Config(t)
	cfg.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return openServer(t, cfg, node.Options{})
}

// openStill starts a node that renders nothing and whose clock stands still. Jobs stay
// queued until a row moves them on with the commands that renderers send.
func openStill(t *testing.T) *server {
	t.Helper()
	c := &clock{now: contractEpoch}
	s := openServer(t, nodetest.Config(t), node.Options{Now: c.read})
	s.clock = c
	s.Retire()
	return s
}

func openServer(t *testing.T, cfg node.Config, o node.Options) *server {
	t.Helper()
	if o.Now == nil {
		o.Now = time.Now
	}
	n := nodetest.Start(t, cfg, o)
	t.Cleanup(http.DefaultClient.CloseIdleConnections) // Close of a node waits for them
	s := &server{Node: n, url: "http://" + n.Address(), now: o.Now, data: cfg.Data}
	s.readDescription(t)
	return s
}

// customer is an account with a key. Each row makes its own, so that rows do not disturb
// one another.
type customer struct {
	t       *testing.T
	server  *server
	account events.AccountID
	plan    events.Plan
	key     events.KeyID
	secret  string
}

func (s *server) customer(t *testing.T, plan events.Plan) *customer {
	t.Helper()
	return s.customerSince(t, plan, s.now())
}

// customerSince makes an account whose quota windows begin at an anchor.
func (s *server) customerSince(t *testing.T, plan events.Plan, anchor time.Time) *customer {
	t.Helper()
	c := &customer{t: t, server: s, account: events.NewAccountID(), plan: plan}
	c.command(events.CreateAccount{Plan: plan, Anchor: events.At(anchor)})
	c.key, c.secret = c.issue(apikey.Live)
	return c
}

// issue creates another key of the account.
func (c *customer) issue(prefix string) (events.KeyID, string) {
	c.t.Helper()
	secret, key := apikey.New(prefix, events.At(c.server.now()))
	c.command(events.IssueKey{Key: key})
	return key.ID, secret
}

// as returns the same account with another key.
func (c *customer) as(secret string) *customer {
	other := *c
	other.secret = secret
	return &other
}

// command sends a command, which the account must accept.
func (c *customer) command(body events.CommandBody) {
	c.t.Helper()
	reply, err := c.server.Commands().Do(c.account, body)
	if err != nil || reply.Code != events.Accepted {
		c.t.Fatalf("%T: %v %v", body, reply.Code, err)
	}
}

// tell sends commands one after the other in the log, with nothing between them that follows from
// one. Then it waits until they are decided and read back: a later command with a reply is
// decided after them.
func (c *customer) tell(bodies ...events.CommandBody) {
	c.t.Helper()
	durable := make(chan error, len(bodies))
	for _, body := range bodies {
		c.server.Commands().Tell(c.account, body, func(err error) { durable <- err })
	}
	for range bodies {
		if err := <-durable; err != nil {
			c.t.Fatalf("%v: %v", bodies, err)
		}
	}
	c.command(events.ChangePlan{Plan: c.plan})
}

// finish ends a job of the still node like a renderer that has stored a file.
func (c *customer) finish(job events.JobID, file events.File) {
	c.t.Helper()
	attempt := events.NewAttemptID()
	c.tell(
		events.StartRender{Job: job, Attempt: attempt, Node: c.server.ID()},
		events.FinishRender{Job: job, Attempt: attempt, File: file, Metrics: events.Metrics{PageLoad: 12, Processing: 34, Total: 56}},
	)
}

// fail ends a job of the still node like a renderer that cannot make the file.
func (c *customer) fail(job events.JobID, code events.ErrorCode) {
	c.t.Helper()
	attempt := events.NewAttemptID()
	c.tell(
		events.StartRender{Job: job, Attempt: attempt, Node: c.server.ID()},
		events.FailRender{Job: job, Attempt: attempt, Code: code},
	)
}

// usage returns the account's usage as an operator sees it.
func (c *customer) usage() service.Usage {
	c.t.Helper()
	u, err := admin.NewClient(c.server.data).Usage(c.account)
	if err != nil {
		c.t.Fatal(err)
	}
	return u
}

// submit submits the smallest job of an operation.
func (c *customer) submit(path string) events.JobID {
	c.t.Helper()
	return c.post(path, minimal(path)).accepted()
}

// stored makes a job of the still node that is done and has its file in the store.
func (c *customer) stored(path, content string) events.JobID {
	c.t.Helper()
	id := c.submit(path)
	extension := ".pdf"
	if path == htmlToImage || path == urlToImage {
		extension = ".png"
	}
	name := id.String() + "-1" + extension
	size, err := c.server.Files().Put(c.t.Context(), name, strings.NewReader(content), 1<<30)
	if err != nil {
		c.t.Fatal(err)
	}
	c.finish(id, events.File{Name: name, Size: size, Pages: 3})
	return id
}
