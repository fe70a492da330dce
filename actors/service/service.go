package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/seal"
	"platen.dev/projections"
)

// Commands sends commands to the shards of their accounts.
type Commands interface {
	// DoBy returns the shard's reply to an author's command. An error means that none came, and that the command may be sent again.
	DoBy(by events.Author, account events.AccountID, body events.CommandBody) (events.Reply, error)
	// Append sends a command as it is, and returns its offset once it is durable. If ctx ends first, the outcome is unknown.
	Append(ctx context.Context, c events.Command) (offset int64, err error)
}

// Config configures the services. All fields but Mail are required.
type Config struct {
	Commands Commands
	Replica  *projections.Replica
	Log      eventlog.Log
	Fresh    *Freshness
	// Rate counts a request of an account on a plan.
	Rate func(events.AccountID, events.Plan) events.Rate
	// Seal encrypts the secrets of accounts.
	Seal *seal.Key
	// Webhooks sends test webhooks.
	Webhooks Sender
	// CheckTemplate returns a block template in its canonical form, or what is wrong with it.
	CheckTemplate func(body []byte) (canonical []byte, err error)
	// Mail sends letters to members; nil if nothing does.
	Mail Mailer
	// Node is this node.
	Node   Node
	Logger *slog.Logger
	Now    func() time.Time
}

// Services are the actions, grouped by subject.
type Services struct {
	gate *gate
	// Fresh has this node catch up before something is read.
	Fresh      *Freshness
	Accounts   Accounts
	Keys       Keys
	Members    Members
	Sessions   Sessions
	Templates  Templates
	Webhooks   Webhooks
	Jobs       Jobs
	Partitions Partitions
	Cluster    Cluster
}

// New returns the services of a node. Close ends their background work.
func New(cfg Config) *Services {
	g := &gate{Config: cfg}
	if cfg.Mail != nil {
		g.post = newPost(cfg)
	}
	return &Services{
		gate:     g,
		Fresh:    cfg.Fresh,
		Accounts: Accounts{g}, Keys: Keys{g}, Members: Members{g}, Sessions: newSessions(g), Templates: Templates{g},
		Webhooks: newWebhooks(g), Jobs: Jobs{g}, Partitions: Partitions{g}, Cluster: Cluster{g},
	}
}

// Close sends the waiting letters until ctx ends. Nothing may be called afterwards.
func (s *Services) Close(ctx context.Context) error {
	if s.gate.post == nil {
		return nil
	}
	return s.gate.post.close(ctx)
}

// gate is embedded in every service: all actions pass through it.
type gate struct {
	Config
	post *post // nil if nothing sends letters
}

func (g *gate) now() events.Instant { return events.At(g.Now()) }

// state is the decider's state of an account, as this node has read it.
func (g *gate) state(id events.AccountID) (account.State, error) {
	return account.ReplicaStore{Reader: g.Replica, Partition: events.Partition(id, g.Log.Partitions())}.Account(id)
}

// do has a principal's command decided, and waits until this node has read the changes.
func (g *gate) do(p Principal, body events.CommandBody) (events.Reply, error) {
	if err := g.admit(p, body); err != nil {
		return events.Reply{}, err
	}
	told := g.toldOf(p, body)
	reply, err := g.decide(p, body)
	if err != nil {
		return reply, err
	}
	if p.is != program {
		_ = g.Fresh.Account(p.Account) // the action is done: the next page waits again
	}
	g.tell(told)
	return reply, err
}

// admit refuses commands that a principal may not send, and counts a member's action among the requests of the account. Requests of programs are
// counted before their bodies are read.
func (g *gate) admit(p Principal, body events.CommandBody) error {
	if !p.may(body) {
		return refuse(NotAllowed)
	}
	if p.is&members == 0 {
		return nil
	}
	a, _, err := g.Replica.Account(p.Account)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if rate := g.Rate(p.Account, a.Plan); !rate.Allowed {
		return &Refusal{Code: RateLimited, RetryAfter: g.now().SecondsUntil(rate.Reset)}
	}
	return nil
}

// decide sends the command and returns the reply that accepts it.
func (g *gate) decide(p Principal, body events.CommandBody) (events.Reply, error) {
	reply, err := g.Commands.DoBy(p.by, p.Account, body)
	switch {
	case errors.Is(err, events.ErrUnreadable):
		return reply, because(NotText, err)
	case err != nil:
		return reply, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case reply.Code == events.Accepted, reply.Code == events.Replayed && reply.Job != nil:
		return reply, nil
	}
	return reply, &Refusal{Code: codeOf(reply, body), RetryAfter: reply.RetryAfter, Reply: reply}
}

// codeOf returns the code of a refusing reply. If a value is out of range that people type, the code names it.
func codeOf(reply events.Reply, body events.CommandBody) Code {
	if reply.Code != events.OutOfRange {
		return reply.Code
	}
	switch b := body.(type) {
	case events.CreateAccount, events.MoveAnchor:
		return BadAnchor
	case events.LimitFiles:
		return BadFileLimit
	case events.SetVolumeBlocks:
		return BadBlocks
	case events.RotateWebhookSecret:
		return BadOverlap
	case events.ChangeMember:
		return BadRole
	case events.InviteMember:
		if !slices.Contains(events.Roles(), b.Role) {
			return BadRole
		}
		return BadEmail
	}
	return reply.Code
}

// run is do for actions without a result.
func (g *gate) run(p Principal, body events.CommandBody) error {
	_, err := g.do(p, body)
	return err
}
