package operator

import (
	"errors"
	"strings"
	"testing"
	"time"

	"platen.dev/events/contract"
)

var start = time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)

// A link signs in once, until its time is over.
func TestLinks(t *testing.T) {
	var e entries
	used, late, last := e.add(start, linkTime), e.add(start, linkTime), e.add(start, linkTime)
	for _, tc := range []struct {
		name, secret string
		at           time.Duration
		want         bool
	}{
		{"first use", used, time.Minute, true},
		{"second use", used, time.Minute, false},
		{"last moment", last, linkTime - time.Nanosecond, true},
		{"run out", late, linkTime, false},
		{"made up", "x", 0, false},
		{"empty", "", 0, false},
	} {
		if got := e.take(tc.secret, start.Add(tc.at)); got != tc.want {
			t.Errorf("%s: got %t", tc.name, got)
		}
	}
}

// At most twenty links exist; a new one replaces the one that expires first.
func TestEntriesAreBounded(t *testing.T) {
	var e entries
	var all []string
	for i := range maxEntries {
		all = append(all, e.add(start.Add(time.Duration(i)), sessionTime))
	}
	if !e.good(all[0], start) || len(e.until) != maxEntries {
		t.Fatalf("with %d: the first is %t", len(e.until), e.good(all[0], start))
	}
	more := e.add(start.Add(time.Hour), sessionTime)
	if e.good(all[0], start) || !e.good(all[1], start) || !e.good(more, start) || len(e.until) != maxEntries {
		t.Errorf("with one more: first %t, second %t, last %t, %d altogether", e.good(all[0], start), e.good(all[1], start), e.good(more, start), len(e.until))
	}
	e.add(start.Add(24*time.Hour), sessionTime)
	if len(e.until) != 1 {
		t.Errorf("%d are kept that have run out", len(e.until)-1)
	}
}

func TestSessionsEnd(t *testing.T) {
	var e entries
	s := e.add(start, sessionTime)
	if !e.good(s, start.Add(sessionTime-1)) || e.good(s, start.Add(sessionTime)) {
		t.Error("a session does not end when it should")
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.1:9090": true, "localhost:9090": true, "[::1]:9090": true, "::1": true, "127.8.8.8": true,
		"": false, "evil.example": false, "evil.example:9090": false, "10.0.0.5:9090": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "0.0.0.0:9090": false,
	} {
		if got := contract.IsLoopback(host); got != want {
			t.Errorf("%q: got %t", host, got)
		}
	}
}

// A link needs a browser at a loopback address. If the listener has another one, the text says what to forward.
func TestEnter(t *testing.T) {
	for address, want := range map[string]string{"127.0.0.1:9090": "", "[::1]:9090": "", "10.0.0.5:9091": "9091:10.0.0.5:9091", "[fd00::5]:9092": "9092:[fd00::5]:9092"} {
		c := New(Config{Address: func() string { return address }, Now: func() time.Time { return start }})
		link, forward, err := c.Enter()
		host, _, _ := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
		if err != nil || forward != want || !contract.IsLoopback(host) || want == "" && host != address {
			t.Errorf("%q: got %q, %q, %v", address, link, forward, err)
		}
	}
	c := New(Config{Address: func() string { return "" }})
	if link, _, err := c.Enter(); !errors.Is(err, errNoListener) {
		t.Errorf("got %q, %v", link, err)
	}
}
