package node

import (
	"context"
	"fmt"
	"strings"

	"platen.dev/actors/account"
	"platen.dev/actors/delivery"
	"platen.dev/actors/job"
	"platen.dev/actors/perform"
	"platen.dev/actors/retention"
	"platen.dev/actors/shard"
	"platen.dev/actors/webhook"
	"platen.dev/events"
	"platen.dev/store"
)

// startEffects starts a performer for each kind of effect except rendering, which has started.
func startEffects(b *base, s *storage, net *network, e *engine) error {
	e.drain, e.effects = newDrainer(b, e.renderer, net.peers), shard.Performers{job.KindRender: e.renderer}
	for _, of := range []struct {
		kind  job.EffectKind
		start func(*base, *storage, *network, *engine) (*perform.Performer, error)
	}{
		{job.KindDeleteFile, startRetention}, {job.KindNotify, startWebhooks}, {job.KindDeliver, startDeliveries},
	} {
		performer, err := of.start(b, s, net, e)
		if err != nil {
			return fmt.Errorf("%s: %w", of.kind, err)
		}
		e.effects[of.kind] = performer
		b.onClose(string(of.kind), func(context.Context) error { return performer.Close() })
	}
	return nil
}

// startRetention begins to delete files.
func startRetention(b *base, s *storage, net *network, _ *engine) (*perform.Performer, error) {
	b.periodically("sweep of files", retention.OrphanInterval, orphans(b, s).SweepIfMine)
	return retention.Start(net.system, retention.Config{Log: s.log, Files: s.files, Logger: b.logger, Now: b.clock.Now})
}

// orphans finds files that no job owns. It runs on the owner of the first partition.
func orphans(b *base, s *storage) retention.Orphans {
	return retention.Orphans{
		Files: s.files, Owned: s.ownsFile, Now: b.clock.Now, Logger: b.logger,
		Claim: func(ctx context.Context) error {
			return claimantOf(b.cfg.StorageConfig, s.files, s.log).take(ctx, func() ([]string, error) { return nil, nil })
		},
		Mine: func() bool { return s.replica.Owner(0) == b.id },
		Settle: func(ctx context.Context) (func(string) bool, error) {
			return retention.Settle(ctx, s.log, s.replica, retention.SettleLimit)
		},
	}
}

// ownsFile reports whether a stored file has an owner, or may get one: a job, or somebody else if the name is not
// one that Platen gives.
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

// startWebhooks begins to send webhooks. The composer also sends test webhooks.
func startWebhooks(b *base, s *storage, net *network, e *engine) (*perform.Performer, error) {
	c := &webhook.Composer{
		Replica: s.replica, Seal: s.keys.Key, Partitions: s.log.Partitions(), Origin: net.front.origin, Prefix: b.cfg.headerPrefix(),
		Client: webhook.NewClient(net.guard.policy(), b.cfg.headerPrefix(), "Platen/"+b.version, b.clock.Now), Now: b.clock.Now,
	}
	e.webhooks = c
	return webhook.Start(net.system, webhook.Config{
		Log: s.log, Client: c.Client, URL: c.URL, Prepare: c.Prepare, Now: b.clock.Now, Logger: b.logger, Traces: b.traces, Observe: b.metrics.Notified,
	})
}

// startDeliveries begins to upload files to their callers' storage.
func startDeliveries(b *base, s *storage, net *network, _ *engine) (*perform.Performer, error) {
	return delivery.Start(net.system, delivery.Config{
		Log: s.log, Client: delivery.NewClient(net.guard.policy(), "Platen/"+b.version), Open: s.files.Open, Unseal: s.keys.Open,
		Now: b.clock.Now, Logger: b.logger, Traces: b.traces, Observe: b.metrics.Uploaded,
	})
}
