package admin

import (
	"net/http"

	"platen.dev/actors/service"
	"platen.dev/events"
)

// This file has the routes of block templates.

func (s *Server) templateRoutes(mux *http.ServeMux) {
	templates := s.Services.Templates
	mux.HandleFunc("PUT /accounts/{id}/templates/{template}", act(func(p service.Principal, r *http.Request, b savedTemplate) (any, error) {
		b.ID = templateID(r)
		return b, templates.Put(p, b.ID, b.Name, b.Body)
	}))
	mux.HandleFunc("GET /accounts/{id}/templates", act(func(p service.Principal, _ *http.Request, _ none) (any, error) {
		account, err := s.Services.Accounts.Find(p.Account)
		return templateList{account.Templates, account.DefaultTemplate}, err
	}))
	mux.HandleFunc("GET /accounts/{id}/templates/{template}", act(func(p service.Principal, r *http.Request, _ none) (any, error) {
		if err := s.Services.Fresh.Account(p.Account); err != nil {
			return nil, err
		}
		saved, err := templates.Find(p.Account, templateID(r))
		return savedTemplate{templateID(r), saved.Name, saved.Body}, err
	}))
	mux.HandleFunc("DELETE /accounts/{id}/templates/{template}", act(func(p service.Principal, r *http.Request, _ none) (any, error) {
		return defaultRequest{templateID(r)}, templates.Delete(p, templateID(r))
	}))
	mux.HandleFunc("PUT /accounts/{id}/default-template", act(func(p service.Principal, _ *http.Request, b defaultRequest) (any, error) {
		return b, templates.SetDefault(p, b.Template)
	}))
}

func templateID(r *http.Request) events.TemplateID { return events.TemplateID(r.PathValue("template")) }
