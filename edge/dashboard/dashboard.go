// Package dashboard serves the pages of an account's members: what its jobs do, its keys, and who may sign in. It
// changes nothing but by the commands that the API sends too, and reads the same read models.
package dashboard

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/request"
	"platen.dev/einvoice/report"
	"platen.dev/events"
	"platen.dev/events/limit"
	"platen.dev/events/team"
	"platen.dev/projections"
)

// Path is where the dashboard is.
const Path = "/dashboard"

// ReadModels answers reads; projections.Replica implements it.
type ReadModels interface {
	Account(events.AccountID) (projections.Account, bool, error)
	Team(events.AccountID) (team.Team, error)
	// HandleOwner returns the member whose passkeys know it by a handle.
	HandleOwner(handle [32]byte) (projections.Membership, bool, error)
	Trail(account events.AccountID, before int64, limit int) (entries []projections.TrailEntry, older int64, err error)
	Job(events.AccountID, events.JobID) (projections.Job, bool, error)
	Jobs(account events.AccountID, f projections.Filter, after *projections.Place, most int) (projections.JobPage, error)
	// FindJobs returns the jobs whose ids begin with a text.
	FindJobs(account events.AccountID, beginning string) ([]projections.ListedJob, error)
	Webhook(events.AccountID, events.JobID) (projections.WebhookLog, error)
	// Template is a saved block template.
	Template(events.AccountID, events.TemplateID) (projections.SavedTemplate, bool, error)
	// TemplateHistory lists its versions, the newest first.
	TemplateHistory(events.AccountID, events.TemplateID) ([]projections.NumberedVersion, error)
}

// Config configures a dashboard. Every field must be set but SignIn and Demo.
type Config struct {
	Services *service.Services
	Models   ReadModels
	// Usage returns the usage of an account in its quota window.
	Usage func(events.AccountID) (service.Usage, error)
	// Ledger returns what accounts were charged.
	Ledger Ledger
	Jobs   Jobs
	// CheckInvoice reports on an e-invoice, or returns why it cannot.
	CheckInvoice func(account events.AccountID, c request.InvoiceCheck) (*report.Report, *Refusal)
	Log          JobLog
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

// SendJob sends something of a job, or returns why not in words.
type SendJob func(ctx *fasthttp.RequestCtx, by service.Principal, id events.JobID) (status int, title, detail string)

// Files are the files of jobs.
type Files struct {
	// Download sends the file of a job, Evidence its signed evidence.
	Download, Evidence SendJob
	// Open opens a stored file and returns its size in bytes.
	Open func(ctx context.Context, name string) (io.ReadCloser, int64, error)
	// Picture is a page of a file as a PNG of at most a width in pixels.
	Picture func(ctx context.Context, file []byte, page, width int) (png []byte, err error)
}

// Place is where the dashboard is reached, and where its links lead.
type Place struct {
	// ClientOf returns the address of a client, and whether it is a program on this machine that asked for this machine, and not a proxy.
	ClientOf func(ctx *fasthttp.RequestCtx) (address string, local bool)
	// URL is where browsers reach the node, such as https://pdf.example; "" if that is not known.
	URL string
	// TLS is set if the node encrypts the connections of clients itself.
	TLS bool
	// Demo holds the accounts that one click signs in to on this machine; nil for none.
	Demo                map[events.Plan]events.AccountID
	DocsURL, UpgradeURL string
}

// site is shared by all sections.
type site struct {
	cfg  Config
	live *live
	// tries bounds how often one address tries to sign in.
	tries *limit.Rate[string]
	// logs bounds how many pages read the log at once.
	logs *limit.Concurrent[events.AccountID]
}

// triesPerMinute limits sign-in attempts per address, to prevent trying many accounts.
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
		cfg: cfg, live: newLive(), tries: limit.NewRate[string](triesPerMinute, time.Minute),
		logs: limit.NewConcurrent[events.AccountID](logsPerNode, logsPerAccount),
	}
	d := &Dashboard{site: s, signIn: signInPages{s}}
	d.route()
	return d
}

// Close ends the live streams of pages.
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
	if ctx.IsPost() {
		if fault := BadForm(ctx); fault != nil {
			d.message(ctx, fault.Status, fault.Name)
			return
		}
	}
	if d.signIn.public(ctx, path) {
		return
	}
	v, ok, err := d.visitor(ctx)
	switch {
	case err != nil:
		d.unavailable(ctx, "find session", err)
		return
	case !ok:
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
	// may lists the roles that may see the route; whether they may act is decided by the service of the action.
	may   []events.Role
	serve func(ctx *fasthttp.RequestCtx, v visitor)
	// large is set if its form may have LargeForm bytes.
	large bool
}

var (
	anyone     = events.Roles()
	developers = []events.Role{events.RoleOwner, events.RoleDeveloper}
	owners     = []events.Role{events.RoleOwner}
)

// route makes the tables of routes.
func (d *Dashboard) route() {
	jobs := newJobPages(d.site)
	play := playPages{d.site, jobs}
	d.routes = d.accountRoutes(jobs, play)
	maps.Copy(d.routes, templateRoutes(newTemplatePages(d.site)))
	maps.Copy(d.routes, securityRoutes(securityPages{d.site, d.signIn}))
	d.jobRoutes = jobRoutes(jobs, play)
	d.tryRoutes = map[string]route{
		"GET ":  {may: developers, serve: play.try},
		"POST ": {may: developers, serve: play.run, large: true},
	}
}

// accountRoutes are those of an account, its members and its usage.
func (d *Dashboard) accountRoutes(jobs jobPages, play playPages) map[string]route {
	home, keys, members, usage := homePages{d.site}, keyPages{d.site}, memberPages{d.site}, usagePages{d.site}
	webhooks, invoices := webhookPages{d.site}, invoicePages{d.site}
	return map[string]route{
		"GET ":                          {may: anyone, serve: home.home},
		"GET /live":                     {may: anyone, serve: home.homeLive},
		"GET /jobs":                     {may: anyone, serve: jobs.jobs},
		"GET /usage":                    {may: anyone, serve: usage.usage},
		"GET /usage.csv":                {may: anyone, serve: usage.usageCSV},
		"GET /usage/entries":            {may: anyone, serve: usage.entries},
		"GET /keys":                     {may: developers, serve: keys.keys},
		"POST /keys":                    {may: developers, serve: keys.makeKey},
		"POST /keys/revoke":             {may: developers, serve: keys.revokeKey},
		"GET /webhooks":                 {may: developers, serve: webhooks.webhooks},
		"POST /webhooks/test":           {may: developers, serve: webhooks.testWebhook},
		"GET /webhooks/undelivered":     {may: developers, serve: webhooks.undelivered},
		"POST /webhooks/undelivered":    {may: developers, serve: webhooks.redeliverMany},
		"POST /webhooks/show":           {may: developers, serve: webhooks.showSecret},
		"POST /webhooks/rotate":         {may: developers, serve: webhooks.rotateSecret},
		"POST /webhooks/headers":        {may: developers, serve: webhooks.setHeader},
		"POST /webhooks/headers/delete": {may: developers, serve: webhooks.deleteHeader},
		"GET /members":                  {may: developers, serve: members.members},
		"POST /members":                 {may: owners, serve: members.invite},
		"POST /members/invite-again":    {may: owners, serve: members.inviteAgain},
		"POST /members/role":            {may: owners, serve: members.changeRole},
		"POST /members/remove":          {may: owners, serve: members.removeMember},
		"GET /playground":               {may: developers, serve: play.playground},
		"GET /invoices":                 {may: developers, serve: invoices.form},
		"POST /invoices":                {may: developers, serve: invoices.check, large: true},
		"GET /trail":                    {may: developers, serve: members.trail},
	}
}

func templateRoutes(templates templatePages) map[string]route {
	return map[string]route{
		"GET /templates":              {may: developers, serve: templates.templates},
		"GET /templates/edit":         {may: developers, serve: templates.editTemplate},
		"GET /templates/versions":     {may: developers, serve: templates.templateVersions},
		"GET /templates/export":       {may: developers, serve: templates.exportTemplate},
		"POST /templates/import":      {may: developers, serve: templates.importTemplate, large: true},
		"POST /templates/save":        {may: developers, serve: templates.saveTemplate, large: true},
		"POST /templates/preview":     {may: developers, serve: templates.previewTemplate, large: true},
		"POST /templates/preview.pdf": {may: developers, serve: templates.previewPDF, large: true},
		"POST /templates/default":     {may: developers, serve: templates.setDefaultTemplate},
		"POST /templates/duplicate":   {may: developers, serve: templates.duplicateTemplate},
		"POST /templates/delete":      {may: developers, serve: templates.deleteTemplate},
		"POST /templates/restore":     {may: developers, serve: templates.restoreTemplate},
	}
}

func securityRoutes(security securityPages) map[string]route {
	return map[string]route{
		"GET /security":                  {may: anyone, serve: security.security},
		"POST /security/password":        {may: anyone, serve: security.changePassword},
		"GET /security/factor":           {may: anyone, serve: security.factor},
		"POST /security/factor":          {may: anyone, serve: security.setFactor},
		"POST /security/factor/remove":   {may: anyone, serve: security.removeFactor},
		"POST /security/passkey":         {may: anyone, serve: security.addPasskey},
		"POST /security/passkey/ask":     {may: anyone, serve: security.askForNewPasskey},
		"POST /security/passkey/remove":  {may: anyone, serve: security.removePasskey},
		"POST /security/close":           {may: anyone, serve: security.closeSession},
		"GET /security/provider":         {may: anyone, serve: security.connect},
		"POST /security/provider":        {may: anyone, serve: security.connected},
		"POST /security/provider/remove": {may: anyone, serve: security.disconnect},
		"POST /sign-out":                 {may: anyone, serve: security.signOut},
	}
}

// jobRoutes returns the routes below the path of a job.
func jobRoutes(jobs jobPages, play playPages) map[string]route {
	return map[string]route{
		"GET ":            {may: anyone, serve: jobs.job},
		"GET /live":       {may: anyone, serve: jobs.jobLive},
		"GET /record":     {may: developers, serve: jobs.record},
		"GET /download":   {may: developers, serve: jobs.download},
		"GET /evidence":   {may: developers, serve: jobs.evidence},
		"GET /result":     {may: developers, serve: play.resultLive},
		"GET /pages/":     {may: developers, serve: jobs.lookAt},
		"POST /cancel":    {may: developers, serve: jobs.cancelJob},
		"POST /redeliver": {may: developers, serve: jobs.redeliver},
	}
}

// Routes lists the pages and actions of members by method and path below Path: JOB stands for a job's id, PAGE for a page's picture, OPERATION for
// an operation.
func Routes() (all []string) {
	d := Dashboard{site: &site{}}
	d.route()
	for _, of := range []struct {
		routes map[string]route
		below  string
	}{{d.routes, ""}, {d.jobRoutes, "/jobs/JOB"}, {d.tryRoutes, "/playground/OPERATION"}} {
		for name := range of.routes {
			method, path, _ := strings.Cut(name, " ")
			if strings.HasSuffix(path, "/") {
				path += "PAGE"
			}
			all = append(all, method+" "+of.below+path)
		}
	}
	return all
}

// inPath holds the names in a path below a section: a job, a page of its file, an operation.
type inPath struct{ job, page, operation string }

// find finds the route of a path below Path. It is up to the route whether the job or operation in the path exists.
func (d *Dashboard) find(method, path string) (r route, at inPath, known bool) {
	if r, known = d.routes[method+strings.TrimSuffix(path, "/")]; known {
		return r, at, true
	}
	if rest, below := strings.CutPrefix(path, "/jobs/"); below {
		id, what, slash := strings.Cut(rest, "/")
		what, n, more := strings.Cut(what, "/")
		if slash {
			what = "/" + what
		}
		if more {
			what += "/"
		}
		r, known = d.jobRoutes[method+what]
		return r, inPath{job: id, page: n}, known
	}
	if operation, below := strings.CutPrefix(path, "/playground/"); below {
		r, known = d.tryRoutes[method]
		return r, inPath{operation: operation}, known
	}
	return r, at, false
}

// page serves the page or action of a member at a path.
func (d *Dashboard) page(ctx *fasthttp.RequestCtx, v visitor, path string) {
	method := "GET "
	if ctx.IsPost() {
		method = "POST "
	}
	r, at, known := d.find(method, path)
	ctx.SetUserValue(jobInPath{}, at.job)
	ctx.SetUserValue(pageInPath{}, at.page)
	ctx.SetUserValue(operationInPath{}, at.operation)
	switch {
	case !known:
		d.message(ctx, 404, "nopage")
	case !v.is(r.may):
		d.message(ctx, 403, "role")
	default:
		r.serve(ctx, v)
	}
}

// jobInPath is the user value that holds the job id from the path.
type jobInPath struct{}
