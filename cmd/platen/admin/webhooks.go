package admin

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"platen.dev/actors/account"
	"platen.dev/actors/webhook"
	"platen.dev/events"
	"platen.dev/projections"
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

// job finds the job that a request names, and its account, or refuses the request.
func (s *Server) job(w http.ResponseWriter, r *http.Request) (id events.JobID, of events.AccountID, ok bool) {
	id, err := events.ParseJobID(r.PathValue("job"))
	if err != nil {
		refuse(w, 400, "not the id of a job: "+r.PathValue("job"))
		return id, "", false
	}
	if !s.catchUpAll(w, r) {
		return id, "", false
	}
	job, known, err := s.Replica.FindJob(id)
	switch {
	case err != nil:
		refuse(w, 500, err.Error())
	case !known:
		refuse(w, 409, "no job "+id.String()+"; the status of a job is kept for 30 days after its end")
	}
	return id, job.Account, err == nil && known
}

func (s *Server) listAttempts(w http.ResponseWriter, r *http.Request) {
	id, of, ok := s.job(w, r)
	if !ok {
		return
	}
	log, err := s.Replica.Webhook(of, id)
	if err != nil {
		refuse(w, 500, err.Error())
		return
	}
	respond(w, 200, log)
}

func (s *Server) redeliver(w http.ResponseWriter, r *http.Request) {
	if id, of, ok := s.job(w, r); ok {
		s.do(w, of, events.RedeliverWebhook{Job: id}, struct{}{})
	}
}

// redeliverAtOnce is how many redeliveries of an account are asked for at once.
const redeliverAtOnce = 64

// redeliverMany sends the webhooks of an account's jobs again.
func (s *Server) redeliverMany(w http.ResponseWriter, r *http.Request) {
	var req redeliverRequest
	if !decode(w, r, &req) {
		return
	}
	if _, ok := s.account(w, r); !ok {
		return
	}
	ids, err := s.redeliverable(accountID(r), req)
	if err != nil {
		refuse(w, 500, err.Error())
		return
	}
	var sent atomic.Int64
	group, ctx := errgroup.WithContext(r.Context())
	group.SetLimit(redeliverAtOnce)
	for _, id := range ids {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			reply, err := s.Commands.Do(accountID(r), events.RedeliverWebhook{Job: id})
			if err == nil && reply.Code == events.Accepted { // one that was forgotten meanwhile is not
				sent.Add(1)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		refuse(w, 503, fmt.Sprintf("%d of %d webhooks are sent again, then the account's shard did not answer; repeat the command: %v", sent.Load(), len(ids), err))
		return
	}
	respond(w, 200, redelivered{int(sent.Load())})
}

// redeliverable lists the jobs that a request is about: those that have ended and have a webhook.
func (s *Server) redeliverable(of events.AccountID, req redeliverRequest) (ids []events.JobID, err error) {
	err = s.Replica.EachJob(of, func(id events.JobID, j projections.Job) {
		if j.Webhook && j.Finished != 0 && j.Finished >= req.Since {
			ids = append(ids, id)
		}
	})
	if err != nil || !req.Failed {
		return ids, err
	}
	failed := ids[:0]
	for _, id := range ids {
		log, err := s.Replica.Webhook(of, id)
		if err != nil {
			return nil, err
		}
		if !log.Delivered() {
			failed = append(failed, id)
		}
	}
	return failed, nil
}
