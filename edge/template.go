package edge

import (
	"platen.dev/actors/service"
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/projections"
)

// template returns the block template, as JSON, for an e-invoice: the one that the request contains or names, else the
// account's default, nil for the built-in one (docs/API.md, Block templates). The job keeps its copy even if the saved
// template changes.
func (s *submissions) template(account events.AccountID, r request.Request) ([]byte, *problem) {
	if r.Template != nil {
		return r.Template.Canonical(), nil
	}
	id := events.TemplateID(r.TemplateID)
	saved, known, err := service.Lookup(s.cfg.Fresh, account, func() (projections.SavedTemplate, bool, error) {
		saved, known, err := s.cfg.Models.Template(account, id)
		return saved, known || id == "", err
	})
	switch {
	case err != nil:
		return nil, s.unreadable("read template", err)
	case !known:
		return nil, templateNotFound
	}
	return saved.Body, nil
}
