package edge

import (
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
	saved, known, err := s.cfg.Models.Template(account, id)
	if err == nil && !known && id != "" {
		saved, known, err = s.freshTemplate(account, id)
	}
	switch {
	case err != nil:
		return nil, s.unreadable("read template", err)
	case !known && id != "":
		return nil, templateNotFound
	}
	return saved.Body, nil
}

// freshTemplate looks again after everything durable by now has been read: another node may have saved the template a moment ago.
func (s *submissions) freshTemplate(account events.AccountID, id events.TemplateID) (projections.SavedTemplate, bool, error) {
	if err := s.cfg.Fresh.Account(account); err != nil {
		return projections.SavedTemplate{}, false, err
	}
	return s.cfg.Models.Template(account, id)
}
