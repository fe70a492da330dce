package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"platen.dev/cmd/platen/status"
	"platen.dev/edge"
	"platen.dev/edge/dashboard"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/eventlog"
	"platen.dev/events/seal"
	"platen.dev/events/team"
	"platen.dev/ledger"
	"platen.dev/projections"
)

// Sender sends commands to the shards of their accounts.
type Sender interface {
	edge.Commands
	// DoBy is Do for an author.
	DoBy(by events.Author, account events.AccountID, body events.CommandBody) (events.Reply, error)
	// Append sends a command as it is, and returns its offset once it is durable. If ctx ends first, the outcome is unknown.
	Append(ctx context.Context, c events.Command) (offset int64, err error)
}

// Config names the parts of the node that the server works on. All fields but Mail are required.
type Config struct {
	Commands Sender
	Replica  *projections.Replica
	Log      eventlog.Log
	Shards   Shards
	// Nodes returns the nodes that are up, this one included.
	Nodes func() []NodeLevel
	// Status reports on all nodes.
	Status func() status.Report
	// Drainer is the node, and so is Clock.
	Drainer Drainer
	Clock   Clock
	// Snapshots are those of the partitions.
	Snapshots Snapshots
	Backups   Backups
	// Ledger is what accounts were charged, QuotaWindows says which quota windows may still change.
	Ledger       ledger.Ledger
	QuotaWindows func(events.AccountID) (usage.Live, error)
	// Seal encrypts the secrets of accounts.
	Seal *seal.Key
	// RotateSeal has Seal seal with a new secret from now on.
	RotateSeal func() error
	// Origin is where clients reach the API.
	Origin func() string
	// Console has the pages of operators.
	Console Console
	// Mail sends links to members; nil if nothing does.
	Mail dashboard.Mailer
	// WebhookPrefix begins the webhooks' older headers, which no account may set.
	WebhookPrefix string
	Logger        *slog.Logger
	Now           func() time.Time
}

// Server is the admin interface of a node.
type Server struct {
	Config
	usageOf *usage.Service
	http    *http.Server
	closing context.Context // ends when Close begins
	close   context.CancelFunc
}

// maxBody bounds the bodies of requests, in bytes: a block template is the largest.
const maxBody = 1 << 18

// Listen serves the admin interface of a node on the socket of its data directory, which
// only the node's user may open. A socket left by a node that was killed is replaced: the
// caller holds the lock of the data directory.
func Listen(data string, config Config) (*Server, error) {
	path := SocketPath(data)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s := &Server{Config: config, usageOf: usage.New(config.Ledger, config.QuotaWindows, config.Now)}
	s.closing, s.close = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.Logger.Error("admin interface ended", "error", err)
		}
	}()
	return s, nil
}

// Close ends the interface. Requests under way are finished until ctx ends, streams of events end
// at once.
func (s *Server) Close(ctx context.Context) error {
	s.close()
	return s.http.Shutdown(ctx)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /accounts", s.createAccount)
	mux.HandleFunc("GET /accounts", s.listAccounts)
	mux.HandleFunc("PUT /accounts/{id}/plan", s.setPlan)
	mux.HandleFunc("GET /accounts/{id}/usage", s.usage)
	mux.HandleFunc("GET /accounts/{id}/ledger", s.ledgerUsage)
	mux.HandleFunc("GET /accounts/{id}/ledger/entries", s.ledgerEntries)
	mux.HandleFunc("PUT /accounts/{id}/anchor", s.setAnchor)
	mux.HandleFunc("POST /accounts/{id}/reset-window", s.resetWindow)
	mux.HandleFunc("POST /accounts/{id}/adjustments", s.adjust)
	mux.HandleFunc("PUT /accounts/{id}/file-limit", s.setFileLimit)
	mux.HandleFunc("POST /accounts/{id}/suspend", s.suspend)
	mux.HandleFunc("POST /accounts/{id}/resume", s.resume)
	mux.HandleFunc("PUT /accounts/{id}/volume-blocks", s.setBlocks)
	mux.HandleFunc("POST /accounts/{id}/keys", s.createKey)
	mux.HandleFunc("GET /accounts/{id}", s.showAccount)
	mux.HandleFunc("GET /accounts/{id}/trail", s.showTrail)
	mux.HandleFunc("POST /console", s.enterConsole)
	mux.HandleFunc("GET /accounts/{id}/keys", s.listKeys)
	mux.HandleFunc("DELETE /accounts/{id}/keys/{key}", s.revokeKey)
	mux.HandleFunc("POST /accounts/{id}/members", s.inviteMember)
	mux.HandleFunc("GET /accounts/{id}/members", s.listMembers)
	mux.HandleFunc("PUT /accounts/{id}/members/{member}/role", s.changeMember)
	mux.HandleFunc("DELETE /accounts/{id}/members/{member}", s.removeMember)
	mux.HandleFunc("POST /accounts/{id}/members/{member}/sign-out", s.signOutMember)
	mux.HandleFunc("PUT /accounts/{id}/templates/{template}", s.putTemplate)
	mux.HandleFunc("GET /accounts/{id}/templates", s.listTemplates)
	mux.HandleFunc("GET /accounts/{id}/templates/{template}", s.showTemplate)
	mux.HandleFunc("DELETE /accounts/{id}/templates/{template}", s.deleteTemplate)
	mux.HandleFunc("PUT /accounts/{id}/default-template", s.setDefaultTemplate)
	mux.HandleFunc("GET /accounts/{id}/webhook-secrets", s.showSecrets)
	mux.HandleFunc("POST /accounts/{id}/webhook-secrets", s.rotateSecret)
	mux.HandleFunc("GET /accounts/{id}/webhook-headers", s.listHeaders)
	mux.HandleFunc("PUT /accounts/{id}/webhook-headers/{name}", s.setHeader)
	mux.HandleFunc("DELETE /accounts/{id}/webhook-headers/{name}", s.deleteHeader)
	mux.HandleFunc("GET /jobs/{job}/webhooks", s.listAttempts)
	mux.HandleFunc("POST /jobs/{job}/webhooks", s.redeliver)
	mux.HandleFunc("POST /accounts/{id}/webhooks", s.redeliverMany)
	mux.HandleFunc("POST /seal", s.rotateSeal)
	mux.HandleFunc("GET /status", s.showStatus)
	mux.HandleFunc("GET /recent", s.recentJobs)
	mux.HandleFunc("GET /drain", s.showDrainage)
	mux.HandleFunc("PUT /drain", s.drain)
	mux.HandleFunc("DELETE /drain", s.undrain)
	mux.HandleFunc("GET /clock", s.showClock)
	mux.HandleFunc("POST /clock", s.acceptClock)
	mux.HandleFunc("GET /level", s.showLevel)
	mux.HandleFunc("POST /level", s.raiseLevel)
	mux.HandleFunc("GET /partitions", s.listPartitions)
	mux.HandleFunc("POST /partitions/{partition}/continue", s.continuePartition)
	mux.HandleFunc("GET /partitions/{partition}/snapshots", s.listSnapshots)
	mux.HandleFunc("POST /partitions/{partition}/snapshots", s.takeSnapshot)
	mux.HandleFunc("POST /partitions/{partition}/snapshots/verify", s.verifySnapshots)
	mux.HandleFunc("POST /backups", backups(s, s.takeBackup))
	mux.HandleFunc("POST /backups/list", backups(s, s.listBackups))
	mux.HandleFunc("POST /backups/verify", backups(s, s.verifyBackup))
	mux.HandleFunc("POST /ledger/partitions/{partition}", s.reconcile)
	mux.HandleFunc("GET /ledger/poison", s.listPoison)
	mux.HandleFunc("POST /ledger/poison", s.retryPoison)
	mux.HandleFunc("GET /quarantine", s.listQuarantine)
	mux.HandleFunc("GET /quarantine/{partition}/{cause}", s.showQuarantined)
	mux.HandleFunc("POST /quarantine/{partition}/{cause}", s.retryQuarantined)
	mux.HandleFunc("DELETE /quarantine/{partition}/{cause}", s.dropQuarantined)
	mux.HandleFunc("GET /log", s.dumpLog)
	mux.HandleFunc("GET /events", s.streamEvents)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	return mux
}

func respond(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // it fails only if the client is gone
}

func refuse(w http.ResponseWriter, status int, text string) { respond(w, status, refusal{text}) }

// decode reads the body of a request, or refuses it.
func decode(w http.ResponseWriter, r *http.Request, into any) (ok bool) {
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(into)
	if err != nil {
		refuse(w, 400, "body: "+err.Error())
	}
	return err == nil
}

// do sends a command, and responds with body if it is accepted.
func (s *Server) do(w http.ResponseWriter, id events.AccountID, command events.CommandBody, body any) {
	if s.order(w, id, command) {
		respond(w, 200, body)
	}
}

// order sends a command, and reports whether it is accepted; otherwise the response says why not.
func (s *Server) order(w http.ResponseWriter, id events.AccountID, command events.CommandBody) bool {
	reply, err := s.Commands.DoBy(events.Author{Operator: true}, id, command)
	switch {
	case err != nil:
		refuse(w, 503, "the account's shard does not answer; try again: "+err.Error())
	case reply.Code != events.Accepted:
		refuse(w, 409, refusalText(reply.Code, id))
	default:
		return true
	}
	return false
}

func refusalText(code events.ReplyCode, id events.AccountID) string {
	switch code {
	case events.NoSuchAccount:
		return fmt.Sprintf("no account %s; `platen admin account list` shows all accounts", id)
	case events.NoSuchKey:
		return fmt.Sprintf("account %s has no such key; `platen admin key list %s` shows its keys", id, id)
	case events.NoSuchTemplate:
		return fmt.Sprintf("account %s has no such template; `platen admin template list %s` shows its templates", id, id)
	case events.UnknownPlan:
		return "there is no such plan: choose free, starter, pro or business"
	case events.PlanRequired:
		return "extra volume is sold on the business plan only"
	case events.TooManyKeys:
		return fmt.Sprintf("account %s has %d keys already, as many as it may have: revoke one that is not used (`platen admin key list %s`)", id, events.MaxKeys, id)
	case events.AlreadyExists:
		return "it was made already; a secret is shown only then"
	case events.NoWebhook:
		return "the job has no webhook"
	case events.NotEnded:
		return "the job has not ended; its webhook is sent when it is done or has failed"
	case events.NoSuchHeader:
		return fmt.Sprintf("account %s has no such header; `platen admin webhook headers list %s` shows its headers", id, id)
	case events.TooManyHeaders:
		return fmt.Sprintf("account %s has %d headers already, as many as it may have", id, contract.MaxWebhookHeaders)
	case events.NoSuchMember:
		return fmt.Sprintf("account %s has no such member; `platen admin member list %s` shows its members", id, id)
	case events.TooManyMembers:
		return fmt.Sprintf("account %s has %d members already, as many as it may have", id, team.MaxMembers)
	case events.LastOwner:
		return "an account keeps an owner: make somebody else owner first"
	case events.TooManyTemplates:
		return "the account has as many templates as it may have"
	case events.OutOfRange:
		return "the value is out of range: an anchor must be in the past, a file may have up to 1024 MB, secrets may overlap by 1 hour to 5 days, an email address is one like ada@example.com, a role is owner, developer or billing, the name of a key has up to 60 bytes"
	}
	return "refused: " + string(code)
}

// catchUp waits until the replica holds what was acknowledged in a partition before the request,
// or refuses the request.
func (s *Server) catchUp(w http.ResponseWriter, r *http.Request, partition int32) (ok bool) {
	err := s.Replica.CatchUp(r.Context(), partition)
	if err != nil {
		refuse(w, 503, err.Error())
	}
	return err == nil
}

// catchUpAll is catchUp with all partitions.
func (s *Server) catchUpAll(w http.ResponseWriter, r *http.Request) (ok bool) {
	for p := range s.Log.Partitions() {
		if !s.catchUp(w, r, p) {
			return false
		}
	}
	return true
}

// account reads the account that a request names, or refuses the request.
func (s *Server) account(w http.ResponseWriter, r *http.Request) (projections.Account, bool) {
	id := accountID(r)
	if !s.catchUp(w, r, events.Partition(id, s.Log.Partitions())) {
		return projections.Account{}, false
	}
	account, ok, err := s.Replica.Account(id)
	if err != nil || !ok {
		refuse(w, 409, refusalText(events.NoSuchAccount, id))
	}
	return account, err == nil && ok
}

func accountID(r *http.Request) events.AccountID { return events.AccountID(r.PathValue("id")) }
