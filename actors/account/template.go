package account

import (
	"slices"

	"platen.dev/events"
	"platen.dev/events/contract"
)

func putTemplate(s State, b events.PutTemplate) ([]events.Event, events.Reply) {
	if b.Template == "" || len(b.Body) == 0 || len(b.Body) > contract.MaxTemplateBytes || len(b.Name) > contract.MaxTemplateName {
		return refuse(events.OutOfRange)
	}
	if !slices.Contains(s.Templates, b.Template) && len(s.Templates) >= contract.MaxTemplates {
		return refuse(events.TooManyTemplates)
	}
	return accept(events.TemplateSaved{Template: b.Template, Name: b.Name, Body: b.Body})
}

func deleteTemplate(s State, b events.DeleteTemplate) ([]events.Event, events.Reply) {
	if !slices.Contains(s.Templates, b.Template) {
		return refuse(events.NoSuchTemplate)
	}
	return accept(events.TemplateDeleted{Template: b.Template})
}

func setDefaultTemplate(s State, b events.SetDefaultTemplate) ([]events.Event, events.Reply) {
	switch {
	case b.Template != "" && !slices.Contains(s.Templates, b.Template):
		return refuse(events.NoSuchTemplate)
	case b.Template == s.DefaultTemplate:
		return nil, accepted
	}
	return accept(events.DefaultTemplateSet{Template: b.Template})
}

func saved(s State, id events.TemplateID) State {
	if !slices.Contains(s.Templates, id) {
		s.Templates = append(s.Templates[:len(s.Templates):len(s.Templates)], id)
	}
	return s
}

func deleted(s State, id events.TemplateID) State {
	s.Templates = slices.DeleteFunc(slices.Clone(s.Templates), func(other events.TemplateID) bool { return other == id })
	if s.DefaultTemplate == id {
		s.DefaultTemplate = ""
	}
	return s
}
