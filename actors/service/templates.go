package service

import (
	"slices"

	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// Templates are the actions on saved block templates.
type Templates struct{ *gate }

// Put saves a template under a new or existing id. It refuses an invalid body with BadTemplate, whose cause says why.
func (t Templates) Put(p Principal, id events.TemplateID, name string, body []byte) error {
	name, ok := line(name, contract.MaxTemplateName)
	if !ok && (name != "" || p.is != operator) {
		return refuse(BadTemplateName)
	}
	canonical, err := t.CheckTemplate(body)
	if err != nil {
		return because(BadTemplate, err)
	}
	return t.run(p, events.PutTemplate{Template: id, Name: name, Body: canonical})
}

// Duplicate saves a copy of a template under a new id; word begins its name.
func (t Templates) Duplicate(p Principal, id events.TemplateID, word string) error {
	saved, err := t.Find(p.Account, id)
	if err != nil {
		return err
	}
	return t.run(p, events.PutTemplate{Template: events.NewTemplateID(), Name: Clip(word+" "+saved.Name, contract.MaxTemplateName), Body: saved.Body})
}

// Restore saves an earlier version of a template anew.
func (t Templates) Restore(p Principal, id events.TemplateID, number int64) error {
	if _, err := t.Find(p.Account, id); err != nil {
		return err
	}
	history, err := t.Replica.TemplateHistory(p.Account, id)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(history, func(v projections.NumberedVersion) bool { return v.Number == number })
	if i < 0 {
		return refuse(NoSuchVersion)
	}
	return t.run(p, events.PutTemplate{Template: id, Name: history[i].Name, Body: history[i].Body})
}

// Delete deletes a template.
func (t Templates) Delete(p Principal, id events.TemplateID) error {
	return t.run(p, events.DeleteTemplate{Template: id})
}

// SetDefault makes this template the default for e-invoices that name none; "" restores the built-in.
func (t Templates) SetDefault(p Principal, id events.TemplateID) error {
	return t.run(p, events.SetDefaultTemplate{Template: id})
}

// Find returns a template of an account, or refuses with events.NoSuchTemplate. It refuses an empty id, which the read models take for the default.
func (t Templates) Find(account events.AccountID, id events.TemplateID) (projections.SavedTemplate, error) {
	if id == "" {
		return projections.SavedTemplate{}, refuse(events.NoSuchTemplate)
	}
	saved, known, err := t.Replica.Template(account, id)
	if err == nil && !known {
		err = refuse(events.NoSuchTemplate)
	}
	return saved, err
}
