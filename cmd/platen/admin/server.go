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

	"platen.dev/actors/service"
	"platen.dev/actors/status"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/ledger"
	"platen.dev/projections"
)

// Config names the parts of the node that the server works on. All fields are required.
type Config struct {
	Services *service.Services
	Replica  *projections.Replica
	Log      eventlog.Log
	Ledger   Ledger
	Node     Node
	// Shards are the partitions that the node owns.
	Shards Shards
	// Snapshots are those of the partitions.
	Snapshots Snapshots
	Backups   Backups
	// Entrance signs operators in to their pages.
	Entrance Entrance
	// Origin is where clients reach the API.
	Origin func() string
	Logger *slog.Logger
	Now    func() time.Time
}

// Ledger answers what accounts were charged.
type Ledger struct {
	ledger.Ledger
	// Timely gives no answers about partitions from which the ledger takes nothing: what is booked by those would lack charges.
	Timely usage.Ledger
	// Windows returns which quota windows of an account may still change.
	Windows func(events.AccountID) (usage.Live, error)
}

// Node is the interface's own node.
type Node interface {
	Clock
	// Status reports on all nodes.
	Status() status.Report
	// RotateSeal makes secrets be sealed with a new key from now on.
	RotateSeal() error
}

// Server is the admin interface of a node.
type Server struct {
	Config
	usageOf *usage.Service
	charged *usage.Service // for what is booked
	http    *http.Server
	closing context.Context // ends when Close begins
	close   context.CancelFunc
}

// maxBody bounds the bodies of requests, in bytes: a block template is the largest.
const maxBody = 1 << 18

// Listen serves the admin interface of a node on the socket of its data directory, which only the
// node's user may open. A socket left by a killed node is replaced: the caller holds the lock of
// the data directory.
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
	usageOf := func(l usage.Ledger) *usage.Service { return usage.New(l, config.Ledger.Windows, config.Now) }
	s := &Server{Config: config, charged: usageOf(config.Ledger.Timely), usageOf: usageOf(config.Ledger.Ledger)}
	s.closing, s.close = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.Logger.Error("admin interface ended", "error", err)
		}
	}()
	return s, nil
}

// Close ends the interface. Requests under way may finish until ctx ends; streams of events end at
// once.
func (s *Server) Close(ctx context.Context) error {
	s.close()
	return s.http.Shutdown(ctx)
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.accountRoutes(mux)
	s.keyRoutes(mux)
	s.memberRoutes(mux)
	s.templateRoutes(mux)
	s.webhookRoutes(mux)
	s.nodeRoutes(mux)
	s.quarantineRoutes(mux)
	mux.HandleFunc("GET /accounts/{id}/ledger", s.ledgerUsage)
	mux.HandleFunc("GET /accounts/{id}/ledger/entries", s.ledgerEntries)
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
	mux.HandleFunc("DELETE /ledger/poison", s.dropPoison)
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

// none is an empty body of a request or of a response.
type none struct{}

// handle handles requests by passing their bodies to do.
func handle[T any](do func(r *http.Request, body T) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body T
		if _, without := any(body).(none); !without && !decode(w, r, &body) {
			return
		}
		answer, err := do(r, body)
		answerWith(w, accountID(r), answer, err)
	}
}

// act is handle for an action of the operator in the account that the path names.
func act[T any](do func(p service.Principal, r *http.Request, body T) (any, error)) http.HandlerFunc {
	return handle(func(r *http.Request, body T) (any, error) { return do(service.Operator(accountID(r)), r, body) })
}

// errBadRequest means that a request cannot be read.
var errBadRequest = errors.New("")

// bad returns an error about a request that cannot be read.
func bad(format string, args ...any) error {
	return fmt.Errorf("%w"+format, append([]any{errBadRequest}, args...)...)
}

// answerWith responds with a body, or with the error.
func answerWith(w http.ResponseWriter, id events.AccountID, body any, err error) {
	var refused *service.Refusal
	switch {
	case err == nil:
		respond(w, 200, body)
	case errors.As(err, &refused):
		refuse(w, 409, refused.Advice(id))
	case errors.Is(err, errBadRequest):
		refuse(w, 400, err.Error())
	case service.Behind(err):
		refuse(w, 503, err.Error())
	default:
		refuse(w, 500, err.Error())
	}
}

func accountID(r *http.Request) events.AccountID { return events.AccountID(r.PathValue("id")) }
