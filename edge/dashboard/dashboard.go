// Package dashboard serves the pages of an account's members: what its jobs do, its keys, and who may sign in. It
// changes nothing but by the commands that the API sends too, and reads the same read models.
package dashboard

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/singleflight"

	"platen.dev/events"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// Path is where the dashboard is.
const Path = "/dashboard"

// Commands sends commands to the shards of their accounts.
type Commands interface {
	// DoBy returns the shard's reply to an author's command. An error means that none came, and that the
	// command may be sent again.
	DoBy(by events.Author, account events.AccountID, body events.CommandBody) (events.Reply, error)
}

// ReadModels answers reads; it is implemented by projections.Replica.
type ReadModels interface {
	Account(events.AccountID) (projections.Account, bool, error)
	Team(events.AccountID) (team.Team, error)
	// Memberships lists the accounts that a folded email address is a member of.
	Memberships(email string, most int) ([]projections.Membership, error)
	// HandleOwner returns the member whose passkeys know it by a handle.
	HandleOwner(handle [32]byte) (projections.Membership, bool, error)
	Trail(account events.AccountID, most int) ([]projections.TrailEntry, error)
	Job(events.AccountID, events.JobID) (projections.Job, bool, error)
	Jobs(account events.AccountID, f projections.Filter, after *projections.Place, most int) (projections.JobPage, error)
	Webhook(events.AccountID, events.JobID) (projections.WebhookLog, error)
	// Template is a saved block template.
	Template(events.AccountID, events.TemplateID) (projections.SavedTemplate, bool, error)
	// TemplateHistory lists its versions, the newest first.
	TemplateHistory(events.AccountID, events.TemplateID) ([]projections.NumberedVersion, error)
	CatchUp(ctx context.Context, partition int32) error
}

// Usage is what an account uses, by the live state.
type Usage struct {
	Jobs, JobLimit       int64 // used and reserved
	Bytes, ByteLimit     int64
	Start, End           events.Instant
	Tests                int64 // on Day
	Running, MostRunning int64
	RequestsPerMinute    int64
}

// Config is what a dashboard needs. Every field must be set but URL, SignIn and Mail.
type Config struct {
	Commands   Commands
	Models     ReadModels
	Partitions int32
	// Usage is the live state of an account.
	Usage func(events.AccountID) (Usage, error)
	// Ledger is what accounts were charged.
	Ledger   Ledger
	Jobs     Jobs
	Webhooks Webhooks
	Log      JobLog
	// Templates shows e-invoices by block templates.
	Templates Templates
	Seal      Sealer
	// SignIn signs members in at a provider that they know as ProviderName; nil if there is none.
	SignIn       SignIn
	ProviderName string
	// Mail sends links to members; nil if nothing does.
	Mail Mailer
	// Download sends the file of a job, or returns why not in words.
	Download func(ctx *fasthttp.RequestCtx, account events.AccountID, id events.JobID) (status int, title, detail string)
	// Open opens a stored file and returns its size; Picture is one of its pages as a PNG of at most a width in pixels.
	Open    func(ctx context.Context, name string) (io.ReadCloser, int64, error)
	Picture func(ctx context.Context, file []byte, page, width int) (png []byte, err error)
	// ClientOf is the address of a client, and whether it is this machine and no proxy.
	ClientOf func(ctx *fasthttp.RequestCtx) (address string, local bool)
	// URL is where browsers reach the node, such as https://pdf.example; "" if that is not known.
	URL string
	// TLS is set if the node encrypts the connections of clients itself.
	TLS bool
	// Demo are accounts that are signed in to with one click on this machine.
	Demo                map[events.Plan]events.AccountID
	DocsURL, UpgradeURL string
	Logger              *slog.Logger
	Now                 func() time.Time
}

// Dashboard serves the pages.
type Dashboard struct {
	cfg      Config
	password *passwords
	attempts *attempts
	letters  *attempts // those that the members of an account have sent
	live     *live
	looks    *looks
	// logs bounds how many pages read the log at once.
	logs *bounded
	// tests bounds how many test webhooks are sent at once.
	tests *bounded
	// previews bounds how many previews of templates are asked for at once.
	previews *bounded
	// catchUps merges concurrent waits for the read models, by partition.
	catchUps singleflight.Group
}

// New makes a dashboard.
func New(cfg Config) *Dashboard {
	return &Dashboard{
		cfg: cfg, password: newPasswords(), attempts: &attempts{}, letters: &attempts{}, live: newLive(), looks: newLooks(),
		logs: newBounded(logsPerNode, logsPerAccount), tests: newBounded(testsPerNode, testsPerAccount), previews: newBounded(previewsPerNode, previewsPerAccount),
	}
}

// Close ends the pages that are kept up to date.
func (d *Dashboard) Close() { d.live.close() }

// Serves reports whether a path is the dashboard's.
func Serves(path string) bool { return path == Path || strings.HasPrefix(path, Path+"/") }

// Serve serves a request for one of the dashboard's paths.
func (d *Dashboard) Serve(ctx *fasthttp.RequestCtx) {
	SetHeaders(ctx)
	path := strings.TrimPrefix(string(ctx.URI().PathOriginal()), Path)
	if asset, ok := strings.CutPrefix(path, "/assets/"); ok {
		ServeAsset(ctx, asset)
		return
	}
	if !d.safe(ctx) {
		d.toSafety(ctx)
		return
	}
	if !ctx.IsGet() && !ctx.IsHead() && (!ctx.IsPost() || !SameOrigin(&ctx.Request.Header)) {
		d.message(ctx, 403, "origin")
		return
	}
	if d.public(ctx, path) {
		return
	}
	v, ok := d.visitor(ctx)
	if !ok {
		d.toSignIn(ctx)
		return
	}
	if ctx.IsPost() && !v.tokenFits(ctx.PostArgs().Peek("token")) {
		d.message(ctx, 403, "origin")
		return
	}
	d.page(ctx, v, path)
}

// SetHeaders sets what every response has. Pages hold what only the member may see.
func SetHeaders(ctx *fasthttp.RequestCtx) {
	h := &ctx.Response.Header
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-store")
	h.Set("X-Robots-Tag", "noindex")
}

// route is a page, or an action, of a member.
type route struct {
	// may are the roles that may have it.
	may   []events.Role
	serve func(d *Dashboard, ctx *fasthttp.RequestCtx, v visitor)
}

var (
	anyone     = events.Roles()
	developers = []events.Role{events.RoleOwner, events.RoleDeveloper}
	owners     = []events.Role{events.RoleOwner}
)

// routes are the pages and actions, by method and path below Path.
var routes = map[string]route{
	"GET ":                          {anyone, (*Dashboard).home},
	"GET /live":                     {anyone, (*Dashboard).homeLive},
	"GET /jobs":                     {anyone, (*Dashboard).jobs},
	"GET /usage":                    {anyone, (*Dashboard).usage},
	"GET /usage.csv":                {anyone, (*Dashboard).usageCSV},
	"GET /usage/entries":            {anyone, (*Dashboard).entries},
	"GET /keys":                     {developers, (*Dashboard).keys},
	"POST /keys":                    {developers, (*Dashboard).makeKey},
	"POST /keys/revoke":             {developers, (*Dashboard).revokeKey},
	"GET /webhooks":                 {developers, (*Dashboard).webhooks},
	"POST /webhooks/test":           {developers, (*Dashboard).testWebhook},
	"GET /webhooks/undelivered":     {developers, (*Dashboard).undelivered},
	"POST /webhooks/undelivered":    {developers, (*Dashboard).redeliverMany},
	"POST /webhooks/show":           {developers, (*Dashboard).showSecret},
	"POST /webhooks/rotate":         {developers, (*Dashboard).rotateSecret},
	"POST /webhooks/headers":        {developers, (*Dashboard).setHeader},
	"POST /webhooks/headers/delete": {developers, (*Dashboard).deleteHeader},
	"GET /templates":                {developers, (*Dashboard).templates},
	"GET /templates/edit":           {developers, (*Dashboard).editTemplate},
	"GET /templates/versions":       {developers, (*Dashboard).templateVersions},
	"GET /templates/export":         {developers, (*Dashboard).exportTemplate},
	"POST /templates/import":        {developers, (*Dashboard).importTemplate},
	"POST /templates/save":          {developers, (*Dashboard).saveTemplate},
	"POST /templates/preview":       {developers, (*Dashboard).previewTemplate},
	"POST /templates/preview.pdf":   {developers, (*Dashboard).previewPDF},
	"POST /templates/default":       {developers, (*Dashboard).setDefaultTemplate},
	"POST /templates/duplicate":     {developers, (*Dashboard).duplicateTemplate},
	"POST /templates/delete":        {developers, (*Dashboard).deleteTemplate},
	"POST /templates/restore":       {developers, (*Dashboard).restoreTemplate},
	"GET /members":                  {developers, (*Dashboard).members},
	"POST /members":                 {owners, (*Dashboard).invite},
	"POST /members/invite-again":    {owners, (*Dashboard).inviteAgain},
	"POST /members/role":            {owners, (*Dashboard).changeRole},
	"POST /members/remove":          {owners, (*Dashboard).removeMember},
	"GET /playground":               {developers, (*Dashboard).playground},
	"GET /trail":                    {developers, (*Dashboard).trail},
	"GET /security":                 {anyone, (*Dashboard).security},
	"POST /security/password":       {anyone, (*Dashboard).changePassword},
	"GET /security/factor":          {anyone, (*Dashboard).factor},
	"POST /security/factor":         {anyone, (*Dashboard).setFactor},
	"POST /security/factor/remove":  {anyone, (*Dashboard).removeFactor},
	"POST /security/passkey":        {anyone, (*Dashboard).addPasskey},
	"POST /security/passkey/ask":    {anyone, (*Dashboard).askForNewPasskey},
	"POST /security/passkey/remove": {anyone, (*Dashboard).removePasskey},
	"POST /security/close":          {anyone, (*Dashboard).closeSession},
	"POST /sign-out":                {anyone, (*Dashboard).signOut},
}

// jobRoutes are those below a job, by method and the rest of the path.
var jobRoutes = map[string]route{
	"GET ":            {anyone, (*Dashboard).job},
	"GET /live":       {anyone, (*Dashboard).jobLive},
	"GET /record":     {developers, (*Dashboard).record},
	"GET /download":   {developers, (*Dashboard).download},
	"GET /result":     {developers, (*Dashboard).resultLive},
	"GET /pages/":     {developers, (*Dashboard).lookAt},
	"POST /cancel":    {developers, (*Dashboard).cancelJob},
	"POST /redeliver": {developers, (*Dashboard).redeliver},
}

// tryRoutes are those of an operation in the playground, by method.
var tryRoutes = map[string]route{
	"GET ":  {developers, (*Dashboard).try},
	"POST ": {developers, (*Dashboard).run},
}

// page serves the page or action of a member at a path.
func (d *Dashboard) page(ctx *fasthttp.RequestCtx, v visitor, path string) {
	method := "GET "
	if ctx.IsPost() {
		method = "POST "
	}
	r, known := routes[method+strings.TrimSuffix(path, "/")]
	if rest, below := strings.CutPrefix(path, "/jobs/"); !known && below {
		id, what, slash := strings.Cut(rest, "/")
		what, n, more := strings.Cut(what, "/")
		ctx.SetUserValue(pageInPath{}, n)
		if slash {
			what = "/" + what
		}
		if more {
			what += "/"
		}
		r, known = jobRoutes[method+what]
		ctx.SetUserValue(jobInPath{}, id)
	}
	if operation, below := strings.CutPrefix(path, "/playground/"); !known && below {
		r, known = tryRoutes[method]
		ctx.SetUserValue(operationInPath{}, operation)
	}
	switch {
	case !known:
		d.message(ctx, 404, "nopage")
	case !v.is(r.may):
		d.message(ctx, 403, "role")
	default:
		r.serve(d, ctx, v)
	}
}

// jobInPath is where a request keeps the id of a job in its path.
type jobInPath struct{}
