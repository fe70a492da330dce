package edge

import (
	"crypto/sha256"
	"encoding/hex"

	"platen.dev/edge/dashboard"
	"platen.dev/edge/request"
	"platen.dev/edge/transport"
	"platen.dev/einvoice/report"
	"platen.dev/events"
	"platen.dev/projections"
)

// memberJobs submits the jobs of members, by the same way as those of programs.
type memberJobs struct{ *submissions }

// Check returns what is wrong with a body, nil for nothing.
func (s memberJobs) Check(account events.AccountID, op *request.Operation, body []byte) *dashboard.Refusal {
	return refusalOf(s.read(op, account, request.Sent{Body: body}, func(*transport.Work, request.Request) *problem { return nil }))
}

// Submit has the account accept a job.
func (s memberJobs) Submit(m dashboard.Submission) (events.JobID, *dashboard.Refusal) {
	caller, wrong := s.admitMember(m.By.Account)
	if wrong != nil {
		return events.JobID{}, refusalOf(wrong)
	}
	id, wrong := s.placeFor(m, caller)
	return id, refusalOf(wrong)
}

// refusalOf is a problem as the dashboard shows it, nil for none.
func refusalOf(wrong *problem) *dashboard.Refusal {
	if wrong == nil {
		return nil
	}
	r := &dashboard.Refusal{Status: wrong.status, Title: wrong.title, Detail: wrong.detail, RetryAfter: wrong.retryAfter, Violations: wrong.violations}
	if wrong.upgrade != nil {
		r.UpgradeURL = wrong.upgrade.UpgradeURL
	}
	return r
}

// admitMember counts a member's request towards the account's rate.
func (s memberJobs) admitMember(id events.AccountID) (caller projections.Caller, wrong *problem) {
	account, _, err := s.cfg.Models.Account(id)
	if err != nil {
		return caller, s.unreadable("read account", err, "account", string(id))
	}
	if rate := s.cfg.Rate(id, account.Plan); !rate.Allowed {
		return caller, rateLimited.after(events.At(s.cfg.Now()).SecondsUntil(rate.Reset))
	}
	return projections.Caller{KeyRef: projections.KeyRef{Account: id, Key: events.DashboardKey}, Plan: account.Plan}, nil
}

func (s memberJobs) placeFor(m dashboard.Submission, caller projections.Caller) (id events.JobID, wrong *problem) {
	sent := request.Sent{Body: m.Body, Keys: [][]byte{memberKey(m)}}
	wrong = s.read(m.Operation, m.By.Account, sent, func(w *transport.Work, r request.Request) *problem {
		p, wrong := s.enqueue(w, r, caller, events.Trace{}, m.By)
		id = p.id
		return wrong
	})
	return id, wrong
}

// memberInvoices checks the e-invoices of members, at the request rate of programs.
type memberInvoices struct {
	memberJobs
	invoices *invoices
}

func (s memberInvoices) check(account events.AccountID, c request.InvoiceCheck) (*report.Report, *dashboard.Refusal) {
	if _, wrong := s.admitMember(account); wrong != nil {
		return nil, refusalOf(wrong)
	}
	return s.invoices.check(account, c), nil
}

// memberKey returns the idempotency key of a form's submission: the same body again is the same request, a different one
// is not. Programs may use such keys too; they then meet only their own account's jobs.
func memberKey(m dashboard.Submission) []byte {
	h := sha256.New()
	h.Write([]byte(m.Operation.Path() + "\x00" + m.Once + "\x00"))
	h.Write(m.Body)
	return []byte("dashboard:" + hex.EncodeToString(h.Sum(nil)))
}
