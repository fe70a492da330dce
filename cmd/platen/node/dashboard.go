package node

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"time"

	"platen.dev/actors/account"
	"platen.dev/actors/webhook"
	"platen.dev/document"
	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

// dashboard is what the pages of members need of the node.
func (n *Node) dashboard() (*dashboard.Config, error) {
	cfg := &dashboard.Config{Commands: n.gateway, Models: n.replica, Usage: n.liveUsage, Webhooks: memberWebhooks{n}, Log: jobLog{n}, Templates: memberTemplates{n}, Mail: n.mailer, Seal: n.seal, Picture: picture, URL: n.cfg.PublicURL}
	if n.cfg.Dev {
		cfg.Demo = map[events.Plan]events.AccountID{}
		for _, plan := range events.Plans() {
			cfg.Demo[plan] = devAccount(plan)
		}
	}
	provider, name, err := n.cfg.OIDC.provider()
	if err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	if provider != nil {
		cfg.SignIn, cfg.ProviderName = provider, name
		n.onClose("OpenID provider", func(context.Context) error { provider.Close(); return nil })
	}
	return cfg, nil
}

// picture is a page of a file that a job has made: a PDF, or a picture, which is its own only page.
func picture(ctx context.Context, file []byte, page, width int) ([]byte, error) {
	if !bytes.HasPrefix(file, []byte("%PDF-")) {
		return document.Thumbnail(file, width)
	}
	return document.Picture(ctx, file, page, width)
}

// DashboardURL is where a browser on this machine finds the dashboard.
func (n *Node) DashboardURL() string { return n.cfg.scheme() + fromHere(n.Address()) + dashboard.Path }

// fromHere is the address by which this machine reaches a listener, which may be on all of its addresses.
func fromHere(listener string) string {
	at, err := netip.ParseAddrPort(listener)
	if err != nil || !at.Addr().IsUnspecified() {
		return listener
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
}

// liveUsage is what an account uses, as this node has read it.
func (n *Node) liveUsage(id events.AccountID) (u dashboard.Usage, err error) {
	state, err := n.storeOf(id).Account(id)
	if err != nil {
		return u, err
	}
	now := events.At(n.now())
	use := account.UsageAt(state, now, account.LimitsOf)
	return dashboard.Usage{
		Jobs: use.Reserved + use.Used, JobLimit: use.Limits.Jobs, Bytes: use.Bytes, ByteLimit: use.Limits.Bytes,
		Start: use.WindowStart, End: use.WindowEnd, Tests: state.Tests.On(now),
		Running: use.Running, MostRunning: use.Limits.Running, RequestsPerMinute: use.Limits.RequestsPerMinute,
	}, nil
}

// memberWebhooks has the settings of webhooks for members.
type memberWebhooks struct{ node *Node }

// Settings reads those of an account.
func (w memberWebhooks) Settings(id events.AccountID) (set dashboard.WebhookSettings, err error) {
	state, err := w.node.storeOf(id).Account(id)
	set.Rotated, set.Overlap = len(state.Webhooks.Secret) > 0, state.Webhooks.Overlap
	set.Mark = state.Webhooks.SecretMark()
	for _, h := range state.Webhooks.Headers {
		set.Headers = append(set.Headers, h.Name)
	}
	return set, err
}

// FirstSecret is the one that follows from the cluster's secret.
func (w memberWebhooks) FirstSecret(id events.AccountID) string {
	return webhook.FirstSecret(w.node.seal, id)
}

// NewSecret makes a secret.
func (w memberWebhooks) NewSecret(id events.AccountID) (secret string, sealed events.Sealed) {
	secret = webhook.NewSecret()
	return secret, w.node.seal.SealFor(id, secret)
}

// SealHeader checks a header and seals its value.
func (w memberWebhooks) SealHeader(id events.AccountID, name, value string) (events.Sealed, error) {
	if err := webhook.CheckHeader(webhook.Header{Name: name, Value: value}, w.node.webhookPrefix()); err != nil {
		return nil, err
	}
	return w.node.seal.SealFor(id, value), nil
}

// SendTest sends a webhook about a job that there is not.
func (w memberWebhooks) SendTest(ctx context.Context, id events.AccountID, url string, failed bool) (events.WebhookAttempt, error) {
	job, now := events.NewJobID(), events.At(w.node.now())
	row := projections.Job{Account: id, Status: events.StatusDone, Test: true, Created: now, Finished: now, Expires: now.Add(contract.FileLife), FileURL: w.node.fileURL(job)}
	if failed {
		row = projections.Job{Account: id, Status: events.StatusFailed, Test: true, Created: now, Finished: now, Error: events.NavigationFailed}
	}
	m := webhook.Message{ID: view.WebhookID(job), URL: url, Body: view.AppendNotice(nil, job, row)}
	if err := w.node.address(&m, id); err != nil {
		return events.WebhookAttempt{}, err
	}
	return w.node.webhooks.Send(ctx, m).WebhookAttempt, nil
}

// devMember is the member of a demo account. Its password is one that nobody knows.
const devMember events.MemberID = "mem_dev_owner"

// ensureDevMembers makes the members of the demo accounts, once.
func (n *Node) ensureDevMembers() error {
	for _, plan := range events.Plans() {
		id := devAccount(plan)
		team, err := n.replica.Team(id)
		if err != nil {
			return err
		}
		if m, _ := team.Member(devMember); m.Joined != 0 {
			continue
		}
		if err := n.ensureDevMember(id, plan); err != nil {
			return fmt.Errorf("member of the demo account %s: %w", plan, err)
		}
	}
	return nil
}

func (n *Node) ensureDevMember(id events.AccountID, plan events.Plan) error {
	password, err := dashboard.UnknownPassword()
	if err != nil {
		return err
	}
	_, hash := dashboard.NewInvitation(id, devMember)
	for _, body := range []events.CommandBody{
		events.InviteMember{Member: devMember, Email: fmt.Sprintf("demo@%s.example", plan), Role: events.RoleOwner, Invitation: hash, Until: events.At(n.now().Add(time.Hour))},
		events.AcceptInvitation{Member: devMember, Invitation: hash, Password: password},
	} {
		reply, err := n.gateway.Do(id, body)
		if err != nil {
			return err
		}
		if reply.Code != events.Accepted {
			return fmt.Errorf("refused: %s", reply.Code)
		}
	}
	return nil
}
