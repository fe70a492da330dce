package edge

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/edge/dashboard"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/limit"
)

// newDashboard makes the dashboard, nil if there is none.
func (s *Server) newDashboard() *dashboard.Dashboard {
	if s.cfg.Dashboard == nil {
		return nil
	}
	cfg := *s.cfg.Dashboard
	cfg.Place.TLS, cfg.Place.ClientOf, cfg.Place.DocsURL, cfg.Place.UpgradeURL = s.cfg.TLS != nil, s.clientOf, s.cfg.DocsURL, s.cfg.UpgradeURL
	cfg.Usage = cfg.Services.Accounts.Usage
	cfg.Ledger, cfg.Jobs, cfg.Logger, cfg.Now = s.usage.service, memberJobs{s.submissions}, s.cfg.Logger, s.cfg.Now
	cfg.CheckInvoice = memberInvoices{memberJobs{s.submissions}, s.invoices}.check
	cfg.Files.Download, cfg.Files.Open = s.jobs.sendFile, s.cfg.Open
	cfg.Files.Evidence = s.jobs.sendEvidence
	return dashboard.New(cfg)
}

func (s *Server) pages(ctx *fasthttp.RequestCtx, _ string) *problem {
	s.dashboard.Serve(ctx)
	return nil
}

// sendFile sends the file of a job to a member, as a download of the API does.
func (s *jobs) sendFile(ctx *fasthttp.RequestCtx, by service.Principal, id events.JobID) (status int, title, detail string) {
	f, wrong := s.findIn(by.Account, id.String(), true)
	if wrong == nil {
		wrong = s.downloadable(f.job, false)
	}
	if wrong == nil {
		wrong = s.send(ctx, by, f)
	}
	return inWords(wrong)
}

// sendEvidence sends the evidence of a job to a member, as the API does, as a file.
func (s *jobs) sendEvidence(ctx *fasthttp.RequestCtx, by service.Principal, id events.JobID) (status int, title, detail string) {
	f, wrong := s.findIn(by.Account, id.String(), true)
	if wrong == nil {
		wrong = s.writeEvidence(ctx, f)
	}
	if wrong == nil {
		ctx.Response.Header.Set("Content-Disposition", `attachment; filename="evidence-`+id.String()+`.json"`)
	}
	return inWords(wrong)
}

// inWords is a problem as pages show it; zero for none.
func inWords(wrong *problem) (status int, title, detail string) {
	if wrong == nil {
		return 0, "", ""
	}
	return wrong.status, wrong.title, wrong.detail
}

// clientOf returns the address of a client, and whether it is on this machine and not a proxy. Forwarding headers count only from a
// trusted proxy. A browser that asks for another host name that resolves to this machine is not local (DNS rebinding).
func (s *Server) clientOf(ctx *fasthttp.RequestCtx) (address string, local bool) {
	addr, ok := limit.AddressOf(ctx.RemoteAddr())
	switch {
	case !ok:
		return "", false
	case s.cfg.Connections.Trusts(addr):
		return s.forwardedFor(&ctx.Request.Header, addr).String(), false
	}
	return addr.String(), addr.IsLoopback() && !forwarded(&ctx.Request.Header) && contract.IsLoopback(string(ctx.Host()))
}

// forwardedFor returns the last forwarded address that is not a trusted proxy's, which a trusted proxy added: earlier ones may be made up by the client. If
// there are only trusted ones, it is the first.
func (s *Server) forwardedFor(h *fasthttp.RequestHeader, proxy netip.Addr) netip.Addr {
	all := strings.Split(string(bytes.Join(h.PeekAll("X-Forwarded-For"), []byte(","))), ",")
	for _, text := range slices.Backward(all) {
		addr, ok := forwardedAddr(strings.TrimSpace(text))
		if !ok {
			return proxy
		}
		if proxy = addr; !s.cfg.Connections.Trusts(proxy) {
			break
		}
	}
	return proxy
}

// forwardedAddr parses a forwarded address. Some proxies add the client's port to it.
func forwardedAddr(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(text)
	if err != nil {
		var at netip.AddrPort
		at, err = netip.ParseAddrPort(text)
		addr = at.Addr()
	}
	return addr.Unmap().WithZone(""), err == nil
}
