package account

import (
	"slices"

	"platen.dev/events"
)

// Limits of saved templates: how many an account may have, the size of one in bytes, and the
// length of its name in bytes.
const (
	maxTemplates     = 100
	maxTemplateBytes = 64 << 10
	maxTemplateName  = 200
)

func putTemplate(s State, b events.PutTemplate) ([]events.Event, events.Reply) {
	if b.Template == "" || len(b.Body) == 0 || len(b.Body) > maxTemplateBytes || len(b.Name) > maxTemplateName {
		return refuse(events.OutOfRange)
	}
	if !slices.Contains(s.Templates, b.Template) && len(s.Templates) >= maxTemplates {
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
