package rate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/events"
)

const (
	// replyTimeout is how long an owner may take to reply, while a request waits.
	replyTimeout = 100 * time.Millisecond
	// silence is how long an owner that did not reply is not asked again.
	silence = time.Second
	// ActorName is the name of the actor that replies to other nodes.
	ActorName = "rate"
	// maxID bounds the account id in a message of another node, in bytes.
	maxID = 128
)

// Config configures a Limiter.
type Config struct {
	Self   events.NodeID
	System *actor.ActorSystem
	// Owner returns the node that owns the account's shard, "" if none is known.
	Owner func(events.AccountID) events.NodeID
	// Address returns the address of a node's actors; false for a node that is down.
	Address func(events.NodeID) (string, bool)
	Logger  *slog.Logger
	Now     func() time.Time
}

// Limiter limits the requests of accounts over all nodes.
type Limiter struct {
	cfg     Config
	windows *windows
	pid     *actor.PID
	timeout time.Duration // replyTimeout, except in tests

	mu sync.Mutex
	// silent maps each owner that did not reply to the time from which it is asked again; guarded by mu.
	silent map[events.NodeID]time.Time
}

// takeRequest asks an owner to count a request. The reply is an events.Rate.
type takeRequest struct {
	Account events.AccountID `cbor:"1,keyasint"`
	Limit   int64            `cbor:"2,keyasint"`
}

// Start starts a limiter and the actor that other nodes ask.
func Start(cfg Config) (*Limiter, error) {
	l := &Limiter{cfg: cfg, windows: newWindows(), timeout: replyTimeout, silent: map[events.NodeID]time.Time{}}
	props := actor.PropsFromFunc(l.receive)
	var err error
	l.pid, err = cfg.System.Root.SpawnNamed(props, ActorName)
	return l, err
}

// Take counts one request of an account if limit, per minute, allows it. If the owner of the
// account's shard has to be asked, Take waits for its reply, at most 100 ms. May be called
// from any goroutine.
func (l *Limiter) Take(id events.AccountID, limit int64) events.Rate {
	owner := l.cfg.Owner(id)
	if owner != l.cfg.Self && owner != "" && !l.isSilent(owner) {
		rate, err := l.ask(owner, takeRequest{id, limit})
		if err == nil {
			if rate.Allowed { // this node continues from here if it is cut off or becomes the owner
				l.windows.add(id, events.At(l.cfg.Now()))
			}
			return rate
		}
		if l.setSilent(owner) {
			l.report(owner, err)
		}
	}
	return l.windows.take(id, events.At(l.cfg.Now()), limit)
}

func (l *Limiter) report(owner events.NodeID, err error) {
	level := slog.LevelWarn
	if errors.Is(err, errDown) { // usual after a restart: the owner is this node under its former id
		level = slog.LevelDebug
	}
	l.cfg.Logger.Log(context.Background(), level, "owner of a shard could not be asked, requests are counted on this node alone", "owner", owner, "error", err)
}

var errDown = errors.New("node is down")

func (l *Limiter) ask(owner events.NodeID, req takeRequest) (rate events.Rate, err error) {
	address, up := l.cfg.Address(owner)
	if !up || address == "" { // until it has announced where its actors are
		return rate, errDown
	}
	b, err := cbor.Marshal(req)
	if err != nil {
		return rate, err
	}
	reply, err := l.cfg.System.Root.RequestFuture(actor.NewPID(address, ActorName), wrapperspb.Bytes(b), l.timeout).Result()
	if err != nil {
		return rate, err
	}
	bytes, ok := reply.(*wrapperspb.BytesValue)
	if !ok {
		return rate, fmt.Errorf("unexpected reply of type %T", reply)
	}
	err = cbor.Unmarshal(bytes.Value, &rate)
	return rate, err
}

// receive replies to other nodes. Any other message gets no reply.
func (l *Limiter) receive(ctx actor.Context) {
	m, ok := ctx.Message().(*wrapperspb.BytesValue)
	if !ok {
		return
	}
	var req takeRequest
	if err := cbor.Unmarshal(m.Value, &req); err != nil || req.Account == "" || len(req.Account) > maxID {
		l.cfg.Logger.Warn("foreign message to the rate limiter ignored", "bytes", len(m.Value))
		return
	}
	b, err := cbor.Marshal(l.windows.take(req.Account, events.At(l.cfg.Now()), req.Limit))
	if err != nil {
		panic(err) // cannot happen: the fields of a Rate are plain
	}
	ctx.Respond(wrapperspb.Bytes(b))
}

func (l *Limiter) isSilent(owner events.NodeID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cfg.Now().Before(l.silent[owner])
}

// setSilent stops asking an owner for a while. It returns false if the owner was silent already: many requests may have waited for it.
func (l *Limiter) setSilent(owner events.NodeID) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.cfg.Now()
	first = !now.Before(l.silent[owner])
	for id, until := range l.silent { // otherwise ids of nodes that have restarted would stay for good
		if now.After(until) {
			delete(l.silent, id)
		}
	}
	l.silent[owner] = now.Add(silence)
	return first
}

// Close stops the actor.
func (l *Limiter) Close() { l.cfg.System.Root.Stop(l.pid) }
