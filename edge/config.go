package edge

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard"
	"platen.dev/edge/request"
	"platen.dev/edge/transport"
	"platen.dev/edge/usage"
	"platen.dev/einvoice/report"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/tracing"
	"platen.dev/projections"
)

// Commands sends commands to shards when nobody waits for the reply.
type Commands interface {
	// Tell sends a command without waiting for a reply. It calls done once, with nil if
	// the command is durable.
	Tell(account events.AccountID, body events.CommandBody, done func(error))
}

// ReadModels answers reads; it is implemented by projections.Replica.
type ReadModels interface {
	// Caller finds the account of an API key by the key's hash.
	Caller(hash [32]byte) (projections.Caller, bool, error)
	Account(events.AccountID) (projections.Account, bool, error)
	Job(account events.AccountID, id events.JobID) (projections.Job, bool, error)
	// Jobs lists up to most jobs of an account, the newest first.
	Jobs(account events.AccountID, f projections.Filter, after *projections.Place, most int) (projections.JobPage, error)
	// Webhook reads what was attempted to send the webhook of a job.
	Webhook(account events.AccountID, id events.JobID) (projections.WebhookLog, error)
	// Template reads a saved block template; an empty id means the account's default.
	Template(account events.AccountID, id events.TemplateID) (projections.SavedTemplate, bool, error)
}

// ErrTooLarge means that a document would be larger than allowed.
var ErrTooLarge = errors.New("the document is too large")

// ByRules checks an e-invoice against sets of business rules, by default those of its profile. It is nil if the profile has none.
type ByRules = func(sets []string) *report.Rules

// Documents prepares content for rendering. The texts of its errors are shown to callers.
type Documents struct {
	// Markdown converts to a whole HTML document. Like Sanitize, it returns ErrTooLarge as soon as the result exceeds limit bytes.
	Markdown func(source string, limit int) (string, error)
	// Fragment converts to the body of a document, as Markdown does.
	Fragment func(source string, limit int) (string, error)
	// Sanitize returns a whole safe HTML document, "" if nothing visible is left.
	Sanitize func(html string, limit int) (string, error)
	// Embeds reports whether HTML from Sanitize or Markdown shows pictures from the network.
	Embeds func(html string) bool
	// Template returns a safe header or footer template.
	Template func(html string) string
	// Invoice returns why XML is not a valid e-invoice of a format and a profile. A valid one may be checked by business rules.
	Invoice func(i request.Invoice) (ByRules, error)
	// Validate reports on an e-invoice from any source; Extract takes one out of a PDF. Their time and memory are bounded for any input.
	Validate func(request.InvoiceCheck) *report.Report
	Extract  func(pdf []byte) (*report.Extract, error)
	// Placeholders returns an error that names the unknown placeholders in a text of a block template.
	Placeholders func(text string) error
}

// Config configures a server. Every field is required, except Dashboard and those documented as optional.
type Config struct {
	Accounts
	Sources
	Usage
	Listening
	Operations
	Links
	// Dashboard configures the members' pages; nil for none. The fields that it shares with this Config are copied into it.
	Dashboard *dashboard.Config
	Logger    *slog.Logger
	Now       func() time.Time
}

// Accounts gives the server access to accounts and their jobs.
type Accounts struct {
	Jobs       service.Jobs
	Commands   Commands
	Models     ReadModels
	Fresh      *service.Freshness
	Partitions int32
	// Foresee returns the reply that would refuse a job according to the read models.
	Foresee func(events.AccountID, events.SubmitJob) (events.Reply, bool)
	// Room returns why no more jobs can be taken at present, nil if they can. Its implementation reports that to the operator itself.
	Room func() error
	// Rate counts a request of an account on a plan.
	Rate func(events.AccountID, events.Plan) events.Rate
	// Open opens a stored file and returns its size in bytes.
	Open func(ctx context.Context, name string) (io.ReadCloser, int64, error)
}

// Sources prepare what jobs render.
type Sources struct {
	Documents Documents
	// Resolve checks the addresses of a page's host: ErrBlocked if one is not allowed,
	// another error if there are none.
	Resolve func(ctx context.Context, host string) error
	// Seal encrypts a credential of a job; "" becomes nil.
	Seal func(job events.JobID, plain string) events.Sealed
	// Content stores content that is too large for the queue.
	Content ContentStore
	// Fingerprint is a keyed hash of a request's digest.
	Fingerprint func(digest [32]byte) [32]byte
	// Signers returns the keys of evidence; the first one signs new evidence.
	Signers func() []ed25519.PrivateKey
}

// ContentStore keeps sealed content by names that events.FileName makes. Its methods take a bounded time.
type ContentStore interface {
	Put(name string, sealed []byte) error
	Delete(name string) error
}

// Usage gives the server access to the charges of accounts.
type Usage struct {
	Ledger usage.Ledger
	// QuotaWindows returns the state of an account that says which quota windows may still change.
	QuotaWindows func(events.AccountID) (usage.Live, error)
}

// Listening configures the connections of clients. Its zero value is plain HTTP with no limit on connections and no large bodies.
type Listening struct {
	// TLS encrypts the connections of clients; nil for plain HTTP.
	TLS *tls.Config
	// Connections limits the connections of clients.
	Connections transport.Connections
	// BodyBytes limits the memory for large request bodies, in bytes.
	BodyBytes int64
	// GotenbergKey is the API key of requests to ServeGotenberg that have none; "" for none.
	GotenbergKey string
}

// Operations is the operators' view of the server. All fields but Ready and Metrics may be zero.
type Operations struct {
	// Ready returns why the node cannot serve. If it can, the error is nil, and report holds lines of text.
	Ready func() (report string, err error)
	// Metrics serves /metrics.
	Metrics fasthttp.RequestHandler
	// Ops is set if operators have a listener of their own (ServeOps). Without, /metrics is served to
	// this machine.
	Ops bool
	// Console serves the pages of operators; nil for none.
	Console fasthttp.RequestHandler
	// Observe is called after every request.
	Observe func(route string, status int, took time.Duration)
	// Traces makes the spans of requests that submit jobs; nil for none.
	Traces *tracing.Tracer
}

// Links are names and addresses in responses.
type Links struct {
	// HeaderPrefix begins the names of Platen's own headers: X-Platen.
	HeaderPrefix string
	// DocsURL is the page that error types point into, UpgradeURL is where plans are changed.
	DocsURL, UpgradeURL string
}

// timeouts limits how long a connection may take for each step; tests shorten them.
type timeouts struct {
	read  time.Duration // for a whole request
	write time.Duration // for a response
	idle  time.Duration // between two requests
	wait  time.Duration // for the end of a job
	rest  time.Duration // for the rest of a request, once the server ends
}

var defaultTimeouts = timeouts{
	read:  30 * time.Second,
	write: 10 * time.Minute, // a download of 150 MB at 2 Mbit/s
	idle:  2 * time.Minute,
	wait:  contract.WaitLimit,
	rest:  5 * time.Second,
}

// maxHeader is the most bytes of the request line and the headers together.
const maxHeader = 16 << 10
