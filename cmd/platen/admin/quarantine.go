package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"platen.dev/actors/account"
	"platen.dev/cmd/platen/logdump"
	"platen.dev/events"
	"platen.dev/events/eventlog"
)

// This file shows the commands that were set aside, and sends them again or drops them: the half of the node.
// What changes something goes through the log, so any node will do.

// quarantined is a command that was set aside.
type quarantined struct {
	Partition int32            `json:"partition"`
	Cause     int64            `json:"cause"`
	Account   events.AccountID `json:"account"`
	Command   string           `json:"command"`
	At        events.Instant   `json:"at_ms"`
	Reason    string           `json:"reason"`
}

// quarantineList has what is kept.
type quarantineList struct {
	Commands []quarantined `json:"commands"`
}

// shownCommand is a command that was set aside, with its record as the dump of the log shows it. Gone says why there is none.
type shownCommand struct {
	quarantined
	Record string `json:"record,omitempty"`
	Gone   string `json:"gone,omitempty"`
}

// retried is what became of a command that was sent again. Reply is empty if such commands get none; Again is the command that was set aside
// in its place, nil if it was decided.
type retried struct {
	Reply events.ReplyCode `json:"reply,omitempty"`
	Again *quarantined     `json:"again,omitempty"`
}

func (s *Server) listQuarantine(w http.ResponseWriter, r *http.Request) {
	if !s.catchUpAll(w, r) {
		return
	}
	list := quarantineList{Commands: []quarantined{}}
	for p := range s.Log.Partitions() {
		err := account.EachQuarantined(s.Replica, p, func(cause int64, q account.Quarantined) bool {
			list.Commands = append(list.Commands, describeQuarantined(p, cause, q))
			return true
		})
		if err != nil {
			refuse(w, 500, err.Error())
			return
		}
	}
	respond(w, 200, list)
}

func describeQuarantined(p int32, cause int64, q account.Quarantined) quarantined {
	return quarantined{Partition: p, Cause: cause, Account: q.Account, Command: q.Command.String(), At: q.At, Reason: q.Reason}
}

// quarantined reads the command that a request names, or refuses the request.
func (s *Server) quarantined(w http.ResponseWriter, r *http.Request) (p int32, cause int64, q account.Quarantined, ok bool) {
	if p, ok = s.partition(w, r); !ok {
		return p, 0, q, false
	}
	cause, err := strconv.ParseInt(r.PathValue("cause"), 10, 64)
	if err != nil || cause < 0 {
		refuse(w, 400, fmt.Sprintf("%q is not the offset of a command", r.PathValue("cause")))
		return p, 0, q, false
	}
	if !s.catchUp(w, r, p) {
		return p, 0, q, false
	}
	q, found, err := account.InQuarantine(s.Replica, p, cause)
	switch {
	case err != nil:
		refuse(w, 500, err.Error())
	case !found:
		refuse(w, 409, notInQuarantine(p, cause))
	}
	return p, cause, q, err == nil && found
}

func notInQuarantine(p int32, cause int64) string {
	return fmt.Sprintf("command %d of partition %d is not in quarantine; `platen admin quarantine list` shows those that are", cause, p)
}

func (s *Server) showQuarantined(w http.ResponseWriter, r *http.Request) {
	p, cause, q, ok := s.quarantined(w, r)
	if !ok {
		return
	}
	shown := shownCommand{quarantined: describeQuarantined(p, cause, q)}
	record, err := s.recordOf(r.Context(), p, cause, q)
	switch {
	case errors.Is(err, errRecordGone):
		shown.Gone = err.Error()
	case err != nil:
		refuse(w, 503, err.Error())
		return
	default:
		var text strings.Builder
		_ = logdump.WriteCommand(&text, p, record) // into memory
		shown.Record = text.String()
	}
	respond(w, 200, shown)
}

// errRecordGone means that the log no longer has the record of a command.
var errRecordGone = errors.New("the record of the command is gone")

// recordLimit bounds how long a record is read.
const recordLimit = 5 * time.Second

// recordOf reads the record of a command that was set aside. Kafka's retention may have deleted it, and in a topic that was created again,
// or restored from a backup, another record may be at its offset.
func (s *Server) recordOf(ctx context.Context, p int32, cause int64, q account.Quarantined) (eventlog.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, recordLimit)
	defer cancel()
	start, end, err := s.Log.Bounds(ctx, events.TopicCommands, p)
	if err != nil {
		return eventlog.Record{}, err
	}
	if cause < start || cause >= end {
		return eventlog.Record{}, fmt.Errorf("%w: %s has the offsets %d to %d", errRecordGone, events.TopicCommands, start, end-1)
	}
	record, err := eventlog.ReadOne(ctx, s.Log, events.TopicCommands, p, cause)
	if errors.Is(err, eventlog.ErrTrimmed) {
		return record, fmt.Errorf("%w: %w", errRecordGone, err)
	}
	if err != nil {
		return record, err
	}
	if c, err := events.DecodeCommand(record.Value); err != nil || c.ID != q.Command || c.Account != q.Account {
		return record, fmt.Errorf("%w: another one is at its offset", errRecordGone)
	}
	return record, nil
}

func (s *Server) dropQuarantined(w http.ResponseWriter, r *http.Request) {
	if p, cause, _, ok := s.quarantined(w, r); ok && s.release(w, p, cause) {
		respond(w, 200, struct{}{})
	}
}

// release drops a command from the quarantine, or says why that is not possible. Only a partition that keeps some gets such a command, so no
// version that does not know it will read it.
func (s *Server) release(w http.ResponseWriter, p int32, cause int64) bool {
	reply, err := s.Commands.Do(events.PartitionID(p), events.DropSetAside{Cause: cause})
	switch {
	case err != nil:
		refuse(w, 503, fmt.Sprintf("partition %d does not answer; try again: %v", p, err))
	case reply.Code == events.Accepted || reply.Code == events.NoSuchCommand: // somebody else was faster
		return true
	default:
		refuse(w, 409, "refused: "+string(reply.Code))
	}
	return false
}

// retryQuarantined sends a command again, and drops it once it is decided, or kept at another offset.
func (s *Server) retryQuarantined(w http.ResponseWriter, r *http.Request) {
	p, cause, q, ok := s.quarantined(w, r)
	if !ok {
		return
	}
	c, err := s.again(r.Context(), p, cause, q)
	if err == nil {
		err = s.decide(r.Context(), p, c)
	}
	var outcome retried
	if err == nil {
		outcome, err = s.outcome(p, c)
	}
	switch {
	case errors.Is(err, errRecordGone):
		refuse(w, 409, err.Error()+"; it cannot be sent again, only dropped")
	case err != nil:
		refuse(w, 503, err.Error())
	case outcome.Reply == events.Internal && outcome.Again == nil: // the quarantine is full
		refuse(w, 409, "the command was set aside again, and stays where it is; `platen log dump` says why")
	case s.release(w, p, cause):
		respond(w, 200, outcome)
	}
}

// again is a command that repeats one which was set aside: for the same account, by the same author, with the same body and all its content.
func (s *Server) again(ctx context.Context, p int32, cause int64, q account.Quarantined) (c events.Command, err error) {
	record, err := s.recordOf(ctx, p, cause, q)
	if err != nil {
		return c, err
	}
	c, err = events.DecodeCommand(record.Value)
	if _, submits := c.Body.(events.SubmitJob); submits && err == nil {
		c, err = events.DecodeSubmission(record.Value)
	}
	if err != nil {
		return c, fmt.Errorf("the record of the command cannot be read: %w", err)
	}
	c.At, c.ReplyTo = events.At(s.Now()), nil
	c.ID, err = s.idAgain(p, q)
	return c, err
}

// idAgain returns the id under which a command is sent again: the same one if that was done and nobody knows what became of it, another one
// if it was set aside under that and is not kept.
func (s *Server) idAgain(p int32, q account.Quarantined) (events.CommandID, error) {
	for id := q.Command.Again(); ; id = id.Again() {
		reply, _, err := s.Replica.Reply(q.Account, id)
		if err != nil || reply.Code != events.Internal {
			return id, err
		}
		if kept, err := s.keptAs(p, id); err != nil || kept != nil {
			return id, err
		}
	}
}

// keptAs finds a command in quarantine by its id, nil if it is not there.
func (s *Server) keptAs(p int32, id events.CommandID) (kept *quarantined, err error) {
	err = account.EachQuarantined(s.Replica, p, func(cause int64, q account.Quarantined) bool {
		if q.Command == id {
			at := describeQuarantined(p, cause, q)
			kept = &at
		}
		return kept == nil
	})
	return kept, err
}

// decideLimit bounds how long a command that was sent again is waited for: within it a shard changes hands. decideLook is how often its
// decision is looked for.
const (
	decideLimit = 12 * time.Second
	decideLook  = 20 * time.Millisecond
)

var errUndecided = errors.New("the command was sent again and is not decided yet; it stays in quarantine: try again, it is decided once")

// decide appends a command, and waits until its decision is folded. If it is not in time, the command may still be decided, once however often
// it is sent.
func (s *Server) decide(ctx context.Context, p int32, c events.Command) error {
	ctx, cancel := context.WithTimeout(ctx, decideLimit)
	defer cancel()
	cause, err := s.Commands.Append(ctx, c)
	if err != nil {
		return fmt.Errorf("the command was not sent; try again: %w", err)
	}
	look := time.NewTicker(decideLook)
	defer look.Stop()
	for s.Replica.Cursor(p).Cause < cause {
		select {
		case <-ctx.Done():
			return errUndecided
		case <-look.C:
		}
	}
	return nil
}

// outcome is what became of a command that was sent again.
func (s *Server) outcome(p int32, c events.Command) (out retried, err error) {
	reply, _, err := s.Replica.Reply(c.Account, c.ID)
	out.Reply = reply.Code
	if err == nil && reply.Code == events.Internal {
		out.Again, err = s.keptAs(p, c.ID)
	}
	return out, err
}
