package edge

import (
	"cmp"
	"encoding/json"

	"platen.dev/events"
	"platen.dev/projections"
)

// resolveTemplate gives an e-invoice the template that it is shown by: the one that the
// body has or names, or else the account's default (api-spec.md, E-invoice data). The
// job keeps it, whatever becomes of the saved one.
func (s *Server) resolveTemplate(caller projections.Caller, f fields, i *events.Invoice) *problem {
	template, inline := f.object("template")
	if !inline {
		saved, wrong := s.savedTemplate(caller, f)
		i.Template = saved.Body
		return cmp.Or(wrong, checkQueued(i))
	}
	b, err := json.Marshal(template)
	if err != nil {
		panic(err) // cannot be: it was JSON
	}
	i.Template = b
	return checkQueued(i)
}

func (s *Server) savedTemplate(caller projections.Caller, f fields) (projections.SavedTemplate, *problem) {
	id := events.TemplateID(f.text("template_id"))
	saved, ok, err := s.cfg.Models.Template(caller.Account, id)
	if err == nil && !ok && id != "" {
		saved, ok, err = s.freshTemplate(caller.Account, id)
	}
	switch {
	case err != nil:
		s.cfg.Logger.Error("read template", "error", err)
		return saved, &unavailable
	case !ok && id != "":
		return saved, &templateNotFound
	}
	return saved, nil
}

// freshTemplate looks again once everything durable by now is read: the template may
// have been saved by another node a moment ago.
func (s *Server) freshTemplate(account events.AccountID, id events.TemplateID) (projections.SavedTemplate, bool, error) {
	if err := s.awaitDurable(account); err != nil {
		return projections.SavedTemplate{}, false, err
	}
	return s.cfg.Models.Template(account, id)
}
