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

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/limit"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// Path is where the dashboard is.
const Path = "/dashboard"

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
}

// Config is what a dashboard needs. Every field must be set but SignIn and Demo.
type Config struct {
	Services *service.Services
	Models   ReadModels
	// Usage is what an account uses in its quota window.
	Usage func(events.AccountID) (service.Usage, error)
	// Ledger is what accounts were charged.
	Ledger Ledger
	Jobs   Jobs
	Log    JobLog
	// Templates shows e-invoices by block templates.
	Templates Templates
	Seal      Sealer
	Files     Files
	Place     Place
	// SignIn signs members in at a provider; nil if there is none.
	SignIn SignIn
	Logger *slog.Logger
	Now    func() time.Time
}

// Files are the files of jobs.
type Files struct {
	// Download sends the file of a job, or returns why not in words.
	Download func(ctx *fasthttp.RequestCtx, by service.Principal, id events.JobID) (status int, title, detail string)
	// Open opens a stored file and returns its size in bytes.
	Open func(ctx context.Context, name string) (io.ReadCloser, int64, error)
	// Picture is a page of a file as a PNG of at most a width in pixels.
	Picture func(ctx context.Context, file []byte, page, width int) (png []byte, err error)
}

// Place is where the dashboard is reached, and where its links lead.
type Place struct {
	// ClientOf is the address of a client, and whether it is this machine and no proxy.
	ClientOf func(ctx *fasthttp.RequestCtx) (address string, local bool)
	// URL is where browsers reach the node, such as https://pdf.example; "" if that is not known.
	URL string
	// TLS is set if the node encrypts the connections of clients itself.
	TLS bool
	// Demo are accounts that are signed in to with one click on this machine; nil for none.
	Demo                map[events.Plan]events.AccountID
	DocsURL, UpgradeURL string
}

// site is what all sections share.
type site struct {
	cfg  Config
	live *live
	// tries bounds how often one address tries to sign in.
	tries *limit.PerMinute[string]
	// logs bounds how many pages read the log at once.
	logs *limit.Concurrent[events.AccountID]
}

// triesPerMinute is how often one address may try to sign in, so that it does not try many accounts.
const triesPerMinute = 20

// Dashboard serves the pages.
type Dashboard struct {
	*site
	signIn signInPages
	// routes are the pages and actions of members by method and path below Path, jobRoutes those below a job by the rest of the path, and
	// tryRoutes those of an operation in the playground by method.
	routes, jobRoutes, tryRoutes map[string]route
}

// New makes a dashboard.
func New(cfg Config) *Dashboard {
	s := &site{
		cfg: cfg, live: newLive(), tries: limit.NewPerMinute[string](triesPerMinute),
		logs: limit.NewConcurrent[events.AccountID](logsPerNode, logsPerAccount),
	}
	d := &Dashboard{site: s, signIn: signInPages{s}}
	d.route()
	return d
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
	if d.signIn.public(ctx, path) {
		return
	}
	v, ok := d.visitor(ctx)
	if !ok {
		d.signIn.toSignIn(ctx)
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
	// may are the roles that may see it; what an action does is decided by its service.
	may   []events.Role
	serve func(ctx *fasthttp.RequestCtx, v visitor)
}

var (
	anyone     = events.Roles()
	developers = []events.Role{events.RoleOwner, events.RoleDeveloper}
	owners     = []events.Role{events.RoleOwner}
)

// route makes the tables of routes.
func (d *Dashboard) route() {
	home, jobs, keys, members, usage := homePages{d.site}, newJobPages(d.site), keyPages{d.site}, memberPages{d.site}, usagePages{d.site}
	play, templates, webhooks, security := playPages{d.site, jobs}, newTemplatePages(d.site), webhookPages{d.site}, securityPages{d.site, d.signIn}
	d.routes = map[string]route{
		"GET ":                          {anyone, home.home},
		"GET /live":                     {anyone, home.homeLive},
		"GET /jobs":                     {anyone, jobs.jobs},
		"GET /usage":                    {anyone, usage.usage},
		"GET /usage.csv":                {anyone, usage.usageCSV},
		"GET /usage/entries":            {anyone, usage.entries},
		"GET /keys":                     {developers, keys.keys},
		"POST /keys":                    {developers, keys.makeKey},
		"POST /keys/revoke":             {developers, keys.revokeKey},
		"GET /webhooks":                 {developers, webhooks.webhooks},
		"POST /webhooks/test":           {developers, webhooks.testWebhook},
		"GET /webhooks/undelivered":     {developers, webhooks.undelivered},
		"POST /webhooks/undelivered":    {developers, webhooks.redeliverMany},
		"POST /webhooks/show":           {developers, webhooks.showSecret},
		"POST /webhooks/rotate":         {developers, webhooks.rotateSecret},
		"POST /webhooks/headers":        {developers, webhooks.setHeader},
		"POST /webhooks/headers/delete": {developers, webhooks.deleteHeader},
		"GET /templates":                {developers, templates.templates},
		"GET /templates/edit":           {developers, templates.editTemplate},
		"GET /templates/versions":       {developers, templates.templateVersions},
		"GET /templates/export":         {developers, templates.exportTemplate},
		"POST /templates/import":        {developers, templates.importTemplate},
		"POST /templates/save":          {developers, templates.saveTemplate},
		"POST /templates/preview":       {developers, templates.previewTemplate},
		"POST /templates/preview.pdf":   {developers, templates.previewPDF},
		"POST /templates/default":       {developers, templates.setDefaultTemplate},
		"POST /templates/duplicate":     {developers, templates.duplicateTemplate},
		"POST /templates/delete":        {developers, templates.deleteTemplate},
		"POST /templates/restore":       {developers, templates.restoreTemplate},
		"GET /members":                  {developers, members.members},
		"POST /members":                 {owners, members.invite},
		"POST /members/invite-again":    {owners, members.inviteAgain},
		"POST /members/role":            {owners, members.changeRole},
		"POST /members/remove":          {owners, members.removeMember},
		"GET /playground":               {developers, play.playground},
		"GET /trail":                    {developers, members.trail},
		"GET /security":                 {anyone, security.security},
		"POST /security/password":       {anyone, security.changePassword},
		"GET /security/factor":          {anyone, security.factor},
		"POST /security/factor":         {anyone, security.setFactor},
		"POST /security/factor/remove":  {anyone, security.removeFactor},
		"POST /security/passkey":        {anyone, security.addPasskey},
		"POST /security/passkey/ask":    {anyone, security.askForNewPasskey},
		"POST /security/passkey/remove": {anyone, security.removePasskey},
		"POST /security/close":          {anyone, security.closeSession},
		"POST /sign-out":                {anyone, security.signOut},
	}
	d.jobRoutes = map[string]route{
		"GET ":            {anyone, jobs.job},
		"GET /live":       {anyone, jobs.jobLive},
		"GET /record":     {developers, jobs.record},
		"GET /download":   {developers, jobs.download},
		"GET /result":     {developers, play.resultLive},
		"GET /pages/":     {developers, jobs.lookAt},
		"POST /cancel":    {developers, jobs.cancelJob},
		"POST /redeliver": {developers, jobs.redeliver},
	}
	d.tryRoutes = map[string]route{
		"GET ":  {developers, play.try},
		"POST ": {developers, play.run},
	}
}

// page serves the page or action of a member at a path.
func (d *Dashboard) page(ctx *fasthttp.RequestCtx, v visitor, path string) {
	method := "GET "
	if ctx.IsPost() {
		method = "POST "
	}
	r, known := d.routes[method+strings.TrimSuffix(path, "/")]
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
		r, known = d.jobRoutes[method+what]
		ctx.SetUserValue(jobInPath{}, id)
	}
	if operation, below := strings.CutPrefix(path, "/playground/"); !known && below {
		r, known = d.tryRoutes[method]
		ctx.SetUserValue(operationInPath{}, operation)
	}
	switch {
	case !known:
		d.message(ctx, 404, "nopage")
	case !v.is(r.may):
		d.message(ctx, 403, "role")
	default:
		r.serve(ctx, v)
	}
}

// jobInPath is where a request keeps the id of a job in its path.
type jobInPath struct{}
