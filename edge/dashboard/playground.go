package dashboard

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/form"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/dashboard/program"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// Jobs checks and submits jobs as the API does.
type Jobs interface {
	// Check returns what is wrong with a body, nil for nothing.
	Check(account events.AccountID, op *request.Operation, body []byte) *Refusal
	// Submit has the account accept a job, or returns why it does not.
	Submit(Submission) (events.JobID, *Refusal)
}

// Submission is a job that a member asks for.
type Submission struct {
	By        service.Principal
	Operation *request.Operation
	Body      []byte
	// Once is the form's: the same body sent again with it makes no second job.
	Once string
}

// Refusal is why there is no job, as the API says it.
type Refusal struct {
	Status        int
	Title, Detail string
	RetryAfter    int64 // in seconds; zero for none
	// UpgradeURL is set if a larger plan helps.
	UpgradeURL string
	Violations []schema.Violation
}

// playPages are the pages of the playground.
type playPages struct {
	*site
	jobs jobPages
}

func (d playPages) playground(ctx *fasthttp.RequestCtx, v visitor) {
	view := page.Playground{Frame: d.frame(ctx, v)}
	for _, op := range request.Operations() {
		view.Operations = append(view.Operations, tryOperation(op))
	}
	d.show(ctx, view)
}

func tryOperation(op *request.Operation) page.TryOperation {
	return page.TryOperation{Name: op.Name, Doc: op.Doc}
}

// operationInPath is the user value that holds the operation name from the path.
type operationInPath struct{}

// attempt is a submitted form: what was typed, and the outcome.
type attempt struct {
	op   *request.Operation
	form form.Form
	// typed are values by path.
	typed func(path string) string
	body  []byte
}

// testField is replaced by the choice between test and live. The field wait is left out: a page does not wait for the job, it watches it.
const (
	testField = "body.test"
	waitField = "wait"
)

func newAttempt(op *request.Operation, typed func(string) string) attempt {
	a := attempt{op: op, form: form.New(op.Kind(), append([]string{waitField}, op.Never...)...), typed: typed}
	a.body = a.form.Body(typed)
	return a
}

// named returns the operation in the path. If there is none, the response says so.
func (d playPages) named(ctx *fasthttp.RequestCtx) (*request.Operation, bool) {
	name, _ := ctx.UserValue(operationInPath{}).(string)
	op, ok := request.ByPath("/" + name)
	if !ok {
		d.message(ctx, 404, "nopage")
	}
	return op, ok
}

// jobParam names a job whose request the form begins with.
const jobParam = "job"

// try shows the form with an example in it, or with the request of a job.
func (d playPages) try(ctx *fasthttp.RequestCtx, v visitor) {
	op, ok := d.named(ctx)
	if !ok {
		return
	}
	values := examples[op.Name]
	if text := string(ctx.QueryArgs().Peek(jobParam)); text != "" {
		if values, ok = d.again(ctx, v, op, text); !ok {
			return
		}
	}
	d.showTry(ctx, v, newAttempt(op, func(path string) string { return values[path] }), nil, nil)
}

// again returns the values that repeat a job's request, without credentials. If it cannot, the response says why.
func (d playPages) again(ctx *fasthttp.RequestCtx, v visitor, op *request.Operation, text string) (map[string]string, bool) {
	ctx.SetUserValue(jobInPath{}, text)
	id, j, ok := d.inPath(ctx, v)
	if ok && (j.Operation != op.Name || op.Name == events.MarkdownToPDF) { // Markdown is kept as the HTML that it became
		d.message(ctx, 404, "norequest")
		ok = false
	}
	if !ok {
		return nil, false
	}
	command, err := d.readLog(v.Account, func(within context.Context) (events.Submission, error) {
		return d.cfg.Log.Submission(within, v.Account, id)
	})
	switch {
	case errors.Is(err, ErrGone):
		d.message(ctx, 404, "norequest")
	case errors.Is(err, errLogBusy):
		d.message(ctx, 503, "busy")
	case err != nil:
		d.unavailable(ctx, "read the command of a job", err)
	default:
		return typedFor(flat(request.Kept(command))), true
	}
	return nil, false
}

// typedFor returns the form's values for fields, by path. A repeated job is a test at first.
func typedFor(all []given) map[string]string {
	values := map[string]string{}
	for _, g := range all {
		if !g.hidden && g.path != waitField {
			values["body."+g.path] = g.value
		}
	}
	values[testField] = "true"
	return values
}

// Values of the field that says what to do.
const (
	doParam   = "do"
	doRun     = "run"
	modeParam = "mode"
	modeLive  = "live"
	onceParam = "once"
)

// run runs what is typed, or shows its request.
func (d playPages) run(ctx *fasthttp.RequestCtx, v visitor) {
	op, ok := d.named(ctx)
	if !ok {
		return
	}
	args := ctx.PostArgs()
	a := newAttempt(op, func(path string) string {
		if path == testField {
			return map[bool]string{true: "", false: "true"}[string(args.Peek(modeParam)) == modeLive]
		}
		return string(args.Peek(path))
	})
	if string(args.Peek(doParam)) != doRun {
		d.showTry(ctx, v, a, nil, d.cfg.Jobs.Check(v.Account, op, a.body))
		return
	}
	id, refused := d.cfg.Jobs.Submit(Submission{By: v.principal(), Operation: op, Body: a.body, Once: clip(string(args.Peek(onceParam)))})
	if refused != nil {
		d.showTry(ctx, v, a, nil, refused)
		return
	}
	job, err := d.result(v, page.Frame{}, id)
	if err != nil {
		d.unavailable(ctx, "job", err)
		return
	}
	d.showTry(ctx, v, a, &job, nil)
}

// maxShownBody is the size in bytes up to which a body is shown as programs, which repeat it five times.
const maxShownBody = 8 << 10

// showTry shows the form as it was typed, with the job that it has made or why there is none.
func (d playPages) showTry(ctx *fasthttp.RequestCtx, v visitor, a attempt, made *page.Try, refused *Refusal) {
	view := page.Try{Frame: d.frame(ctx, v), Operation: tryOperation(a.op), Live: a.typed(testField) == "", Once: rand.Text()}
	var violations []schema.Violation
	if refused != nil {
		violations, view.Problem = refused.Violations, problemOf(*refused)
		ctx.SetStatusCode(refused.Status)
		if refused.RetryAfter > 0 {
			ctx.Response.Header.Set("Retry-After", strconv.FormatInt(refused.RetryAfter, 10))
		}
	}
	view.Fields, view.Faults = a.form.Fields(a.typed, violations)
	view.Fields = slices.DeleteFunc(view.Fields, func(f page.Field) bool { return f.Path == testField })
	if len(violations) == 0 {
		view.Programs, view.Large = d.programs(ctx, a)
	}
	if made != nil {
		view.Job, view.Pages = made.Job, made.Pages
		view.Job.Frame = view.Frame
	}
	d.show(ctx, view)
}

// problemOf returns the problem shown above the form; nil if everything is shown at the fields.
func problemOf(r Refusal) *page.TryProblem {
	if len(r.Violations) > 0 {
		return nil
	}
	return &page.TryProblem{Title: r.Title, Detail: r.Detail, UpgradeURL: r.UpgradeURL}
}

// plainOrigin matches origins that need no quoting in any language.
var plainOrigin = regexp.MustCompile(`^https?://[A-Za-z0-9.:\[\]-]+$`)

// programs are the request as programs, or it is too large for that.
func (d playPages) programs(ctx *fasthttp.RequestCtx, a attempt) (all []page.Program, large bool) {
	if len(a.body) > maxShownBody {
		return nil, true
	}
	origin := d.origin(ctx)
	if !plainOrigin.MatchString(origin) {
		origin = "http://127.0.0.1:8080"
	}
	programs, err := program.All(program.Request{URL: origin + a.op.Path(), Body: a.body})
	if err != nil {
		d.cfg.Logger.Error("programs", "error", err)
	}
	for _, p := range programs {
		all = append(all, page.Program{Language: p.Language, Code: p.Code})
	}
	return all, false
}

// result shows a job in the playground. One that the read models do not know yet counts as awaited.
func (d playPages) result(v visitor, f page.Frame, id events.JobID) (page.Try, error) {
	j, known, err := d.knownJob(v.Account, id)
	if err != nil || !known {
		return page.Try{}, errors.Join(err, errNoJob)
	}
	view, err := d.jobView(f, v, id, j)
	return page.Try{Frame: f, Job: &view, Pages: pagesShown(j, d.now())}, err
}

var errNoJob = errors.New("the job is not read yet")

// resultLive keeps the job beside its form up to date.
func (d playPages) resultLive(ctx *fasthttp.RequestCtx, v visitor) {
	f := d.frame(ctx, v)
	id, _, ok := d.inPath(ctx, v)
	if !ok {
		return
	}
	d.stream(ctx, v, func() any {
		f.Now = d.cfg.Now().UTC()
		if view, err := d.result(v, f, id); err == nil {
			return view
		}
		return nil
	})
}

//go:embed example.xml
var exampleInvoice string

// examples are the initial values of the forms: the examples of the API's description, which work, except that of the invoice,
// which would be too long for it.
var examples = readExamples()

func readExamples() map[events.Operation]map[string]string {
	all := map[events.Operation]map[string]string{}
	for _, op := range request.Operations() {
		body := op.Example
		if op.Name == events.EInvoiceToPDF {
			body, _ = json.Marshal(map[string]string{"profile": "en16931", "xml": exampleInvoice}) // cannot fail for texts
		}
		values, err := form.New(op.Kind()).Values(body)
		if err != nil {
			panic(err) // impossible: the tests read them all
		}
		values[testField] = "true"
		all[op.Name] = values
	}
	return all
}
