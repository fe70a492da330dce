//go:build integration

package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

// load submits jobs steadily until it is stopped: every other one in test mode.
type load struct {
	from *client
	stop context.CancelFunc
	all  sync.WaitGroup

	mu       sync.Mutex
	rendered []string
	tested   []string
	refused  []error
	again    int // requests that were sent more than once
}

// workers is how many jobs are under way at most.
const workers = 3

func startLoad(t *testing.T, from *client) *load {
	ctx, stop := context.WithCancel(context.Background())
	l := &load{from: from, stop: stop}
	for w := range workers {
		l.all.Go(func() {
			for n := w; ctx.Err() == nil; n++ {
				l.job(ctx, n%2 == 0)
			}
		})
	}
	t.Cleanup(func() { stop(); l.all.Wait() })
	return l
}

// job submits one job and waits for its end, but not for ever.
func (l *load) job(ctx context.Context, test bool) {
	body := map[string]any{"html": fmt.Sprintf("<h1>Job</h1><p>%d", time.Now().UnixNano()), "test": test}
	job, tries, err := l.from.submit(ctx, "/html-to-pdf", body)
	l.mu.Lock()
	l.again += tries - 1
	switch {
	case err != nil && ctx.Err() == nil:
		l.refused = append(l.refused, err)
	case err == nil && test:
		l.tested = append(l.tested, job)
	case err == nil:
		l.rendered = append(l.rendered, job)
	}
	l.mu.Unlock()
	for range 20 {
		if pause(ctx) != nil || err != nil || l.from.status(ctx, job) == "done" {
			return
		}
	}
}

// jobs returns, in order of their names, the jobs that were accepted so far.
func (l *load) jobs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(slices.Values(slices.Concat(l.rendered, l.tested)))
}

// awaitMore waits until the number of accepted jobs has risen by more.
func (l *load) awaitMore(t *testing.T, more int) {
	t.Helper()
	before := len(l.jobs())
	testkit.Eventually(t, fmt.Sprintf("%d more jobs are accepted", more), func() bool { return len(l.jobs()) >= before+more })
}

// end stops the load and waits until every job that was accepted is done.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stop()
	l.all.Wait()
	for _, err := range l.refused {
		t.Errorf("a job was refused: %v", err)
	}
	for _, job := range l.jobs() {
		l.from.awaitDone(t, job)
	}
	t.Logf("the load: %d rendered jobs and %d in test mode, all done; %d requests were sent again", len(l.rendered), len(l.tested), l.again)
}
