package edge

import (
	"errors"
	"strings"
	"testing"

	"platen.dev/edge/request"
	"platen.dev/edge/transport"
	"platen.dev/einvoice/report"
)

// Checking or reading a PDF of any size takes a turn of its account, as it may decode to much more; XML of ordinary size takes none.
func TestInvoicesTakeTurns(t *testing.T) {
	d := newFixture(t)
	turns := d.server.submissions.turns
	held := make(chan int, 1)
	d.server.cfg.Documents.Validate = func(request.InvoiceCheck) *report.Report {
		n, _ := turns.Held()
		held <- n
		r := &report.Report{}
		r.Conclude()
		return r
	}
	d.server.cfg.Documents.Extract = func([]byte) (*report.Extract, error) {
		n, _ := turns.Held()
		held <- n
		return nil, errors.New("it has no invoice")
	}
	for _, c := range []struct {
		path, body   string
		status, held int
	}{
		{"/einvoices/validate", `{"pdf":"eA=="}`, 200, 1},
		{"/einvoices/validate", `{"xml":"x"}`, 200, 0},
		{"/einvoices/validate", `{"xml":"` + strings.Repeat("x", transport.FreeContent+1) + `"}`, 200, 1},
		{"/einvoices/extract", `{"pdf":"eA=="}`, 422, 1},
	} {
		a := d.do("POST", c.path, c.body)
		if got := <-held; got != c.held || a.StatusCode != c.status {
			t.Errorf("%s %.20s: %d turns, %d", c.path, c.body, got, a.StatusCode)
		}
	}
	if left, _ := turns.Held(); left != 0 {
		t.Errorf("%d turns were not given back", left)
	}
}

// A refusal lists only fatal violations, up to the maximum.
func TestRulesViolated(t *testing.T) {
	var found report.Rules
	found.Sets = []report.Set{{Name: "en16931", Version: "1"}}
	for range 60 {
		found.Violations = append(found.Violations, report.Violation{Rule: "BR-01", Severity: report.Fatal}, report.Violation{Rule: "X", Severity: report.Warning})
	}
	for fatal, want := range map[int]int{100: 50, 98: 49} {
		found := found
		found.Violations = found.Violations[:fatal]
		p := rulesViolated(found)
		if len(p.broken) != want {
			t.Errorf("%d of %d are listed", len(p.broken), fatal/2)
		}
		for _, v := range p.broken {
			if v.Severity != report.Fatal {
				t.Errorf("%s is listed", v.Rule)
			}
		}
	}
}
