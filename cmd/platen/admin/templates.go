package admin

import (
	"fmt"
	"net/http"
	"strings"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/einvoice/blocks"
	"platen.dev/events"
)

// This file has the routes of block templates.

func (s *Server) putTemplate(w http.ResponseWriter, r *http.Request) {
	var req savedTemplate
	if !decode(w, r, &req) {
		return
	}
	if wrong := request.CheckTemplate(req.Body, blocks.CheckPlaceholders); len(wrong) > 0 {
		refuse(w, 400, violationsText(wrong))
		return
	}
	req.ID = templateID(r)
	s.do(w, accountID(r), events.PutTemplate{Template: req.ID, Name: req.Name, Body: req.Body}, req)
}

// violationsText lists the violations of a template's schema, one per line.
func violationsText(all []schema.Violation) string {
	var b strings.Builder
	b.WriteString("the template is not valid:")
	for _, v := range all {
		path := strings.TrimPrefix(strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Loc), "[]"), " ", "."), "body.")
		fmt.Fprintf(&b, "\n  %s: %s", path, v.Msg)
	}
	return b.String()
}

func (s *Server) listTemplates(w http.ResponseWriter, r *http.Request) {
	if account, ok := s.account(w, r); ok {
		respond(w, 200, templateList{account.Templates, account.DefaultTemplate})
	}
}

func (s *Server) showTemplate(w http.ResponseWriter, r *http.Request) {
	account, ok := s.account(w, r)
	if !ok {
		return
	}
	id := templateID(r)
	saved, ok, err := s.Replica.Template(account.ID, id)
	if err != nil || !ok {
		refuse(w, 409, refusalText(events.NoSuchTemplate, account.ID))
		return
	}
	respond(w, 200, savedTemplate{id, saved.Name, saved.Body})
}

func (s *Server) deleteTemplate(w http.ResponseWriter, r *http.Request) {
	id := templateID(r)
	s.do(w, accountID(r), events.DeleteTemplate{Template: id}, defaultRequest{id})
}

func (s *Server) setDefaultTemplate(w http.ResponseWriter, r *http.Request) {
	var req defaultRequest
	if decode(w, r, &req) {
		s.do(w, accountID(r), events.SetDefaultTemplate{Template: req.Template}, req)
	}
}

func templateID(r *http.Request) events.TemplateID { return events.TemplateID(r.PathValue("template")) }
