package shard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"platen.dev/actors/command"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/projections"
)

// ErrUnavailable means that no reply came in time. The command may still take effect;
// retry with the same command id.
var ErrUnavailable = errors.New("no reply from the account's shard")

// lookEvery is how often the gateway looks in the read model for a reply that has not arrived. Replies are sent once and can get lost.
const lookEvery = time.Second

// GatewayConfig configures a Gateway.
type GatewayConfig struct {
	Log     eventlog.Log
	Replica *projections.Replica
	System  *actor.ActorSystem
	// Patience is how long to wait for a reply.
	Patience time.Duration
	Now      func() time.Time
}

// Gateway sends commands and waits for their replies. Its methods may be called from
// any goroutine.
type Gateway struct {
	cfg     GatewayConfig
	replies *replies
}

// NewGateway makes a node's gateway. An actor system has at most one.
func NewGateway(cfg GatewayConfig) (*Gateway, error) {
	r, err := registerReplies(cfg.System)
	return &Gateway{cfg, r}, err
}

// Do sends a command and returns the reply in its accepted envelope. The error is
// eventlog.ErrTooLarge if the log can never take the command, otherwise ErrUnavailable.
func (g *Gateway) Do(id events.AccountID, body events.CommandBody) (events.Reply, error) {
	return g.DoBy(events.Author{}, id, body)
}

// DoBy is Do for an author.
func (g *Gateway) DoBy(by events.Author, id events.AccountID, body events.CommandBody) (events.Reply, error) {
	c := g.command(id, body)
	c.By = by
	c.ReplyTo = g.replies.address
	arrived := g.replies.expect(c.ID)
	defer g.replies.forget(c.ID)
	failed := make(chan error, 1)
	command.Append(g.cfg.Log, c, func(_ int64, err error) {
		if err != nil {
			failed <- err
		}
	})
	return g.await(id, c.ID, arrived, failed)
}

func (g *Gateway) await(account events.AccountID, id events.CommandID, arrived <-chan events.Reply, failed <-chan error) (events.Reply, error) {
	patience := time.NewTimer(g.cfg.Patience)
	defer patience.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case reply := <-arrived:
			return reply, nil
		case err := <-failed:
			return events.Reply{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
		case <-look.C:
			if reply, known := g.stored(account, id); known {
				return reply, nil
			}
		case <-patience.C:
			if reply, known := g.stored(account, id); known {
				return reply, nil
			}
			return events.Reply{}, fmt.Errorf("%w within %s", ErrUnavailable, g.cfg.Patience)
		}
	}
}

// stored returns the reply from the read model. If the read model fails, the reply may still arrive.
func (g *Gateway) stored(account events.AccountID, id events.CommandID) (events.Reply, bool) {
	reply, known, err := g.cfg.Replica.Reply(account, id)
	return reply, known && err == nil
}

// Tell sends a command without waiting for a reply. It calls done once, when the command
// is durable or could not be appended.
func (g *Gateway) Tell(id events.AccountID, body events.CommandBody, done func(error)) {
	command.Append(g.cfg.Log, g.command(id, body), func(_ int64, err error) { done(err) })
}

// Append sends a command as it is, without waiting for a reply, and returns its offset once it is durable. If ctx ends first, the outcome is
// unknown.
func (g *Gateway) Append(ctx context.Context, c events.Command) (offset int64, err error) {
	return command.AppendAt(ctx, g.cfg.Log, c)
}

func (g *Gateway) command(id events.AccountID, body events.CommandBody) events.Command {
	return events.NewCommand(id, g.cfg.Now(), body)
}
