package main

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/edge/dashboard"
	"platen.dev/events"
)

// Who may see or do what is at a route.
const (
	everyone  = "owner developer billing"
	builders  = "owner developer"
	ownerOnly = "owner"
)

// routeRules are what each route of members promises. proof is a form that is good but for the age of the session, for what takes a proof.
var routeRules = map[string]struct {
	may   string
	proof []string
}{
	"GET ":                           {may: everyone},
	"GET /live":                      {may: everyone},
	"GET /jobs":                      {may: everyone},
	"GET /usage":                     {may: everyone},
	"GET /usage.csv":                 {may: everyone},
	"GET /usage/entries":             {may: everyone},
	"GET /keys":                      {may: builders},
	"POST /keys":                     {may: builders, proof: []string{"name", "Shop", "next", string(events.NewKeyID()), "kind", "live"}},
	"POST /keys/revoke":              {may: builders, proof: []string{"key", "key_abcdefgh", "confirm", "yes"}},
	"GET /webhooks":                  {may: builders},
	"POST /webhooks/test":            {may: builders},
	"GET /webhooks/undelivered":      {may: builders},
	"POST /webhooks/undelivered":     {may: builders},
	"POST /webhooks/show":            {may: builders, proof: []string{}},
	"POST /webhooks/rotate":          {may: builders, proof: []string{"hours", "24", "confirm", "yes"}},
	"POST /webhooks/headers":         {may: builders},
	"POST /webhooks/headers/delete":  {may: builders},
	"GET /templates":                 {may: builders},
	"GET /templates/edit":            {may: builders},
	"GET /templates/versions":        {may: builders},
	"GET /templates/export":          {may: builders},
	"POST /templates/import":         {may: builders},
	"POST /templates/save":           {may: builders},
	"POST /templates/preview":        {may: builders},
	"POST /templates/preview.pdf":    {may: builders},
	"POST /templates/default":        {may: builders},
	"POST /templates/duplicate":      {may: builders},
	"POST /templates/delete":         {may: builders},
	"POST /templates/restore":        {may: builders},
	"GET /members":                   {may: builders},
	"POST /members":                  {may: ownerOnly, proof: []string{"email", "bo@example.com", "role", "owner"}},
	"POST /members/invite-again":     {may: ownerOnly, proof: []string{"member", "MEMBER"}},
	"POST /members/role":             {may: ownerOnly, proof: []string{"member", "MEMBER", "role", "owner"}},
	"POST /members/remove":           {may: ownerOnly, proof: []string{"member", "MEMBER", "confirm", "yes"}},
	"GET /playground":                {may: builders},
	"GET /invoices":                  {may: builders},
	"POST /invoices":                 {may: builders},
	"GET /trail":                     {may: builders},
	"GET /security":                  {may: everyone},
	"POST /security/password":        {may: everyone, proof: []string{"current", password, "password", password + "!", "repeat", password + "!"}},
	"GET /security/factor":           {may: everyone},
	"POST /security/factor":          {may: everyone}, // its ticket is as young as a proof
	"POST /security/factor/remove":   {may: everyone}, // takes a code
	"GET /security/provider":         {may: everyone},
	"POST /security/provider":        {may: everyone}, // its ticket is as young as a proof
	"POST /security/provider/remove": {may: everyone, proof: []string{"confirm", "yes"}},
	"POST /security/passkey":         {may: everyone}, // answers a question that is as young as a proof
	"POST /security/passkey/ask":     {may: everyone},
	"POST /security/passkey/remove":  {may: everyone, proof: []string{"passkey", "AQ", "confirm", "yes"}},
	"POST /security/close":           {may: everyone},
	"POST /sign-out":                 {may: everyone},
	"GET /jobs/JOB":                  {may: everyone},
	"GET /jobs/JOB/live":             {may: everyone},
	"GET /jobs/JOB/record":           {may: builders},
	"GET /jobs/JOB/download":         {may: builders},
	"GET /jobs/JOB/evidence":         {may: builders},
	"GET /jobs/JOB/result":           {may: builders},
	"GET /jobs/JOB/pages/PAGE":       {may: builders},
	"POST /jobs/JOB/cancel":          {may: builders},
	"POST /jobs/JOB/redeliver":       {may: builders},
	"GET /playground/OPERATION":      {may: builders},
	"POST /playground/OPERATION":     {may: builders},
}

var memberInput = regexp.MustCompile(`name="member" value="([^"]+)"`)

// foreignJob is a job of another account than that of account.
func (n *inProcessNode) foreignJob(t *testing.T) string {
	t.Helper()
	other := client{n.machine.devKey(t, events.PlanPro)}
	id, status, err := other.post("http://"+n.Address()+"/html-to-pdf", map[string]any{"html": "<p>x</p>"})
	if err != nil || status != 202 {
		t.Fatalf("submit: %d, %v", status, err)
	}
	return id.String()
}

// Every route of members is for its roles only, in its own account, from a form of the session's pages; and what gives access takes a proof.
func TestDashboardMatrix(t *testing.T) {
	if routes, rules := slices.Sorted(slices.Values(dashboard.Routes())), slices.Sorted(maps.Keys(routeRules)); !slices.Equal(routes, rules) {
		t.Fatalf("the routes are\n%q\nthe rules\n%q", routes, rules)
	}
	n := startDashboard(t)
	account, foreign := n.account(t), n.foreignJob(t)
	people := map[string]*person{}
	for _, role := range strings.Fields(everyone) {
		people[role] = n.member(t, account, role+"@example.com", role)
	}
	unknown := events.NewJobID().String()
	for name, rule := range routeRules {
		method, below, _ := strings.Cut(name, " ")
		path := "/dashboard" + strings.NewReplacer("JOB", foreign, "PAGE", "1.png", "OPERATION", "html-to-pdf").Replace(below)
		visit := func(p *person, token string) reply {
			if method == "GET" {
				return p.get(path)
			}
			return p.post(path, "token", token)
		}
		if got := visit(n.person(t), ""); method == "GET" && got.status != 303 || method == "POST" && (got.status != 403 || !strings.Contains(got.body, "signed out")) {
			t.Errorf("%s, signed out: %d", name, got.status)
		}
		for role, p := range people {
			if method == "POST" {
				if got := visit(p, "x"); got.status != 403 || !strings.Contains(got.body, "out of date") {
					t.Errorf("%s as %s, from another page: %d", name, role, got.status)
				}
			}
			if slices.Contains(strings.Fields(rule.may), role) {
				if method == "GET" && !strings.HasSuffix(path, "/live") && visit(p, "").status == 403 { // a live page has no end
					t.Errorf("%s as %s is refused", name, role)
				}
				continue
			}
			if got := visit(p, p.token()); got.status != 403 || !strings.Contains(got.body, "Not with your role") {
				t.Errorf("%s as %s: %d", name, role, got.status)
			}
		}
		owner := people["owner"]
		if strings.Contains(below, "JOB") {
			other := strings.Replace(path, foreign, unknown, 1)
			got, known := owner.send(method, path, "token="+owner.token(), "Sec-Fetch-Site", "same-origin"), owner.send(method, other, "token="+owner.token(), "Sec-Fetch-Site", "same-origin")
			if got.status != 404 || known.status != 404 {
				t.Errorf("%s: another account's job is %d, none %d", name, got.status, known.status)
			}
		}
	}
	members := memberInput.FindAllStringSubmatch(people["owner"].get("/dashboard/members").body, -1)
	member := members[len(members)-1][1] // not the owner, who is the first
	n.ahead.Store(int64(11 * time.Minute))
	for name, rule := range routeRules {
		if rule.proof == nil {
			continue
		}
		form := slices.Clone(rule.proof)
		for i := range form {
			form[i] = strings.Replace(form[i], "MEMBER", member, 1)
		}
		if got := people["owner"].act("/dashboard"+strings.TrimPrefix(name, "POST "), form...); got.status != 403 || !strings.Contains(got.body, "Sign in again") {
			t.Errorf("%s, eleven minutes after signing in: %d %s", name, got.status, cmp.Or(got.header.Get("Location"), got.body))
		}
	}
}
