package node

import (
	"context"

	"platen.dev/edge/dashboard"
	"platen.dev/events"
)

// newDashboard returns what the members' pages need from the node.
func newDashboard(b *base, s *storage, e *engine, v *serving) (*dashboard.Config, error) {
	cfg := &dashboard.Config{
		Services: v.services, Models: s.replica, Log: jobLog{s.log, s.replica}, Templates: memberTemplates{e.renderer}, Seal: s.keys.Key,
		Files: dashboard.Files{Picture: picture}, Place: dashboard.Place{URL: b.cfg.PublicURL},
	}
	if b.cfg.Dev {
		cfg.Place.Demo = map[events.Plan]events.AccountID{}
		for _, plan := range events.Plans() {
			cfg.Place.Demo[plan] = devAccount(plan)
		}
	}
	provider, err := b.cfg.OIDC.provider()
	if err != nil {
		return nil, err
	}
	if provider != nil {
		cfg.SignIn = provider
		b.onClose("OpenID provider", func(context.Context) error { provider.Close(); return nil })
	}
	return cfg, nil
}
