package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/projections/history/historytest"
)

// The account whose pages are measured, and the number of requests per page.
const (
	pagesJobs    = 1_000_000
	pagesDays    = 20
	pagesAccount = "acc_00000000" // the first of historytest
	pagesLooks   = 31

	// The goals of each page, in milliseconds and KB.
	pagesGoal     = 50
	pagesSizeGoal = 150
)

// pages measures the pages of the dashboard of an account with a million jobs in its quota window, all of them in the ledger, and operators' pages,
// as a browser gets them from a node.
func pages(s settings) error {
	fmt.Printf("\npages of the dashboard of an account with %d jobs, and of operators (goal: %d ms and %d KB each)\n", pagesJobs, pagesGoal, pagesSizeGoal)
	dir, err := os.MkdirTemp("", "platen-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := writePagesHistory(filepath.Join(dir, "log")); err != nil {
		return err
	}
	p, err := withKey(startIn(dir, func(dir string) *exec.Cmd { return platen(s.platen, []string{"--ops", "127.0.0.1:0"})(dir) }))
	if err != nil {
		return err
	}
	defer func() { _ = p.stop() }()
	return p.lookAtPages(s.out)
}

// writePagesHistory writes the journal of one account.
func writePagesHistory(dir string) error {
	l, err := embedded.Open(embedded.Config{Dir: dir, Partitions: events.DefaultPartitions, Logger: slog.New(slog.DiscardHandler), Unbounded: []string{events.TopicJournal}})
	if err != nil {
		return err
	}
	w, err := historytest.New(historytest.Config{
		Log: l, Accounts: 1, JobsPerDay: pagesJobs / pagesDays, Batch: 100, Begin: time.Now().Add(-pagesDays * 24 * time.Hour), Young: true,
	})
	for day := 0; day < pagesDays && err == nil; day++ {
		err = w.Day()
	}
	if err == nil {
		err = w.End()
	}
	return errors.Join(err, l.Close())
}

// lookAtPages signs in as a member and as an operator, and looks at every page.
func (p *process) lookAtPages(out *results) error {
	admin := p.admin()
	defer admin.CloseIdleConnections()
	var key struct{ Secret string }
	if err := adminCall(admin, "/accounts/"+pagesAccount+"/keys", `{}`, &key); err != nil {
		return err
	}
	c := newClient(p)
	c.key = key.Secret
	if err := c.awaitLedger(); err != nil {
		return err
	}
	job, err := c.submit(`{"html":"<p>x</p>","test":true}`)
	if err != nil {
		return err
	}
	member, template, err := p.member(admin)
	if err != nil {
		return err
	}
	today := time.Now().UTC().Format(time.DateOnly) + "T00:00:00Z"
	yesterday := time.Now().Add(-24*time.Hour).UTC().Format(time.DateOnly) + "T00:00:00Z"
	for _, path := range []string{
		"", "/jobs", "/jobs?status=failed", "/jobs/" + job, "/jobs/" + job + "/record", "/usage", "/usage?by=operation", "/usage/entries?from=" + yesterday + "&to=" + today,
		"/keys", "/webhooks", "/webhooks/undelivered", "/templates", "/templates/edit?template=" + template, "/templates/versions?template=" + template,
		"/members", "/trail", "/security", "/security/factor", "/playground", "/playground/html-to-pdf", "/playground/einvoice-to-pdf",
	} {
		if err := member.look(out, "/dashboard"+path); err != nil {
			return err
		}
	}
	operator, err := p.operator(admin)
	if err != nil {
		return err
	}
	for _, path := range []string{"", "/accounts/" + pagesAccount, "/cluster", "/queues", "/jobs"} {
		if err := operator.look(out, "/operator"+path); err != nil {
			return err
		}
	}
	return nil
}

// awaitLedger waits until the ledger has every job.
func (c *client) awaitLedger() error {
	for deadline := time.Now().Add(15 * time.Minute); time.Now().Before(deadline); time.Sleep(time.Second) {
		body, err := c.get("/usage?bucket=total&from=" + time.Now().Add(-40*24*time.Hour).UTC().Format(time.DateOnly))
		if err != nil {
			return err
		}
		if strings.Contains(string(body), fmt.Sprintf(`"render_units":%d,`, pagesJobs)) {
			return nil
		}
	}
	return errors.New("the ledger does not have all jobs after 15 minutes")
}

// visitor is the browser of somebody who is signed in.
type visitor struct {
	http *http.Client
	base string
}

func newVisitor(base string) (*visitor, error) {
	jar, err := cookiejar.New(nil)
	return &visitor{&http.Client{Jar: jar}, base}, err
}

func (v *visitor) get(path string) (body []byte, err error) {
	resp, err := v.http.Get(v.base + path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

func (v *visitor) post(path string, form url.Values) error {
	req, err := http.NewRequest("POST", v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	resp, err := v.http.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != 200 { // of the page that it redirects to
		err = fmt.Errorf("POST %s: %s", path, resp.Status)
	}
	return errors.Join(err, resp.Body.Close())
}

var (
	formToken    = regexp.MustCompile(`name="token" value="([^"]+)"`)
	templateLink = regexp.MustCompile(`/dashboard/templates/edit\?template=([\w-]+)`)
)

// member joins the account as an owner, and saves a block template.
func (p *process) member(admin *http.Client) (v *visitor, template string, err error) {
	var invited struct{ Link string }
	if err := adminCall(admin, "/accounts/"+pagesAccount+"/members", `{"email":"ada@example.com","role":"owner"}`, &invited); err != nil {
		return nil, "", err
	}
	if v, err = newVisitor(p.base); err != nil {
		return nil, "", err
	}
	const password = "correct horse battery"
	if err := v.post(invited.Link[strings.Index(invited.Link, "/dashboard"):], url.Values{"password": {password}, "repeat": {password}}); err != nil {
		return nil, "", err
	}
	page, err := v.get("/dashboard/templates")
	if err != nil {
		return nil, "", err
	}
	token := formToken.FindSubmatch(page)
	if token == nil {
		return nil, "", errors.New("the member is not signed in")
	}
	if err := v.post("/dashboard/templates/save", url.Values{"token": {string(token[1])}, "do": {"save"}, "name": {"Bench"}}); err != nil {
		return nil, "", err
	}
	if page, err = v.get("/dashboard/templates"); err != nil {
		return nil, "", err
	}
	saved := templateLink.FindSubmatch(page)
	if saved == nil {
		return nil, "", errors.New("the template was not saved")
	}
	return v, string(saved[1]), nil
}

// operator signs in to the pages of operators.
func (p *process) operator(admin *http.Client) (*visitor, error) {
	var made struct{ Link string }
	if err := adminCall(admin, "/console", `{}`, &made); err != nil {
		return nil, err
	}
	base, path, _ := strings.Cut(made.Link, "/operator")
	v, err := newVisitor(base)
	if err != nil {
		return nil, err
	}
	_, err = v.get("/operator" + path)
	return v, err
}

// look adds a page's time and size.
func (v *visitor) look(out *results, path string) error {
	var took []time.Duration
	size := 0
	for range pagesLooks {
		began := time.Now()
		page, err := v.get(path)
		if err != nil {
			return err
		}
		took, size = append(took, time.Since(began)), len(page)
	}
	slices.Sort(took)
	middle, longest := percentile(took, 50), took[len(took)-1]
	out.add(shortened(path), fmt.Sprintf("  %-60s median %9s   longest %9s   %5.1f KB", shortened(path), ms(middle), ms(longest), float64(size)/1000),
		inMilliseconds("median", middle).atMost(pagesGoal), inMilliseconds("longest", longest),
		figure{Name: "size", Unit: "KB", Value: float64(size) / 1000}.atMost(pagesSizeGoal))
	return nil
}

var jobInPath = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

func shortened(path string) string { return jobInPath.ReplaceAllString(path, "ID") }
