package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"

	"platen.dev/actors/service"
	"platen.dev/cmd/platen/admin"
	"platen.dev/document"
	"platen.dev/edge"
	"platen.dev/edge/operator"
	"platen.dev/edge/request"
	"platen.dev/edge/usage"
	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
)

// startServices starts the actions of accounts, members and operators.
func (n *Node) startServices(context.Context) error {
	mailer, err := n.cfg.Mail.mailer()
	if err != nil {
		return err
	}
	n.services = service.New(service.Config{
		Commands: n.gateway, Replica: n.replica, Log: n.log, Fresh: service.NewFreshness(n.log.Partitions(), n.replica.CatchUp), Rate: n.rate, Seal: n.seal,
		Webhooks: n.webhooks, CheckTemplate: checkTemplate, Mail: mailer, Node: n, Logger: n.logger, Now: n.now,
	})
	return nil
}

// checkTemplate returns a block template in its canonical form, or what is wrong with it.
func checkTemplate(body []byte) ([]byte, error) {
	canonical, wrong := request.CanonicalTemplate(body, blocks.CheckPlaceholders)
	if len(wrong) > 0 {
		return nil, request.InvalidTemplate(wrong)
	}
	return canonical, nil
}

func (n *Node) startAdmin(context.Context) error {
	n.pages = operator.New(operator.Config{Services: n.services, Status: n.Status, Address: n.consoleAddress, Logger: n.logger, Now: n.now})
	server, err := admin.Listen(n.cfg.Data, admin.Config{
		Services: n.services, Replica: n.replica, Log: n.log, Ledger: admin.Ledger{Ledger: n.ledger, Windows: usage.Accounts{Replica: n.replica, Partitions: n.log.Partitions()}.Live}, Node: n, Shards: n.shards,
		Snapshots: n.history, Backups: &backups{node: n}, Entrance: n.pages, Origin: n.origin, Logger: n.logger, Now: n.now,
	})
	if err == nil {
		n.onClose("admin", server.Close)
	}
	return err
}

func (n *Node) startDev(context.Context) error {
	if !n.cfg.Dev || n.replica.Outdated() { // then the accounts are there already
		return nil
	}
	if err := ensureDevAccounts(n.cfg.Data, n.gateway); err != nil {
		return err
	}
	return n.ensureDevMembers()
}

func (n *Node) startEdge(context.Context) (err error) {
	encrypted, err := n.apiTLS()
	if err != nil {
		return err
	}
	pages, err := n.dashboard()
	if err != nil {
		return err
	}
	n.server = edge.New(edge.Config{
		Jobs: n.services.Jobs, Fresh: n.services.Fresh, Commands: n.gateway, Models: n.replica, Partitions: n.log.Partitions(), Open: n.openFile,
		Documents: edge.Documents{Markdown: convert, Sanitize: sanitize, Embeds: document.Embeds, Template: document.SanitizeTemplate, Invoice: checkInvoice, Placeholders: blocks.CheckPlaceholders},
		Foresee:   n.foresee, Room: n.space.forJobs, Ledger: n.ledger, QuotaWindows: usage.Accounts{Replica: n.replica, Partitions: n.log.Partitions()}.Live,
		Rate: n.rate, BodyBytes: bodyBytes(memoryLimit()), Resolve: n.resolve, Seal: n.seal.Seal, Fingerprint: n.seal.Fingerprint,
		Ready: n.ready, Metrics: n.metrics.handler, Observe: n.metrics.observe, Traces: n.traces, Logger: n.logger, Now: n.now,
		Ops: n.cfg.Ops != "", TLS: encrypted, Connections: n.cfg.Connections.limits(),
		Dashboard: pages, Console: n.pages.Serve,
		HeaderPrefix: n.cfg.headerPrefix(), DocsURL: n.cfg.DocsURL, UpgradeURL: n.cfg.UpgradeURL,
	})
	for p := range n.log.Partitions() { // a watch ends with the replica
		n.replica.Watch(p, n.server.Folded)
	}
	if n.listener, err = net.Listen("tcp", n.cfg.Listen); err != nil {
		return err
	}
	if n.cfg.Ops != "" {
		if n.ops, err = net.Listen("tcp", n.cfg.Ops); err != nil {
			return errors.Join(fmt.Errorf("ops: %w", err), n.listener.Close())
		}
		at := n.ops.Addr().String()
		n.opsListens.Store(&at)
		n.ports.add(at)
		n.serve("ops", n.ops, n.server.ServeOps)
	}
	address := n.Address()
	n.listens.Store(&address)
	n.ports.add(address)
	n.serve("API", n.listener, n.server.Serve)
	n.onClose("API", n.server.Shutdown)
	return nil
}

// consoleAddress is where a browser on this machine finds the operator's listener; "" if there is none.
func (n *Node) consoleAddress() string {
	if at := n.opsListens.Load(); at != nil {
		return fromHere(*at)
	}
	return ""
}

// serve serves a listener until it is closed.
func (n *Node) serve(part string, l net.Listener, serve func(net.Listener) error) {
	go func() {
		if err := serve(l); err != nil {
			n.fail(fmt.Errorf("%s: %w", part, err))
		}
	}()
}

func (n *Node) openFile(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	f, err := n.files.Open(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	return f, f.Size, nil
}

// sanitize returns "" for HTML of which nothing is left to show.
func sanitize(html string, limit int) (string, error) {
	s, err := document.SanitizeWithin(html, limit)
	if err != nil || s.Empty() {
		return "", tooLarge(err)
	}
	return s.HTML(), nil
}

func convert(markdown string, limit int) (string, error) {
	html, err := document.MarkdownWithin(markdown, limit)
	return html, tooLarge(err)
}

func tooLarge(err error) error {
	if errors.Is(err, document.ErrTooLarge) {
		return edge.ErrTooLarge
	}
	return err
}

func checkInvoice(xml []byte, profile string) error {
	_, err := einvoice.Parse(xml, profile)
	return err
}
