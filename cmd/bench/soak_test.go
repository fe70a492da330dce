package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/bench/stats"
)

// hourOf returns an hour of samples of a node that stays the same, changed by more.
func hourOf(more func(s *soakSample, i int)) (all []soakSample) {
	for i := range 720 {
		s := soakSample{
			after: time.Duration(i) * soakSampleEvery, nodeBytes: 200 << 20, browserBytes: 900 << 20, processes: 40, descriptors: 900, goroutines: 400,
			disk: map[string]int64{"log": 60 << 20}, p50: 30 * time.Millisecond, p99: 90 * time.Millisecond, counts: counts{Done: 10 * i},
		}
		more(&s, i)
		all = append(all, s)
	}
	return all
}

// Growth is found in each measure, and in no other; 7,200 jobs an hour may leave 70 MiB, and in half an hour the disk may swing by 128, the results
// by 8.
func TestEveryMeasureIsJudged(t *testing.T) {
	for _, c := range []struct {
		grows string
		more  func(s *soakSample, i int)
	}{
		{"", func(*soakSample, int) {}},
		{"", func(s *soakSample, i int) {
			s.disk["log"] += int64(i) * 450 << 10
			s.surplusBytes += int64(i) * 30 << 10
			s.nodeBytes += int64(i) * 13 << 10
			s.resultBytes += int64(i) << 20
		}},
		{"memory of the node beside caches", func(s *soakSample, i int) { s.nodeBytes += int64(i) * 15 << 10 }},
		{"memory of the browsers", func(s *soakSample, i int) { s.browserBytes += int64(i) * 70 << 10 }},
		{"processes", func(s *soakSample, i int) { s.processes += i / 60 }},
		{"descriptors", func(s *soakSample, i int) { s.descriptors += i / 20 }},
		{"goroutines", func(s *soakSample, i int) { s.goroutines += i / 40 }},
		{"p50 of the probe", func(s *soakSample, i int) { s.p50 += time.Duration(i) * 3 * time.Microsecond }},
		{"p99 of the probe", func(s *soakSample, i int) { s.p99 += time.Duration(i) * 14 * time.Microsecond }},
		{"disk beside results", func(s *soakSample, i int) { s.disk["log"] += int64(i) * 480 << 10 }},
		{"results beyond files made", func(s *soakSample, i int) { s.surplusBytes += int64(i) * 36 << 10 }},
	} {
		all, err := trends(hourOf(c.more))
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range all {
			if got := j.trend.Verdict(); (got == stats.Grows) != (j.name == c.grows) {
				t.Errorf("when %q grows, %s: %s", c.grows, j.name, j.note())
			}
		}
	}
}

func TestASoakThatIsTooShortIsRefused(t *testing.T) {
	if err := soakBench(t.Context(), settings{soak: leastSoak - 1}); err == nil || !strings.Contains(err.Error(), "at least") {
		t.Errorf("got %v", err)
	}
	if _, err := trends(hourOf(func(*soakSample, int) {})[:stats.LeastSamples]); err != nil {
		t.Errorf("of the least: %v", err)
	}
}

// Failures that a page causes are expected; failures of the service are not.
func TestExpectedFailures(t *testing.T) {
	for code, want := range map[string]bool{"PAGE_TIMEOUT": true, "BROWSER_CRASHED": true, "CONTENT_LOST": false, "CANCELLED": false, "INTERNAL": false} {
		if got := hostileFailure(errors.New(`job failed: {"status":"failed","error":{"code":"` + code + `"}}`)); got != want {
			t.Errorf("%s is expected: %v", code, got)
		}
	}
	y := newTally()
	y.good("tiny", nil)
	y.hostile("/heap", failed, nil)
	y.hostile("drawing", refused, nil)
	y.hostile("/dom", done, nil)
	y.hostile("/dom", "", errors.New("500"))
	y.good("tiny", errors.New("gone"))
	if got := y.now(); got != (counts{Done: 2, Failed: 1, Refused: 1, Unexpected: 2}) || len(y.said) != 2 {
		t.Errorf("got %+v, %q", got, y.said)
	}
}

// A webhook may come before its job is known to the client, or twice.
func TestWebhooksAreAwaited(t *testing.T) {
	y := newTally()
	hook := func(body string) int {
		w := httptest.NewRecorder()
		y.hook(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		return w.Code
	}
	y.expectHook("one")
	if y.missing() != 1 {
		t.Errorf("%d are missing", y.missing())
	}
	for _, body := range []string{`{"job_id":"one"}`, `{"job_id":"one"}`, `{"job_id":"two"}`} {
		if status := hook(body); status != 200 {
			t.Errorf("%s: %d", body, status)
		}
	}
	y.expectHook("two")
	if y.missing() != 0 {
		t.Errorf("%d are missing", y.missing())
	}
	if status := hook("{}"); status != 400 {
		t.Errorf("without a job: %d", status)
	}
}

func TestProbesCountForAMinute(t *testing.T) {
	p := &probes{}
	if p50, p99 := p.percentiles(); p50 != 0 || p99 != 0 {
		t.Errorf("of none: %v and %v", p50, p99)
	}
	start := time.Unix(0, 0)
	p.add(time.Hour, start)
	p.add(time.Second, start.Add(probeWindow))
	if _, p99 := p.percentiles(); p99 != time.Hour {
		t.Errorf("at its end: %v", p99)
	}
	p.add(time.Second, start.Add(probeWindow+1))
	if _, p99 := p.percentiles(); p99 != time.Second {
		t.Errorf("after it: %v", p99)
	}
}

func TestResultsAreApartFromTheDisk(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"log/000001.log": 10_000, "files/ab/one.pdf": 3_000, "files/cd/two.pdf": 4_000, "filesystem": 100} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parts, results := diskOf(dir, "files")
	if results != 7_000 || len(parts) != 2 || parts["log"] < 10_000 || parts["log"] > 100_000 || parts["filesystem"] < 100 {
		t.Errorf("disk %v, results %d", parts, results)
	}
}
