package node

import (
	"context"
	"io"

	"platen.dev/actors/account"
	"platen.dev/actors/rate"
	"platen.dev/actors/service"
	"platen.dev/cmd/platen/admin"
	"platen.dev/cmd/platen/doctor"
	"platen.dev/edge"
	"platen.dev/edge/operator"
	"platen.dev/edge/request"
	"platen.dev/edge/usage"
	"platen.dev/einvoice/blocks"
	"platen.dev/events"
)

// serving holds the parts of a node that clients and operators reach.
type serving struct {
	limiter     *rate.Limiter
	unlimited   bool // nothing is counted against the limits
	status      *reporter
	services    *service.Services
	pages       *operator.Pages
	certificate *certificate // of the API; nil without TLS
	server      *edge.Server
}

// count counts a request of an account.
func (v *serving) count(id events.AccountID, plan events.Plan) events.Rate {
	limits, _ := account.LimitsOf(plan)
	if v.unlimited {
		return events.Rate{Allowed: true, Limit: limits.RequestsPerMinute, Remaining: limits.RequestsPerMinute}
	}
	return v.limiter.Take(id, limits.RequestsPerMinute)
}

// newServices returns the actions of accounts, members and operators.
func newServices(b *base, s *storage, e *engine, v *serving, node service.Node) (*service.Services, error) {
	mailer, err := b.cfg.Mail.mailer()
	if err != nil {
		return nil, err
	}
	services := service.New(service.Config{
		Commands: e.gateway, Replica: s.replica, Log: s.log, Fresh: service.NewFreshness(s.log.Partitions(), s.replica.CatchUp), Rate: v.count, Seal: s.keys.Key,
		Webhooks: e.webhooks, CheckTemplate: checkTemplate, Mail: mailer, Node: node, Logger: b.logger, Now: b.clock.Now,
	})
	b.onClose("letters", services.Close)
	return services, nil
}

// checkTemplate returns a block template in its canonical form, or what is wrong with it.
func checkTemplate(body []byte) ([]byte, error) {
	canonical, wrong := request.CanonicalTemplate(body, blocks.CheckPlaceholders)
	if len(wrong) > 0 {
		return nil, request.InvalidTemplate(wrong)
	}
	return canonical, nil
}

// startAdmin begins to serve operators on this machine.
func startAdmin(b *base, s *storage, net *network, e *engine, up *upkeep, v *serving, node *operations) (*operator.Pages, error) {
	pages := operator.New(operator.Config{Services: v.services, Status: node.Status, Address: net.front.console, Logger: b.logger, Now: b.clock.Now})
	server, err := admin.Listen(b.cfg.Data, admin.Config{
		Services: v.services, Replica: s.replica, Log: s.log, Ledger: admin.Ledger{Ledger: s.ledger, Timely: s.timely(), Windows: s.accounts().Live}, Node: node, Shards: e.shards,
		Snapshots: up.history, Backups: &backups{base: b, storage: s}, Entrance: pages, Origin: net.front.origin, Logger: b.logger, Now: b.clock.Now,
	})
	if err == nil {
		b.onClose("admin", server.Close)
	}
	return pages, err
}

// accounts returns the accounts as the ledger's readers see them.
func (s *storage) accounts() usage.Accounts {
	return usage.Accounts{Replica: s.replica, Partitions: s.log.Partitions()}
}

const (
	// bodiesShare is the fraction of the memory that large request bodies may take, leastBodies the
	// minimum: four accounts' worth (docs/API.md, Limits).
	bodiesShare = 16
	leastBodies = 256 << 20
)

// bodyBytes returns how many bytes of large request bodies may be in memory.
func bodyBytes(memory int64) int64 { return max(leastBodies, memory/bodiesShare) }

// newServer returns the server of the API.
func newServer(b *base, s *storage, net *network, e *engine, v *serving) (*edge.Server, error) {
	pages, err := newDashboard(b, s, e, v)
	if err != nil {
		return nil, err
	}
	key, err := b.cfg.Gotenberg.key()
	if err != nil {
		return nil, err
	}
	return edge.New(edge.Config{
		Accounts: edge.Accounts{
			Jobs: v.services.Jobs, Fresh: v.services.Fresh, Commands: e.gateway, Models: s.replica, Partitions: s.log.Partitions(),
			Foresee: s.foresee(b.clock), Room: s.space.forJobs, Rate: v.count, Open: s.open,
		},
		Sources: edge.Sources{
			Documents: documents, Resolve: net.guard.resolve, Seal: s.keys.Seal, Content: contentStore{s.files}, Fingerprint: s.keys.Fingerprint,
			Signers: s.keys.Signers,
		},
		Usage:     edge.Usage{Ledger: s.timely(), QuotaWindows: s.accounts().Live},
		Listening: edge.Listening{TLS: v.certificate.config(), Connections: b.cfg.Connections.limits(), BodyBytes: bodyBytes(doctor.MemoryLimit()), GotenbergKey: key},
		Operations: edge.Operations{
			Ready: v.status.health.ready, Metrics: b.metrics.Handler, Ops: b.cfg.Ops != "", Console: v.pages.Serve, Observe: b.metrics.Observe, Traces: b.traces,
		},
		Links:     edge.Links{HeaderPrefix: b.cfg.headerPrefix(), DocsURL: b.cfg.DocsURL, UpgradeURL: b.cfg.UpgradeURL},
		Dashboard: pages, Logger: b.logger, Now: b.clock.Now,
	}), nil
}

// foresee returns a function that foresees the reply that would refuse a job, by what the replica
// has read.
func (s *storage) foresee(c *nodeClock) func(events.AccountID, events.SubmitJob) (events.Reply, bool) {
	return func(id events.AccountID, job events.SubmitJob) (events.Reply, bool) {
		return account.Foresee(account.StoreOf(s.replica, s.log.Partitions(), id), id, job, events.At(c.Now()))
	}
}

// open opens a stored file.
func (s *storage) open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	f, err := s.files.Open(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return f, f.Size, nil
}
