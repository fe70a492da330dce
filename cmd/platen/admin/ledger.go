package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
	"platen.dev/ledger"
	"platen.dev/ledger/ingest"
	"platen.dev/ledger/reconcile"
)

// This file compares the usage ledger with the log, and shows what it lacks, on the server and the
// client side.

// listPoison responds with the records that the ledger could not accept.
func (s *Server) listPoison(w http.ResponseWriter, r *http.Request) {
	var all []ingest.Poisoned
	for p := range s.Log.Partitions() {
		found, err := ingest.Poison(r.Context(), s.Log, s.Ledger, p)
		if err != nil {
			refuse(w, 503, err.Error())
			return
		}
		all = append(all, found...)
	}
	respond(w, 200, all)
}

// retryPoison appends the entry of a poison record.
func (s *Server) retryPoison(w http.ResponseWriter, r *http.Request) {
	var at ledger.Source
	if !decode(w, r, &at) {
		return
	}
	if at.Topic != events.TopicEvents || at.Partition < 0 || at.Partition >= s.Log.Partitions() || at.Offset < 0 {
		refuse(w, 400, "no record can be at this place")
		return
	}
	if err := ingest.Retry(r.Context(), s.Log, s.Ledger, at); err != nil {
		refuse(w, 409, err.Error())
		return
	}
	respond(w, 200, struct{}{})
}

// dropPoison forgets a partition's records of the list, up to one of them.
func (s *Server) dropPoison(w http.ResponseWriter, r *http.Request) {
	var upTo ingest.Poisoned
	if !decode(w, r, &upTo) {
		return
	}
	if err := ingest.Forget(r.Context(), s.Log, s.Ledger, upTo.Source.Partition, upTo.At); err != nil {
		refuse(w, 409, err.Error())
		return
	}
	respond(w, 200, struct{}{})
}

// reconciliation is a request for a comparison.
type reconciliation struct {
	Repair   bool      `json:"repair"`
	Account  string    `json:"account"`
	From, To time.Time // zero is unbounded
}

// reconcile compares one partition with the log.
func (s *Server) reconcile(w http.ResponseWriter, r *http.Request) {
	var asked reconciliation
	p, ok := s.partition(w, r)
	if !ok || !decode(w, r, &asked) {
		return
	}
	if of := events.AccountID(asked.Account); of != "" {
		if _, err := s.Services.Accounts.Find(of); err != nil {
			answerWith(w, of, nil, err)
			return
		}
	}
	report, err := reconcile.Run(r.Context(), reconcile.Config{
		Ledger: s.Ledger, Log: s.Log, Topic: events.TopicEvents, Repair: asked.Repair, Account: asked.Account, From: asked.From, To: asked.To,
	}, p)
	if err != nil {
		refuse(w, 503, err.Error())
		return
	}
	if n := len(report.Differences) + report.More; n > 0 {
		s.Logger.Error("the usage ledger is not what the log says", "partition", p, "differences", n, "repair", asked.Repair)
	}
	respond(w, 200, report)
}

// reconcile makes the running node compare the ledger with one partition of the log, which takes as
// long as reading it.
func (c Client) reconcile(ctx context.Context, partition int32, asked reconciliation) (report reconcile.Report, err error) {
	return report, c.exchange(ctx, "POST", fmt.Sprintf("/ledger/partitions/%d", partition), asked, &report)
}

// partitions returns how many partitions the node's log has.
func (c Client) partitions() (int32, error) {
	var all []partitionInfo
	err := c.do("GET", "/partitions", nil, &all)
	return int32(len(all)), err
}

// errUnequal means that a comparison found differences that it could not repair.
var errUnequal = errors.New("ledger and log are not equal")

func runReconcileLedger(c call) error {
	asked := reconciliation{Repair: !c.check, Account: c.account}
	var err error
	if asked.From, asked.To, err = c.times(); err != nil {
		return err
	}
	count, err := c.client.partitions()
	if err != nil {
		return err
	}
	first, last := int32(0), count-1
	if c.account != "" {
		first = events.Partition(events.AccountID(c.account), count)
		last = first
	}
	total := comparison{}
	for p := first; p <= last; p++ {
		terminal.Progress(c.progress, "partition %d of %d", p-first+1, last-first+1)
		report, err := c.client.reconcile(context.Background(), p, asked)
		if err != nil {
			terminal.Progress(c.progress, "")
			return err
		}
		if len(report.Differences) > 0 {
			terminal.Progress(c.progress, "")
		}
		total.add(terminal.To(c.out), report)
	}
	terminal.Progress(c.progress, "")
	return total.tell(terminal.To(c.out))
}

// times returns the bounds that --from and --to give, zero for none.
func (c call) times() (from, to time.Time, err error) {
	if from, err = optionalTime("--from", c.from); err != nil {
		return from, to, err
	}
	to, err = optionalTime("--to", c.to)
	return from, to, err
}

func optionalTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Truncate(time.Second), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s %s: give a time like 2026-01-31T09:00:00Z, or a date", flag, text)
}

// comparison sums up the reports of partitions.
type comparison struct {
	partitions, accounts, poison, differences, repaired, unequal int
	entries, units, bytes, behind                                int64
}

func (t *comparison) add(w terminal.Lines, r reconcile.Report) {
	t.partitions++
	t.accounts += r.Accounts
	t.poison += r.Poison
	t.entries += r.Log.Entries
	t.units += r.Log.Units
	t.bytes += r.Log.Bytes
	t.behind += r.Behind
	for _, d := range r.Differences {
		w.Printf("partition %d, %s\n", r.Partition, d)
		if d.Repaired {
			t.repaired++
		}
	}
	t.differences += len(r.Differences) + r.More
	if !r.Equal() {
		t.unequal++
	}
}

func (t *comparison) tell(w terminal.Lines) error {
	word := "equal"
	if t.unequal > 0 {
		word = "NOT equal"
	}
	w.Printf("%s: partitions %d, accounts %d, entries %d, render units %d, bytes %d\n", word, t.partitions, t.accounts, t.entries, t.units, t.bytes)
	if t.differences > 0 {
		w.Printf("differences: %d, of which repaired: %d\n", t.differences, t.repaired)
	}
	if t.behind > 0 {
		w.Printf("not in the ledger yet: %d entries, which come by themselves\n", t.behind)
	}
	if t.poison > 0 {
		w.Printf("left out: %d records that cannot be entries (platen admin ledger poison list)\n", t.poison)
	}
	if t.unequal > 0 {
		return errUnequal
	}
	return nil
}

func runListPoison(c call) error {
	var all []ingest.Poisoned
	err := c.client.do("GET", "/ledger/poison", nil, &all)
	return c.print(err, func(w terminal.Lines) {
		if len(all) == 0 {
			w.Text("the ledger has left nothing out\n")
			return
		}
		w.Text("RECORD\tEVENT\tTYPE\tACCOUNT\tREASON\n")
		for _, p := range all {
			w.Printf("%s\t%.40s\t%.60s\t%.40s\t%s\n", placeOf(p.Source), p.ID, p.Type, p.Account, p.Reason)
		}
	})
}

// placeOf names a record in the form that commands accept.
func placeOf(at ledger.Source) string { return fmt.Sprintf("%d/%d", at.Partition, at.Offset) }

func runRetryPoison(c call) error {
	var all []ingest.Poisoned
	if err := c.client.do("GET", "/ledger/poison", nil, &all); err != nil {
		return err
	}
	found, failed := 0, 0
	for _, p := range all {
		if len(c.args) > 0 && c.args[0] != placeOf(p.Source) {
			continue
		}
		found++
		if err := c.client.wait("/ledger/poison", p.Source, nil); err != nil {
			failed++
			c.say("%s: %s\n", placeOf(p.Source), err.Error())
			continue
		}
		c.say("%s: in the ledger\n", placeOf(p.Source))
	}
	switch {
	case found == 0 && len(c.args) > 0:
		return fmt.Errorf("%s is not a RECORD that platen admin ledger poison list shows", c.args[0])
	case found == 0:
		c.say("the ledger has left nothing out\n")
	case failed > 0:
		return fmt.Errorf("%d of %d records are still not in the ledger", failed, found)
	}
	return nil
}

// runDropPoison forgets the records that are listed now, but none that come meanwhile.
func runDropPoison(c call) error {
	var all, left []ingest.Poisoned
	if err := c.client.do("GET", "/ledger/poison", nil, &all); err != nil {
		return err
	}
	last := map[int32]ingest.Poisoned{}
	for _, p := range all {
		if known, is := last[p.Source.Partition]; !is || p.At > known.At {
			last[p.Source.Partition] = p
		}
	}
	for _, p := range last {
		if err := c.client.do("DELETE", "/ledger/poison", p, nil); err != nil {
			return err
		}
	}
	if err := c.client.do("GET", "/ledger/poison", nil, &left); err != nil {
		return err
	}
	c.say("%d records are listed no longer, and %d are left\n", len(all)-len(left), len(left))
	return nil
}
