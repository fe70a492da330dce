package projections

import (
	"platen.dev/events"
	"platen.dev/projections/table"
)

// SavedTemplate is the read model of one saved block template.
type SavedTemplate struct {
	Name    string         `cbor:"1,keyasint,omitempty"`
	Changed events.Instant `cbor:"2,keyasint"`
	// Body is the template as JSON.
	Body []byte `cbor:"3,keyasint"`
}

// TemplateInfo describes a saved template in the list of its account.
type TemplateInfo struct {
	ID      events.TemplateID `cbor:"1,keyasint" json:"id"`
	Name    string            `cbor:"2,keyasint,omitempty" json:"name,omitempty"`
	Changed events.Instant    `cbor:"3,keyasint" json:"changed_ms"`
}

func applyTemplate(tx *table.Tx, partition int32, e events.Envelope, ev events.Event) {
	account := accountKey(partition, e.Account)
	switch ev := ev.(type) {
	case events.TemplateSaved:
		keepVersion(tx, partition, e, ev)
		templates.Put(tx, templateKey(partition, e.Account, ev.Template), SavedTemplate{ev.Name, e.At, ev.Body})
		updateAccount(tx, account, func(a *Account) {
			a.Templates = append(withoutTemplate(a.Templates, ev.Template), TemplateInfo{ev.Template, ev.Name, e.At})
		})
	case events.TemplateDeleted:
		dropVersions(tx, partition, e.Account, ev.Template)
		templates.Delete(tx, templateKey(partition, e.Account, ev.Template))
		updateAccount(tx, account, func(a *Account) {
			a.Templates = withoutTemplate(a.Templates, ev.Template)
			if a.DefaultTemplate == ev.Template {
				a.DefaultTemplate = ""
			}
		})
	case events.DefaultTemplateSet:
		updateAccount(tx, account, func(a *Account) { a.DefaultTemplate = ev.Template })
	}
}

// withoutTemplate returns a new slice: committed values may share the old one.
func withoutTemplate(all []TemplateInfo, id events.TemplateID) []TemplateInfo {
	var others []TemplateInfo
	for _, t := range all {
		if t.ID != id {
			others = append(others, t)
		}
	}
	return others
}

// Template reads a saved template of an account; an empty id means the account's default.
// It is false if the account has no such template.
func (r *Replica) Template(account events.AccountID, id events.TemplateID) (SavedTemplate, bool, error) {
	if id == "" {
		a, _, err := r.Account(account)
		if err != nil || a.DefaultTemplate == "" {
			return SavedTemplate{}, false, err
		}
		id = a.DefaultTemplate
	}
	return templates.Get(r, templateKey(r.partition(account), account, id))
}
