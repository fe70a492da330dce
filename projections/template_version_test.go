package projections_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/projections"
)

func saves(id events.TemplateID, name string) events.TemplateSaved {
	return events.TemplateSaved{Template: id, Name: name, Body: []byte(`{"version":1}`)}
}

// told are the versions of a template, the newest first.
func told(t *testing.T, r *projections.Replica, account events.AccountID, id events.TemplateID) string {
	t.Helper()
	all, err := r.TemplateHistory(account, id)
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, v := range all {
		versions = append(versions, fmt.Sprint(v.Number, v.Name))
	}
	return strings.Join(versions, " ")
}

// Each save of a template is kept, with its author, until the template is deleted.
func TestTemplateHistory(t *testing.T) {
	f := newFixture(t)
	const a = events.AccountID("acc_a")
	f.write(a, saves("tpl_1", "A"))
	f.write(a, saves("tpl_1", "B"), saves("tpl_2", "X"))
	r := f.open("r")
	defer closed(t, r)
	f.write(a, events.MemberInvited{Member: "mem_a", Email: "ada@example.com", Role: events.RoleOwner})
	e := f.envelope(a, nil, saves("tpl_1", "C"))
	e.By, e.At = events.Author{Member: "mem_a", Address: "192.0.2.1"}, 1_800_000_000_000
	f.append(events.Partition(a, 2), e)
	f.catchUp(r)
	if got := told(t, r, a, "tpl_1"); got != "3C 2B 1A" {
		t.Errorf("three saves: %s", got)
	}
	all, err := r.TemplateHistory(a, "tpl_1")
	if newest := all[0]; err != nil || newest.Email != "ada@example.com" || newest.By != e.By || newest.At != e.At || string(newest.Body) != `{"version":1}` || all[1].By != (events.Author{}) {
		t.Errorf("got %+v (%v)", all, err)
	}
	for name, want := range map[[2]string]string{{"acc_a", "tpl_2"}: "1X", {"acc_a", "tpl_3"}: "", {"acc_b", "tpl_1"}: "", {"acc_a", ""}: ""} {
		if got := told(t, r, events.AccountID(name[0]), events.TemplateID(name[1])); got != want {
			t.Errorf("%v: got %q, want %q", name, got, want)
		}
	}
	f.write(a, events.TemplateDeleted{Template: "tpl_1"}, events.TemplateDeleted{Template: "tpl_2"})
	f.catchUp(r)
	if got := told(t, r, a, "tpl_1"); got != "" {
		t.Errorf("deleted: %s", got)
	}
	f.write(a, saves("tpl_1", "D"))
	f.catchUp(r)
	if got := told(t, r, a, "tpl_1"); got != "1D" {
		t.Errorf("saved again: %s", got)
	}
	again := f.open("again")
	defer closed(t, again)
	if !maps.Equal(dump(t, r), dump(t, again)) {
		t.Error("another replica has other rows")
	}
}

// The last twenty versions are kept, and no rows of others.
func TestTemplateHistoryIsBounded(t *testing.T) {
	f := newFixture(t)
	const a = events.AccountID("acc_a")
	r := f.open("r")
	defer closed(t, r)
	for n := 1; n <= projections.TemplateVersions+3; n++ {
		f.write(a, saves("tpl_1", fmt.Sprint("-", n)))
		f.catchUp(r)
		all, err := r.TemplateHistory(a, "tpl_1")
		first := all[len(all)-1].Number
		if err != nil || len(all) != min(n, projections.TemplateVersions) || all[0].Number != int64(n) || first != int64(max(1, n-projections.TemplateVersions+1)) {
			t.Fatalf("after %d: %d versions, %d to %d (%v)", n, len(all), all[0].Number, first, err)
		}
	}
	f.write(a, events.TemplateDeleted{Template: "tpl_1"})
	f.catchUp(r)
	for key := range dump(t, r) {
		if key[0] == 'v' || key[0] == 'V' {
			t.Errorf("once it is deleted there is a row %q", key)
		}
	}
}
