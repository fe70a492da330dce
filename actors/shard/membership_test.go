package shard

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/events/eventlog"
)

// A node that has not compared its clock yet says so; a reason that lasts, changes, or ends its ownership, is
// an error.
func TestWhyANodeOwnsNothing(t *testing.T) {
	early, wrong := errors.New("no clock was compared"), errors.New("the clock is wrong")
	var out strings.Builder
	m := &membership{cfg: Config{Logger: slog.New(slog.NewTextHandler(&out, nil))}}
	said := func(reason error) string {
		out.Reset()
		m.log(reason)
		return out.String()
	}
	expect := func(reason error, want string) {
		t.Helper()
		if got := said(reason); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", reason, got, want)
		}
	}
	expect(early, "level=INFO")
	for range logEvery - 1 {
		expect(fmt.Errorf("after a while: %w", early), "")
	}
	expect(early, "level=ERROR")
	expect(wrong, "level=ERROR")
	expect(nil, "")
	m.in = left{}
	expect(nil, "")
	expect(wrong, "level=ERROR")
	m.in = nil
	expect(wrong, "")
}

type left struct{ eventlog.Membership }

// A node that cannot enter the group again, as when a file of its certificate is about to be replaced, tries at every check, and says so once. At its
// start, and with a log that is closed, it does not.
func TestEnteringTheGroupAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		log := &gate{errs: []error{errors.New("no certificate"), errors.New("no certificate"), nil, eventlog.ErrClosed}}
		var failed error
		var may error
		cfg := Config{Log: log, Logger: slog.New(slog.NewTextHandler(&said, nil)), MayOwn: func(bool) error { return may }, Failed: func(err error) { failed = err }}
		if _, err := join(cfg, nil); err == nil || !strings.Contains(err.Error(), "no certificate") {
			t.Errorf("at the start: %v", err)
		}
		may = errors.New("no clock was compared")
		m, err := join(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer m.close()
		check := func(reason error) {
			t.Helper()
			may = reason
			time.Sleep(checkInterval)
			synctest.Wait()
		}
		check(nil)
		if failed != nil || m.in != nil || strings.Count(said.String(), "no certificate") != 1 {
			t.Errorf("failed with %v, said %s", failed, said.String())
		}
		if check(nil); failed != nil || m.in == nil {
			t.Errorf("not entered: %v", failed)
		}
		check(errors.New("the clock is wrong"))
		if check(nil); !errors.Is(failed, eventlog.ErrClosed) {
			t.Errorf("a log that is closed: %v", failed)
		}
	})
}

// gate is a log whose group is entered with the errors of a list.
type gate struct {
	eventlog.Log
	errs []error
}

func (g *gate) Own(string, string, eventlog.Owner) (eventlog.Membership, error) {
	err := g.errs[0]
	g.errs = g.errs[1:]
	return left{}, err
}

func (left) Close() error { return nil }
