package edge

import (
	"platen.dev/edge/request"
	"platen.dev/events"
	"platen.dev/projections"
)

// template is the block template, as JSON, by which an e-invoice is shown: the one that
// the request has or names, or else the account's default, nil for the built-in one
// (docs/API.md, Block templates). The job keeps it, whatever happens to the saved one.
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

// freshTemplate looks again once everything durable by now is read: the template may
// have been saved by another node a moment ago.
func (s *submissions) freshTemplate(account events.AccountID, id events.TemplateID) (projections.SavedTemplate, bool, error) {
	if err := s.cfg.Fresh.Account(account); err != nil {
		return projections.SavedTemplate{}, false, err
	}
	return s.cfg.Models.Template(account, id)
}
