package projections

import (
	"platen.dev/events"
	"platen.dev/projections/table"
)

// TemplateVersions is how many versions of a saved template are kept, including the present one.
const TemplateVersions = 20

// TemplateVersion is a version of a saved template, in use from At on, and saved by By.
type TemplateVersion struct {
	Name string         `cbor:"1,keyasint,omitempty"`
	At   events.Instant `cbor:"2,keyasint"`
	// Body is the template as JSON.
	Body []byte        `cbor:"3,keyasint"`
	By   events.Author `cbor:"4,keyasint,omitzero"`
	// Email is the author's at the time, if it was a member.
	Email string `cbor:"5,keyasint,omitempty"`
}

// keepVersion adds a version to those of a template, and drops the oldest beyond the limit.
func keepVersion(tx *table.Tx, partition int32, e events.Envelope, ev events.TemplateSaved) {
	end := templateEndKey(partition, e.Account, ev.Template)
	last, _ := templateEnds.Load(tx, end)
	number := last + 1
	templateEnds.Put(tx, end, number)
	if number > TemplateVersions {
		templateVersions.Delete(tx, templateVersionKey(partition, e.Account, ev.Template, number-TemplateVersions))
	}
	team, _ := table.Teams.Load(tx, table.TeamKey(partition, e.Account))
	author, _ := team.Member(e.By.Member)
	version := TemplateVersion{Name: ev.Name, At: e.At, Body: ev.Body, By: e.By, Email: author.Email}
	templateVersions.Put(tx, templateVersionKey(partition, e.Account, ev.Template, number), version)
}

// dropVersions forgets the versions of a template that is deleted.
func dropVersions(tx *table.Tx, partition int32, account events.AccountID, id events.TemplateID) {
	end := templateEndKey(partition, account, id)
	last, kept := templateEnds.Load(tx, end)
	if !kept {
		return
	}
	templateEnds.Delete(tx, end)
	for number := max(1, last-TemplateVersions+1); number <= last; number++ {
		templateVersions.Delete(tx, templateVersionKey(partition, account, id, number))
	}
}

// NumberedVersion is a version of a template by its number, from 1.
type NumberedVersion struct {
	Number int64
	TemplateVersion
}

// TemplateHistory lists the versions of a saved template, newest first, beginning with the present one. The list is empty for a template that the
// account does not have.
func (r *Replica) TemplateHistory(account events.AccountID, id events.TemplateID) (all []NumberedVersion, err error) {
	p := r.partition(account)
	last, _, err := templateEnds.Get(r, templateEndKey(p, account, id))
	if err != nil {
		return nil, err
	}
	for number := last; number > max(0, last-TemplateVersions); number-- {
		v, found, err := templateVersions.Get(r, templateVersionKey(p, account, id, number))
		if err != nil {
			return nil, err
		}
		if found { // otherwise it was dropped a moment ago
			all = append(all, NumberedVersion{number, v})
		}
	}
	return all, nil
}
