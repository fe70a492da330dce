package shard

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

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
