package node

import (
	"cmp"
	"context"
	"fmt"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/webhook"
	"platen.dev/browserpool/egress"
	"platen.dev/events"
	"platen.dev/projections"
	"platen.dev/projections/view"
)

func (n *Node) startWebhooks(context.Context) (err error) {
	client := webhook.NewClient(n.egress(), n.webhookPrefix(), "Platen/"+n.version, nil, n.now)
	n.notifier, err = webhook.Start(n.system, webhook.Config{Log: n.log, Client: client, Prepare: n.prepareWebhook, Now: n.now, Logger: n.logger})
	if err == nil {
		n.onClose("webhooks", func(context.Context) error { return n.notifier.Close() })
	}
	return err
}

// egress is the policy of all connections that callers bring about.
func (n *Node) egress() egress.Policy {
	return egress.Policy{Allow: n.cfg.EgressAllow, Refuses: n.addresses.has}
}

func (n *Node) webhookPrefix() string { return cmp.Or(n.cfg.WebhookPrefix, webhook.DefaultPrefix) }

// prepareWebhook makes the message that reports how a job has ended.
func (n *Node) prepareWebhook(partition int32, e job.Notify) (m webhook.Message, err error) {
	store := account.ReplicaStore{Reader: n.replica, Partition: partition}
	s, err := store.Job(e.Account, e.Job)
	if err != nil {
		return m, err
	}
	row, known, err := projections.JobIn(n.replica, partition, e.Account, e.Job)
	if err != nil {
		return m, err
	}
	if !known || s.Active() || len(s.Notice.URL) == 0 {
		return m, webhook.ErrNothing
	}
	m = webhook.Message{ID: webhook.ID(e.Job), Body: view.AppendNotice(nil, e.Job, row)}
	if m.URL, err = n.seal.Open(e.Job, s.Notice.URL); err != nil {
		return m, fmt.Errorf("URL: %w", err)
	}
	owner, err := store.Account(e.Account)
	if err != nil {
		return m, err
	}
	return m, n.signAs(&m, e.Account, owner.Webhooks)
}

// signAs adds what an account's webhooks have in common.
func (n *Node) signAs(m *webhook.Message, id events.AccountID, w account.Webhooks) (err error) {
	if m.Secrets, err = n.webhookSecrets(id, w); err != nil {
		return err
	}
	for _, h := range w.Headers {
		value, err := n.seal.OpenFor(id, h.Value)
		if err != nil {
			return fmt.Errorf("header %s: %w", h.Name, err)
		}
		m.Headers = append(m.Headers, webhook.Header{Name: h.Name, Value: value})
	}
	return nil
}

// webhookSecrets returns the secrets that sign now, the newest first.
func (n *Node) webhookSecrets(id events.AccountID, w account.Webhooks) ([]string, error) {
	signing := []events.Sealed{w.Secret}
	if events.At(n.now()) < w.Overlap {
		signing = append(signing, w.Previous)
	}
	var secrets []string
	for _, sealed := range signing {
		secret, err := n.seal.OpenFor(id, sealed)
		if err != nil {
			return nil, fmt.Errorf("secret: %w", err)
		}
		secrets = append(secrets, cmp.Or(secret, webhook.Secret(n.seal.WebhookKey(id))))
	}
	return secrets, nil
}

// fileURL is where the file of a job can be downloaded.
func (n *Node) fileURL(id events.JobID) string {
	address := n.cfg.Listen
	if known := n.listens.Load(); known != nil {
		address = *known
	}
	return cmp.Or(n.cfg.PublicURL, "http://"+address) + "/jobs/" + id.String() + "/download"
}
