package service

import (
	"context"
	"strings"

	"platen.dev/actors/account"
	"platen.dev/actors/webhook"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/limit"
	"platen.dev/events/team"
)

// Sender sends webhooks like those of jobs.
type Sender interface {
	// CheckHeader returns why an account may not set a header.
	CheckHeader(webhook.Header) error
	// SendTest sends a webhook of an account once, about a fictitious job. The error means that nothing was sent.
	SendTest(ctx context.Context, account events.AccountID, url string, failed bool) (events.WebhookAttempt, error)
}

// Limits on the test webhooks sent at once: of one account, and of a node.
const (
	testsPerAccount = 1
	testsPerNode    = 8
)

// Webhooks are the actions on an account's common webhook settings.
type Webhooks struct {
	*gate
	tests *limit.Concurrent[events.AccountID]
}

func newWebhooks(g *gate) Webhooks {
	return Webhooks{g, limit.NewConcurrent[events.AccountID](testsPerNode, testsPerAccount)}
}

// Settings are those of an account. The secrets in them are sealed.
func (w Webhooks) Settings(id events.AccountID) (account.Webhooks, error) {
	s, err := w.state(id)
	return s.Webhooks, err
}

// Secrets returns the secrets that sign at present, newest first, and until when the second one does.
func (w Webhooks) Secrets(id events.AccountID) (secrets []string, overlap events.Instant, err error) {
	set, err := w.Settings(id)
	if err != nil {
		return nil, 0, err
	}
	secrets, err = webhook.Secrets(w.Seal, id, set, w.now())
	if len(secrets) > 1 {
		overlap = set.Overlap
	}
	return secrets, overlap, err
}

// FirstSecret returns the secret that signs until the first rotation. It refuses with SecretShown after that: later secrets are shown when they are
// made.
func (w Webhooks) FirstSecret(p Principal) (string, error) {
	if p.is&(developers|operator) == 0 {
		return "", refuse(NotAllowed)
	}
	if p.is != operator && !p.since.Recent(team.ProofTime, w.now()) { // a secret gives access, and no command is decided for this
		return "", refuse(events.SignInOld)
	}
	set, err := w.Settings(p.Account)
	if err != nil {
		return "", err
	}
	if len(set.Secret) > 0 {
		return "", refuse(SecretShown)
	}
	w.tell(w.told(p, secretShown))
	return webhook.FirstSecret(w.Seal, p.Account), nil
}

// RotateSecret makes another secret and returns it; the previous one keeps signing for overlap seconds. after is the mark of the secret that it
// replaces (account.Webhooks.SecretMark), so that a repeated request rotates once; nil means the present one. While an earlier overlap is under way, it
// refuses with events.OverlapUnderWay, unless that ends.
func (w Webhooks) RotateSecret(p Principal, overlap int64, after []byte, ends bool) (string, error) {
	secret := webhook.NewSecret()
	err := w.run(p, events.RotateWebhookSecret{Secret: w.Seal.SealFor(p.Account, secret), Overlap: overlap, After: after, Ends: ends})
	return secret, as(err, events.AlreadyExists, SecretMade)
}

// SetHeader sets a header for all webhooks of the account.
func (w Webhooks) SetHeader(p Principal, name, value string) error {
	h := webhook.Header{Name: strings.TrimSpace(name), Value: value}
	if err := w.Config.Webhooks.CheckHeader(h); err != nil {
		return because(BadHeader, err)
	}
	return w.run(p, events.SetWebhookHeader{Name: h.Name, Value: w.Seal.SealFor(p.Account, h.Value)})
}

// DeleteHeader removes a header.
func (w Webhooks) DeleteHeader(p Principal, name string) error {
	return w.run(p, events.DeleteWebhookHeader{Name: name})
}

// Test sends a webhook to an address as the account's jobs do.
func (w Webhooks) Test(p Principal, address string, failed bool) (events.WebhookAttempt, error) {
	if _, err := contract.ParseURL(address, "http", "https"); err != nil {
		return events.WebhookAttempt{}, refuse(BadEndpoint)
	}
	if err := w.admit(p, events.RedeliverWebhook{}); err != nil { // who may resend a webhook may send a test
		return events.WebhookAttempt{}, err
	}
	end, free := w.tests.Begin(p.Account)
	if !free {
		return events.WebhookAttempt{}, refuse(TestUnderWay)
	}
	defer end()
	return w.Config.Webhooks.SendTest(context.Background(), p.Account, address, failed)
}
