package node

import (
	"cmp"
	"context"

	"platen.dev/actors/delivery"
	"platen.dev/actors/webhook"
	"platen.dev/events"
)

func (n *Node) startWebhooks(context.Context) (err error) {
	n.webhooks = &webhook.Composer{
		Replica: n.replica, Seal: n.seal, Partitions: n.log.Partitions(), Origin: n.origin, Prefix: n.cfg.headerPrefix(),
		Client: webhook.NewClient(n.egress(), n.cfg.headerPrefix(), "Platen/"+n.version, n.now), Now: n.now,
	}
	n.notifier, err = webhook.Start(n.system, webhook.Config{
		Log: n.log, Client: n.webhooks.Client, URL: n.webhooks.URL, Prepare: n.webhooks.Prepare, Now: n.now, Logger: n.logger, Traces: n.traces, Observe: n.metrics.notified,
	})
	if err == nil {
		n.onClose("webhooks", func(context.Context) error { return n.notifier.Close() })
	}
	return err
}

func (n *Node) startDeliveries(context.Context) (err error) {
	n.uploader, err = delivery.Start(n.system, delivery.Config{
		Log: n.log, Client: delivery.NewClient(n.egress(), "Platen/"+n.version), Open: n.files.Open, Unseal: n.seal.Open,
		Now: n.now, Logger: n.logger, Traces: n.traces, Observe: n.metrics.uploaded,
	})
	if err == nil {
		n.onClose("deliveries", func(context.Context) error { return n.uploader.Close() })
	}
	return err
}

// fileURL is where the file of a job can be downloaded.
func (n *Node) fileURL(id events.JobID) string {
	return webhook.FileURL(n.origin(), id)
}

// origin is where clients reach the API.
func (n *Node) origin() string {
	address := n.cfg.Listen
	if known := n.listens.Load(); known != nil {
		address = *known
	}
	return cmp.Or(n.cfg.PublicURL, n.cfg.scheme()+address)
}
