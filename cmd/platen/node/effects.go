package node

import (
	"context"
	"strings"

	"platen.dev/actors/account"
	"platen.dev/actors/delivery"
	"platen.dev/actors/perform"
	"platen.dev/actors/retention"
	"platen.dev/actors/webhook"
	"platen.dev/events"
	"platen.dev/store"
)

// startRetention begins to delete files.
func startRetention(b *base, s *storage, net *network) (*perform.Performer, error) {
	deleter, err := retention.Start(net.system, retention.Config{Log: s.log, Files: s.files, Logger: b.logger, Now: b.clock.Now})
	if err != nil {
		return nil, err
	}
	b.onClose("retention", func(context.Context) error { return deleter.Close() })
	b.periodically("sweep of files", retention.OrphanInterval, orphans(b, s).SweepIfMine)
	return deleter, nil
}

// orphans finds files that no job owns. The owner of the first partition does so.
func orphans(b *base, s *storage) retention.Orphans {
	return retention.Orphans{
		Files: s.files, Owned: s.ownsFile, Now: b.clock.Now, Logger: b.logger,
		Mine: func() bool { return s.replica.Owner(0) == b.id },
		Settle: func(ctx context.Context) (func(string) bool, error) {
			return retention.Settle(ctx, s.log, s.replica, retention.SettleLimit)
		},
	}
}

// ownsFile reports whether a stored file has an owner, or may get one: a job, or whoever put it there if its name
// is not one that Platen gives.
func (s *storage) ownsFile(name string) (bool, error) {
	if strings.HasPrefix(name, store.ProbePrefix) {
		return false, nil
	}
	id, partition, ok := events.ParseFileName(name)
	if !ok {
		return true, nil
	}
	return account.OwnsFile(s.replica, partition, id, name)
}

// startWebhooks begins to send webhooks. The composer sends others like them.
func startWebhooks(b *base, s *storage, net *network) (*webhook.Composer, *perform.Performer, error) {
	c := &webhook.Composer{
		Replica: s.replica, Seal: s.keys.Key, Partitions: s.log.Partitions(), Origin: net.front.origin, Prefix: b.cfg.headerPrefix(),
		Client: webhook.NewClient(net.guard.policy(), b.cfg.headerPrefix(), "Platen/"+b.version, b.clock.Now), Now: b.clock.Now,
	}
	notifier, err := webhook.Start(net.system, webhook.Config{
		Log: s.log, Client: c.Client, URL: c.URL, Prepare: c.Prepare, Now: b.clock.Now, Logger: b.logger, Traces: b.traces, Observe: b.metrics.Notified,
	})
	if err == nil {
		b.onClose("webhooks", func(context.Context) error { return notifier.Close() })
	}
	return c, notifier, err
}

// startDeliveries begins to upload files to their callers' storage.
func startDeliveries(b *base, s *storage, net *network) (*perform.Performer, error) {
	uploader, err := delivery.Start(net.system, delivery.Config{
		Log: s.log, Client: delivery.NewClient(net.guard.policy(), "Platen/"+b.version), Open: s.files.Open, Unseal: s.keys.Open,
		Now: b.clock.Now, Logger: b.logger, Traces: b.traces, Observe: b.metrics.Uploaded,
	})
	if err == nil {
		b.onClose("deliveries", func(context.Context) error { return uploader.Close() })
	}
	return uploader, err
}
