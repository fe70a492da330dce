package admin

import (
	"fmt"
	"net/http"

	"platen.dev/actors/service"
	"platen.dev/events"
)

// This file has the routes for an account's common webhook settings, and for sending webhooks again.

func (s *Server) webhookRoutes(mux *http.ServeMux) {
	webhooks := s.Services.Webhooks
	mux.HandleFunc("GET /accounts/{id}/webhook-secrets", act(s.showSecrets))
	mux.HandleFunc("POST /accounts/{id}/webhook-secrets", act(func(p service.Principal, _ *http.Request, b overlapRequest) (any, error) {
		secret, err := webhooks.RotateSecret(p, b.Seconds, nil, b.Ends)
		return webhookSecrets{Secrets: []string{secret}}, err
	}))
	mux.HandleFunc("GET /accounts/{id}/webhook-headers", act(s.listHeaders))
	mux.HandleFunc("PUT /accounts/{id}/webhook-headers/{name}", act(func(p service.Principal, r *http.Request, b valueRequest) (any, error) {
		return none{}, webhooks.SetHeader(p, r.PathValue("name"), b.Value)
	}))
	mux.HandleFunc("DELETE /accounts/{id}/webhook-headers/{name}", act(func(p service.Principal, r *http.Request, _ none) (any, error) {
		return none{}, webhooks.DeleteHeader(p, r.PathValue("name"))
	}))
	mux.HandleFunc("GET /jobs/{job}/webhooks", handle(func(r *http.Request, _ none) (any, error) {
		id, of, err := s.job(r)
		if err != nil {
			return nil, err
		}
		return s.Replica.Webhook(of, id)
	}))
	mux.HandleFunc("POST /jobs/{job}/webhooks", handle(func(r *http.Request, _ none) (any, error) {
		id, of, err := s.job(r)
		if err != nil {
			return nil, err
		}
		return none{}, s.Services.Jobs.Redeliver(service.Operator(of), id)
	}))
	mux.HandleFunc("POST /accounts/{id}/webhooks", act(s.redeliverMany))
}

func (s *Server) showSecrets(p service.Principal, _ *http.Request, _ none) (any, error) {
	if _, err := s.Services.Accounts.Find(p.Account); err != nil {
		return nil, err
	}
	secrets, overlap, err := s.Services.Webhooks.Secrets(p.Account)
	return webhookSecrets{Secrets: secrets, Overlap: overlap}, err
}

func (s *Server) listHeaders(p service.Principal, _ *http.Request, _ none) (any, error) {
	if _, err := s.Services.Accounts.Find(p.Account); err != nil {
		return nil, err
	}
	set, err := s.Services.Webhooks.Settings(p.Account)
	body := headerNames{Names: []string{}}
	for _, h := range set.Headers {
		body.Names = append(body.Names, h.Name)
	}
	return body, err
}

// job finds the job that a request names, and its account.
func (s *Server) job(r *http.Request) (id events.JobID, of events.AccountID, err error) {
	id, err = events.ParseJobID(r.PathValue("job"))
	if err != nil {
		return id, "", bad("not the id of a job: %s", r.PathValue("job"))
	}
	if err := s.Services.Fresh.All(); err != nil {
		return id, "", err
	}
	job, known, err := s.Replica.FindJob(id)
	if err == nil && !known {
		err = bad("no job %s; the status of a job is kept for 30 days after its end", id)
	}
	return id, job.Account, err
}

// redeliverMany sends the webhooks of an account's jobs again.
func (s *Server) redeliverMany(p service.Principal, r *http.Request, b redeliverRequest) (any, error) {
	if _, err := s.Services.Accounts.Find(p.Account); err != nil {
		return nil, err
	}
	ids, err := s.Services.Jobs.Redeliverable(p.Account, b.Since, b.Failed)
	if err != nil {
		return nil, err
	}
	count, err := s.Services.Jobs.RedeliverEach(r.Context(), p, ids)
	if err != nil {
		err = fmt.Errorf("%d of %d webhooks are sent again, then it failed; repeat the command: %w", count, len(ids), err)
	}
	return redelivered{count}, err
}
