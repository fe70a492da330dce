package rate

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/events"
)

const (
	// askLimit is how long an owner may take to answer: a request waits for it.
	askLimit = 100 * time.Millisecond
	// distrust is how long an owner that did not answer is not asked again.
	distrust = time.Second
	// actorName is the name of the actor that answers the other nodes.
	actorName = "rate"
	// maxID bounds the account id in a message of another node.
	maxID = 128
)

// Config is what a Limiter needs.
type Config struct {
	Self   events.NodeID
	System *actor.ActorSystem
	// Owner is the node that owns the account's shard, "" when none is known.
	Owner func(events.AccountID) events.NodeID
	// Address is where the actors of a node are reached; false for a node that is not up.
	Address func(events.NodeID) (string, bool)
	Logger  *slog.Logger
	Now     func() time.Time
}

// Limiter bounds the requests of accounts over all nodes.
type Limiter struct {
	cfg     Config
	windows *Windows
	pid     *actor.PID

	mu sync.Mutex
	// silent are the owners that did not answer, and until when they are not asked.
	silent map[events.NodeID]time.Time
}

// ask is the message to an owner; its answer is an events.Rate.
type ask struct {
	Account events.AccountID `cbor:"1,keyasint"`
	Limit   int64            `cbor:"2,keyasint"`
}

// Start starts a limiter and the actor by which other nodes ask it.
func Start(cfg Config) (*Limiter, error) {
	l := &Limiter{cfg: cfg, windows: NewWindows(), silent: map[events.NodeID]time.Time{}}
	props := actor.PropsFromFunc(l.receive)
	var err error
	l.pid, err = cfg.System.Root.SpawnNamed(props, actorName)
	return l, err
}

// Take counts one request of an account if limit, per minute, allows it.
func (l *Limiter) Take(id events.AccountID, limit int64) events.Rate {
	owner := l.cfg.Owner(id)
	if owner != l.cfg.Self && owner != "" && !l.distrusts(owner) {
		rate, err := l.ask(owner, ask{id, limit})
		if err == nil {
			if rate.Allowed { // what this node knows if it is cut off, or becomes the owner
				l.windows.Note(id, events.At(l.cfg.Now()))
			}
			return rate
		}
		level := slog.LevelWarn
		if errors.Is(err, errDown) { // as when this node was just restarted: the owner of before is itself
			level = slog.LevelDebug
		}
		l.cfg.Logger.Log(context.Background(), level, "counting requests alone", "owner", owner, "error", err)
		l.suspect(owner)
	}
	return l.windows.Take(id, events.At(l.cfg.Now()), limit)
}

var errDown = errors.New("the node is not up")

func (l *Limiter) ask(owner events.NodeID, a ask) (rate events.Rate, err error) {
	address, up := l.cfg.Address(owner)
	if !up || address == "" { // a node of an older version tells no address
		return rate, errDown
	}
	b, err := cbor.Marshal(a)
	if err != nil {
		return rate, err
	}
	answer, err := l.cfg.System.Root.RequestFuture(actor.NewPID(address, actorName), wrapperspb.Bytes(b), askLimit).Result()
	if err != nil {
		return rate, err
	}
	bytes, ok := answer.(*wrapperspb.BytesValue)
	if !ok {
		return rate, errors.New("foreign answer")
	}
	err = cbor.Unmarshal(bytes.Value, &rate)
	return rate, err
}

// receive answers other nodes. A message that is none is not answered.
func (l *Limiter) receive(ctx actor.Context) {
	m, ok := ctx.Message().(*wrapperspb.BytesValue)
	if !ok {
		return
	}
	var a ask
	if err := cbor.Unmarshal(m.Value, &a); err != nil || a.Account == "" || len(a.Account) > maxID {
		l.cfg.Logger.Warn("foreign message to the rate limiter", "bytes", len(m.Value))
		return
	}
	b, err := cbor.Marshal(l.windows.Take(a.Account, events.At(l.cfg.Now()), a.Limit))
	if err != nil {
		panic(err) // cannot be: a Rate has plain fields
	}
	ctx.Respond(wrapperspb.Bytes(b))
}

func (l *Limiter) distrusts(owner events.NodeID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cfg.Now().Before(l.silent[owner])
}

func (l *Limiter) suspect(owner events.NodeID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.cfg.Now()
	for id, until := range l.silent { // node ids are new at every start
		if now.After(until) {
			delete(l.silent, id)
		}
	}
	l.silent[owner] = now.Add(distrust)
}

// Close ends the actor.
func (l *Limiter) Close() { l.cfg.System.Root.Stop(l.pid) }
