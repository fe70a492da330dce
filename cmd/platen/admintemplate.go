package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/einvoice/blocks"
	"platen.dev/events"
	"platen.dev/projections"
)

// Saved block templates, from both ends of the admin interface.

// savedTemplate is a template as the admin interface carries it.
type savedTemplate struct {
	ID   events.TemplateID `json:"id"`
	Name string            `json:"name,omitempty"`
	Body json.RawMessage   `json:"template"`
}

type templateList struct {
	Templates []projections.TemplateInfo `json:"templates"`
	Default   events.TemplateID          `json:"default,omitempty"`
}

type defaultRequest struct {
	Template events.TemplateID `json:"template"`
}

func (a *adminServer) putTemplate(w http.ResponseWriter, r *http.Request) {
	var req savedTemplate
	if !decodeBody(w, r, &req) {
		return
	}
	if wrong := request.CheckTemplate(req.Body, blocks.CheckText); len(wrong) > 0 {
		answer(w, 400, adminError{templateFaults(wrong)})
		return
	}
	req.ID = events.TemplateID(r.PathValue("template"))
	a.do(w, events.AccountID(r.PathValue("id")), events.PutTemplate{Template: req.ID, Name: req.Name, Body: req.Body}, req)
}

// templateFaults lists violations of a template's schema, one a line.
func templateFaults(all []schema.Violation) string {
	var b strings.Builder
	b.WriteString("the template is not valid:")
	for _, v := range all {
		place := strings.TrimPrefix(strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Loc), "[]"), " ", "."), "body.")
		fmt.Fprintf(&b, "\n  %s: %s", place, v.Msg)
	}
	return b.String()
}

// account reads an account with all that was acknowledged before the request, or answers.
func (a *adminServer) account(w http.ResponseWriter, r *http.Request) (projections.Account, bool) {
	id := events.AccountID(r.PathValue("id"))
	if err := a.replica.CatchUp(r.Context(), events.Partition(id, a.partitions)); err != nil {
		answer(w, 503, adminError{err.Error()})
		return projections.Account{}, false
	}
	account, ok, err := a.replica.Account(id)
	if err != nil || !ok {
		answer(w, 409, adminError{refusalText(events.NoSuchAccount, id)})
	}
	return account, err == nil && ok
}

func (a *adminServer) listTemplates(w http.ResponseWriter, r *http.Request) {
	if account, ok := a.account(w, r); ok {
		answer(w, 200, templateList{account.Templates, account.DefaultTemplate})
	}
}

func (a *adminServer) showTemplate(w http.ResponseWriter, r *http.Request) {
	account, ok := a.account(w, r)
	if !ok {
		return
	}
	id := events.TemplateID(r.PathValue("template"))
	saved, ok, err := a.replica.Template(account.ID, id)
	if err != nil || !ok {
		answer(w, 409, adminError{refusalText(events.NoSuchTemplate, account.ID)})
		return
	}
	answer(w, 200, savedTemplate{id, saved.Name, saved.Body})
}

func (a *adminServer) deleteTemplate(w http.ResponseWriter, r *http.Request) {
	id := events.TemplateID(r.PathValue("template"))
	a.do(w, events.AccountID(r.PathValue("id")), events.DeleteTemplate{Template: id}, defaultRequest{id})
}

func (a *adminServer) setDefaultTemplate(w http.ResponseWriter, r *http.Request) {
	var req defaultRequest
	if decodeBody(w, r, &req) {
		a.do(w, events.AccountID(r.PathValue("id")), events.SetDefaultTemplate{Template: req.Template}, req)
	}
}

// builtin names the template of those who have none.
const builtin = "builtin"

func (c adminCall) putTemplate() error {
	body, err := os.ReadFile(c.args[1])
	if err != nil {
		return err
	}
	if !json.Valid(body) {
		return fmt.Errorf("%s is no JSON", c.args[1])
	}
	id := cmp.Or(c.id, string(events.NewTemplateID()))
	var saved savedTemplate
	err = c.client.do("PUT", c.path("templates/"+url.PathEscape(id)), savedTemplate{Name: c.name, Body: body}, &saved)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "saved template %s of account %s\n", saved.ID, c.args[0]) })
}

func (c adminCall) listTemplates() error {
	var list templateList
	err := c.client.do("GET", c.path("templates"), nil, &list)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintln(w, "TEMPLATE\tNAME\tCHANGED\tDEFAULT")
		for _, t := range append(list.Templates, projections.TemplateInfo{ID: builtin}) {
			mark := ""
			if t.ID == cmp.Or(list.Default, builtin) {
				mark = "default"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.ID, cmp.Or(t.Name, "-"), moment(t.Changed), mark)
		}
	})
}

// showTemplate prints a template as JSON; that of those who have none is "builtin".
func (c adminCall) showTemplate() error {
	saved := savedTemplate{ID: builtin}
	var err error
	if c.args[1] == builtin {
		saved.Body, err = json.Marshal(blocks.Default())
	} else {
		err = c.client.do("GET", c.path("templates/"+url.PathEscape(c.args[1])), nil, &saved)
	}
	return c.print(err, func(w io.Writer) {
		pretty, _ := json.MarshalIndent(saved.Body, "", "  ") // it was JSON
		fmt.Fprintf(w, "%s\n", pretty)
	})
}

func (c adminCall) setDefaultTemplate() error {
	id := c.args[1]
	if id == builtin {
		id = ""
	}
	err := c.client.do("PUT", c.path("default-template"), defaultRequest{events.TemplateID(id)}, nil)
	return c.print(err, func(w io.Writer) {
		fmt.Fprintf(w, "e-invoices of account %s that name no template are shown by %s\n", c.args[0], c.args[1])
	})
}

func (c adminCall) deleteTemplate() error {
	err := c.client.do("DELETE", c.path("templates/"+url.PathEscape(c.args[1])), nil, nil)
	return c.print(err, func(w io.Writer) { fmt.Fprintf(w, "template %s is deleted\n", c.args[1]) })
}
