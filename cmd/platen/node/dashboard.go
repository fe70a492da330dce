package node

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"

	"platen.dev/document"
	"platen.dev/edge/dashboard"
	"platen.dev/events"
)

// dashboard is what the pages of members need of the node.
func (n *Node) dashboard() (*dashboard.Config, error) {
	cfg := &dashboard.Config{
		Services: n.services, Models: n.replica, Log: jobLog{n}, Templates: memberTemplates{n}, Seal: n.seal,
		Files: dashboard.Files{Picture: picture}, Place: dashboard.Place{URL: n.cfg.PublicURL},
	}
	if n.cfg.Dev {
		cfg.Place.Demo = map[events.Plan]events.AccountID{}
		for _, plan := range events.Plans() {
			cfg.Place.Demo[plan] = devAccount(plan)
		}
	}
	provider, err := n.cfg.OIDC.provider()
	if err != nil {
		return nil, fmt.Errorf("oidc: %w", err)
	}
	if provider != nil {
		cfg.SignIn = provider
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
		if err := n.services.Sessions.AddOwner(id, devMember, fmt.Sprintf("demo@%s.example", plan)); err != nil {
			return fmt.Errorf("member of the demo account %s: %w", plan, err)
		}
	}
	return nil
}
