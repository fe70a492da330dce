package admin

import (
	"net/http"

	"platen.dev/actors/account"
	"platen.dev/actors/webhook"
	"platen.dev/events"
)

// This file has the routes of what an account's webhooks have in common.

// webhooks reads the settings of the account that a request names, or refuses the request.
func (s *Server) webhooks(w http.ResponseWriter, r *http.Request) (account.Webhooks, bool) {
	if _, ok := s.account(w, r); !ok {
		return account.Webhooks{}, false
	}
	id := accountID(r)
	state, err := account.ReplicaStore{Reader: s.Replica, Partition: events.Partition(id, s.Log.Partitions())}.Account(id)
	if err != nil {
		refuse(w, 500, err.Error())
	}
	return state.Webhooks, err == nil
}

func (s *Server) showSecrets(w http.ResponseWriter, r *http.Request) {
	settings, ok := s.webhooks(w, r)
	if !ok {
		return
	}
	now := events.At(s.Now())
	secrets, err := webhook.Secrets(s.Seal, accountID(r), settings, now)
	if err != nil {
		refuse(w, 500, err.Error())
		return
	}
	body := webhookSecrets{Secrets: secrets}
	if len(secrets) > 1 {
		body.Overlap = settings.Overlap
	}
	respond(w, 200, body)
}

func (s *Server) rotateSecret(w http.ResponseWriter, r *http.Request) {
	var req overlapRequest
	if !decode(w, r, &req) {
		return
	}
	secret := webhook.NewSecret()
	rotate := events.RotateWebhookSecret{Secret: s.Seal.SealFor(accountID(r), secret), Overlap: req.Seconds}
	s.do(w, accountID(r), rotate, webhookSecrets{Secrets: []string{secret}})
}

func (s *Server) listHeaders(w http.ResponseWriter, r *http.Request) {
	settings, ok := s.webhooks(w, r)
	if !ok {
		return
	}
	body := headerNames{Names: []string{}}
	for _, h := range settings.Headers {
		body.Names = append(body.Names, h.Name)
	}
	respond(w, 200, body)
}

func (s *Server) setHeader(w http.ResponseWriter, r *http.Request) {
	var req valueRequest
	if !decode(w, r, &req) {
		return
	}
	h := webhook.Header{Name: r.PathValue("name"), Value: req.Value}
	if err := webhook.CheckHeader(h, s.WebhookPrefix); err != nil {
		refuse(w, 400, err.Error())
		return
	}
	s.do(w, accountID(r), events.SetWebhookHeader{Name: h.Name, Value: s.Seal.SealFor(accountID(r), h.Value)}, struct{}{})
}

func (s *Server) deleteHeader(w http.ResponseWriter, r *http.Request) {
	s.do(w, accountID(r), events.DeleteWebhookHeader{Name: r.PathValue("name")}, struct{}{})
}

// job reads the job that a request names, or refuses the request.
func (s *Server) job(w http.ResponseWriter, r *http.Request) (id events.JobID, ok bool) {
	id, err := events.ParseJobID(r.PathValue("job"))
	if err != nil {
		refuse(w, 400, "not the id of a job: "+r.PathValue("job"))
		return id, false
	}
	if _, ok := s.account(w, r); !ok {
		return id, false
	}
	_, known, err := s.Replica.Job(accountID(r), id)
	if err != nil || !known {
		refuse(w, 409, refusalText(events.NoWebhook, accountID(r)))
	}
	return id, err == nil && known
}

func (s *Server) listAttempts(w http.ResponseWriter, r *http.Request) {
	id, ok := s.job(w, r)
	if !ok {
		return
	}
	log, err := s.Replica.Webhook(accountID(r), id)
	if err != nil {
		refuse(w, 500, err.Error())
		return
	}
	respond(w, 200, log)
}

func (s *Server) redeliver(w http.ResponseWriter, r *http.Request) {
	if id, ok := s.job(w, r); ok {
		s.do(w, accountID(r), events.RedeliverWebhook{Job: id}, struct{}{})
	}
}
