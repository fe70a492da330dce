package conformance

import (
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/apikey"
	"platen.dev/events/testkit"
)

// Authentication and plan gates.

const keySection = "Authentication"

var keyRows = []row{
	{"key/required", keySection, "every endpoint answers 401 without a valid key", proveKeyRequired},
	{"key/header-only", keySection, "the key travels in X-API-Key and nowhere else", proveKeyHeader},
	{"key/forms", keySection, "keys are sk_live_ or sk_test_ with a checksum; others are refused", proveKeyForms},
	{"key/test-prefix", keySection, "sk_test_ is a label: its jobs count as those of a live key", proveTestPrefix},
	{"key/revoked", "Accounts", "a revoked key is refused within a second, the account's others stay", proveRevoked},
	{"key/full-access", keySection, "each key has access to the whole account", proveFullAccess},
}

// endpoints lists the endpoints that need a key, as method and path.
func endpoints() (all [][2]string) {
	for _, path := range allOperations {
		all = append(all, [2]string{"POST", path})
	}
	job := "/jobs/" + events.NewJobID().String()
	return append(all, [2]string{"GET", job}, [2]string{"GET", job + "/download"})
}

func proveKeyRequired(t *testing.T, s *server) {
	unknown, _ := apikey.New(apikey.Live, 1)
	for _, secret := range []string{"", unknown} {
		c := s.customer(t, events.PlanFree).as(secret)
		for _, e := range endpoints() {
			a := c.send(e[0], e[1], nil)
			a.problem(401, "INVALID_API_KEY", "Send a valid API key in the X-API-Key header.")
			if a.Header.Get("X-RateLimit-Limit") != "0" || a.Header.Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("the rate without a key is %s of %s", a.Header.Get("X-RateLimit-Remaining"), a.Header.Get("X-RateLimit-Limit"))
			}
		}
	}
}

func proveKeyHeader(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	none := c.as("")
	none.get("/jobs/42", "Authorization", "Bearer "+c.secret).status(401)
	none.get("/jobs/42?api_key=" + c.secret).status(401)
	none.get("/jobs/42", "Cookie", "X-API-Key="+c.secret).status(401)
	none.get("/jobs/42", "x-api-key", c.secret).status(404) // header names are not case-sensitive
}

// A key is its prefix, 27 digits of base62 and 6 digits of a checksum.
func proveKeyForms(t *testing.T, s *server) {
	c := s.customer(t, events.PlanStarter)
	_, label := c.issue(apikey.Test)
	for _, secret := range []string{c.secret, label} {
		if len(secret) != len("sk_live_")+27+6 {
			t.Errorf("a key has %d characters", len(secret))
		}
		c.as(secret).get("/jobs/42").status(404)
		last := "0"
		if strings.HasSuffix(secret, last) {
			last = "1"
		}
		for _, bad := range []string{
			secret[:len(secret)-1] + last, secret[:len(secret)-1], secret + "0", strings.ToUpper(secret),
			"pk_live_" + secret[len("sk_live_"):], secret[len("sk_live_"):], strings.Repeat("x", 5_000),
		} {
			c.as(bad).get("/jobs/42").problem(401, "INVALID_API_KEY", "Send a valid API key")
		}
	}
	if !strings.HasPrefix(c.secret, "sk_live_") || !strings.HasPrefix(label, "sk_test_") {
		t.Errorf("keys begin %.8s and %.8s", c.secret, label)
	}
}

func proveTestPrefix(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	_, secret := c.issue(apikey.Test)
	id := c.as(secret).submit(htmlToPDF)
	c.is(id, object{"test": false})
	if u := c.usage(); u.Reserved != 1 || u.Tests != 0 {
		t.Errorf("a job by a test key counts as %+v", u)
	}
}

func proveRevoked(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	key, secret := c.issue(apikey.Live)
	gone := c.as(secret)
	id := gone.submit(htmlToPDF)
	c.command(events.RevokeKey{Key: key})
	accepted := time.Now()
	testkit.Eventually(t, "a revoked key is refused", func() bool { return gone.get("/jobs/42").StatusCode == 401 })
	if took := time.Since(accepted); took > time.Second {
		t.Errorf("the key was valid for %s after it was revoked", took)
	}
	gone.post(htmlToPDF, minimal(htmlToPDF)).problem(401, "INVALID_API_KEY", "Send a valid API key")
	c.is(id, object{"status": "queued"})
}

func proveFullAccess(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	_, secret := c.issue(apikey.Live)
	id := c.stored(htmlToPDF, "x")
	c.as(secret).is(id, object{"status": "done"})
	c.as(secret).download(id).status(200)
}

// gate is a field that not every plan has.
type gate struct {
	id, section, at string
	on              []string
	value           any
	least           events.Plan
	// beside is what else the body needs.
	beside object
	// feature is what the refusal names; "" means the field itself.
	feature string
}

var gates = []gate{
	{id: "watermark", section: "PdfOptions", at: "options.watermark", on: pdfOperations, value: object{"text": "x"}, least: events.PlanStarter},
	{id: "watermarks", section: "Extensions", at: "options.watermarks", on: pdfOperations, value: []any{}, least: events.PlanStarter},
	{id: "user-password", section: "PdfOptions", at: "options.user_password", on: pdfOperations, value: "x", least: events.PlanPro},
	{id: "owner-password", section: "Extensions", at: "options.owner_password", on: pdfOperations, value: "x", least: events.PlanPro},
	{id: "permissions", section: "Extensions", at: "options.permissions", on: pdfOperations, value: object{}, least: events.PlanPro, beside: object{"options.user_password": "x"}, feature: "options.user_password"},
	{id: "pdfa", section: "Extensions", at: "options.pdfa", on: pdfOperations, value: "2b", least: events.PlanPro},
	{id: "pdfua", section: "Extensions", at: "options.pdfua", on: pdfOperations, value: false, least: events.PlanPro},
	{id: "compression", section: "PdfOptions", at: "options.compression", on: pdfOperations, value: object{}, least: events.PlanPro},
	{id: "image-quality", section: "CompressionOptions", at: "options.compression.image_quality", on: pdfOperations, value: 50, least: events.PlanPro, feature: "options.compression"},
	{id: "auth", section: "JobAuthOptions", at: "auth", on: urlOperations, value: object{"type": "bearer", "value": "x"}, least: events.PlanPro},
	{id: "full", section: extensionSection, at: "html_mode", on: htmlOperations, value: "full", least: events.PlanPro},
	{id: "assets", section: extensionSection, at: "assets", on: htmlOperations, value: []any{}, least: events.PlanPro},
	{id: "large", section: extensionSection, at: "large", on: allOperations, value: true, least: events.PlanPro},
	{id: "render", section: "RenderOptions", at: "render", on: []string{markdownToPDF, urlToImage, htmlToImage}, value: object{}, least: events.PlanPro},
	{id: "headers", section: "Extensions", at: "render.headers", on: []string{urlToPDF}, value: object{}, least: events.PlanPro},
	{id: "headers-image", section: "Extensions", at: "render.headers", on: []string{urlToImage}, value: object{}, least: events.PlanPro, feature: "render"},
	{id: "cookies", section: "Extensions", at: "render.cookies", on: []string{urlToPDF}, value: []any{}, least: events.PlanPro},
	{id: "cookies-image", section: "Extensions", at: "render.cookies", on: []string{urlToImage}, value: []any{}, least: events.PlanPro, feature: "render"},
	{id: "delivery", section: "Delivery object", at: "delivery", on: allOperations, value: object{"url": "https://storage.test/"}, least: events.PlanPro},
}

var gateRows = func() (rows []row) {
	for _, g := range gates {
		statement := g.at + " needs the " + string(g.least) + " plan, also in test mode; presence counts, null is absence"
		rows = append(rows, row{"gate/" + g.id, g.section, statement, g.prove})
	}
	return append(rows,
		row{"gate/render-free", "RenderOptions", "render is for every plan on url-to-pdf and html-to-pdf", proveFreeRender},
		row{"gate/plan-change", "Errors", "a plan counts at once", provePlanChange})
}()

func (g gate) prove(t *testing.T, s *server) {
	if g.feature == "" {
		g.feature = g.at
	}
	for _, plan := range events.Plans() {
		for _, path := range g.on {
			g.proveOn(s.customer(t, plan), path)
		}
	}
}

func (g gate) proveOn(c *customer, path string) {
	c.t.Helper()
	has := c.plan.Includes(g.least)
	body := minimal(path)
	set(body, g.at, g.value)
	for place, value := range g.beside {
		set(body, place, value)
	}
	for _, test := range []bool{false, true} {
		body["test"] = test
		switch {
		case test && g.at == "delivery": // they exclude each other, which the schema reports first
			c.post(path, body).status(422)
		case !has:
			c.upgrade(c.post(path, body), g.feature, g.least)
		default:
			c.post(path, body).accepted()
		}
	}
	without := minimal(path)
	at := g.at
	if strings.HasPrefix(at, g.feature+".") {
		at = g.feature // a null within a gated object is not a use of it
	}
	set(without, at, nil)
	without["test"] = true
	c.post(path, without).accepted()
}

// upgrade checks the refusal of a feature that the plan does not have.
func (c *customer) upgrade(a response, feature string, least events.Plan) {
	c.t.Helper()
	o := a.problem(402, "PLAN_UPGRADE_REQUIRED", "plan-upgrade-required: "+feature+" ")
	link, _ := o["upgrade_url"].(string)
	if o["feature"] != feature || o["required_plan"] != string(least) || !strings.HasPrefix(link, "https://") {
		c.t.Errorf("the refusal names %v, %v and %v", o["feature"], o["required_plan"], o["upgrade_url"])
	}
}

func proveFreeRender(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	c.post(urlToPDF, object{"url": publicPage, "render": object{"wait_until": "networkidle"}}).accepted()
	c.post(htmlToPDF, object{"html": "x", "render": object{"wait_after_load_ms": 1}}).accepted()
}

func provePlanChange(t *testing.T, s *server) {
	c := s.customer(t, events.PlanFree)
	body := object{"html": "x", "options": object{"watermark": object{"text": "x"}}}
	c.upgrade(c.post(htmlToPDF, body), "options.watermark", events.PlanStarter)
	c.command(events.ChangePlan{Plan: events.PlanStarter})
	c.post(htmlToPDF, body).accepted()
	c.command(events.ChangePlan{Plan: events.PlanFree})
	c.upgrade(c.post(htmlToPDF, body), "options.watermark", events.PlanStarter)
}
