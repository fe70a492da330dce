package admin

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"platen.dev/actors/account"
	"platen.dev/actors/service"
	"platen.dev/cmd/platen/logdump"
	"platen.dev/events"
)

// This file shows the commands that were set aside, and sends them again or drops them: the server side. Changes go through the log, so any node will
// do.

// quarantined is a command that was set aside.
type quarantined struct {
	Partition int32            `json:"partition"`
	Cause     int64            `json:"cause"`
	Account   events.AccountID `json:"account"`
	Command   string           `json:"command"`
	At        events.Instant   `json:"at_ms"`
	Reason    string           `json:"reason"`
}

// quarantineList lists the quarantine.
type quarantineList struct {
	Commands []quarantined `json:"commands"`
}

// shownCommand is a command that was set aside, with its record as shown in a dump of the log. Gone says why the record is missing.
type shownCommand struct {
	quarantined
	Record string `json:"record,omitempty"`
	Gone   string `json:"gone,omitempty"`
}

// retried is the outcome of a command that was sent again. Reply is empty if commands of its type get none; Again is the command that was set aside
// in its place, nil if it was decided.
type retried struct {
	Reply events.ReplyCode `json:"reply,omitempty"`
	Again *quarantined     `json:"again,omitempty"`
}

func (s *Server) quarantineRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /quarantine", handle(func(*http.Request, none) (any, error) { return s.listQuarantine() }))
	mux.HandleFunc("GET /quarantine/{partition}/{cause}", handle(s.showQuarantined))
	mux.HandleFunc("POST /quarantine/{partition}/{cause}", handle(s.retryQuarantined))
	mux.HandleFunc("DELETE /quarantine/{partition}/{cause}", handle(s.dropQuarantined))
}

func (s *Server) listQuarantine() (quarantineList, error) {
	list := quarantineList{Commands: []quarantined{}}
	if err := s.Services.Fresh.All(); err != nil {
		return list, err
	}
	for p := range s.Log.Partitions() {
		err := account.EachQuarantined(s.Replica, p, func(cause int64, q account.Quarantined) bool {
			list.Commands = append(list.Commands, describeQuarantined(p, cause, q))
			return true
		})
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

func describeQuarantined(p int32, cause int64, q account.Quarantined) quarantined {
	return quarantined{Partition: p, Cause: cause, Account: q.Account, Command: q.Command.String(), At: q.At, Reason: q.Reason}
}

// at returns the partition and the offset that a request names.
func (s *Server) at(r *http.Request) (p int32, cause int64, err error) {
	if p, err = s.partitionOf(r); err != nil {
		return p, 0, err
	}
	cause, err = strconv.ParseInt(r.PathValue("cause"), 10, 64)
	if err != nil || cause < 0 {
		return p, 0, bad("%q is not the offset of a command", r.PathValue("cause"))
	}
	return p, cause, nil
}

// kept reads the command that a request names.
func (s *Server) kept(r *http.Request) (p int32, cause int64, q account.Quarantined, err error) {
	if p, cause, err = s.at(r); err != nil {
		return p, cause, q, err
	}
	q, err = s.Services.Partitions.Quarantined(p, cause)
	return p, cause, q, notKept(p, cause, err)
}

// notKept says which command is not in quarantine.
func notKept(p int32, cause int64, err error) error {
	if service.CodeOf(err) == events.NoSuchCommand {
		return bad("command %d of partition %d is not in quarantine; `platen admin quarantine list` shows those that are", cause, p)
	}
	return err
}

func (s *Server) showQuarantined(r *http.Request, _ none) (any, error) {
	p, cause, q, err := s.kept(r)
	if err != nil {
		return nil, err
	}
	shown := shownCommand{quarantined: describeQuarantined(p, cause, q)}
	record, err := s.Services.Partitions.RecordOf(r.Context(), p, cause, q)
	if errors.Is(err, service.ErrRecordGone) {
		shown.Gone = err.Error()
		return shown, nil
	}
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	_ = logdump.WriteCommand(&text, p, record) // into memory
	shown.Record = text.String()
	return shown, nil
}

func (s *Server) dropQuarantined(r *http.Request, _ none) (any, error) {
	p, cause, _, err := s.kept(r)
	if err != nil {
		return nil, err
	}
	return none{}, s.Services.Partitions.DropQuarantined(p, cause)
}

// retryQuarantined sends a command again, and drops it once it is decided, or kept at another offset.
func (s *Server) retryQuarantined(r *http.Request, _ none) (any, error) {
	p, cause, err := s.at(r)
	if err != nil {
		return nil, err
	}
	outcome, err := s.Services.Partitions.RetryQuarantined(r.Context(), p, cause)
	if errors.Is(err, service.ErrRecordGone) {
		err = fmt.Errorf("%w; it cannot be sent again, only dropped", err)
	}
	answer := retried{Reply: outcome.Reply}
	if outcome.Again != nil {
		again := describeQuarantined(p, outcome.Cause, *outcome.Again)
		answer.Again = &again
	}
	return answer, notKept(p, cause, err)
}
