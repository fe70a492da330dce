package render

import (
	"context"
	"strings"
	"testing"

	"platen.dev/actors/job"
	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
)

// laneFixture has four attempts, and the test lets each job continue.
type laneFixture struct {
	*fixture
	goOn [dispatch.Lanes]chan struct{}
}

func newLaneFixture(t *testing.T) *laneFixture {
	c := &laneFixture{}
	for in := range c.goOn {
		c.goOn[in] = make(chan struct{})
	}
	c.fixture = newFixtureWith(t, func(cfg *Config) {
		cfg.Attempts = 4
		cfg.Acquire = func(ctx context.Context, _ events.AccountID, l events.Lane) (Lease, error) {
			select {
			case <-c.goOn[dispatch.Index(l)]:
				return free{lease{c.fixture}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	})
	return c
}

// free makes a page available at once.
type free struct{ lease }

func (free) Return() {}

// in submits a job of a lane, each for an account of its own.
func (c *laneFixture) in(lane events.Lane) events.JobID {
	id := events.NewJobID()
	content := events.Content{HTML: "x"}
	if lane == events.Slow {
		content.HTML = strings.Repeat("x", 1<<17)
	}
	account := events.AccountID(id.String())
	offset := c.appendFor(account, events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: content})
	c.renderer.Perform(0, job.Render{Account: account, Job: id, Content: offset, Lane: lane})
	return id
}

func (c *laneFixture) awaitLoad(quick, slow, queuedQuick, queuedSlow int) {
	c.t.Helper()
	c.figures("as many under way and waiting", func(f Figures) bool {
		return f.Load.Running == [dispatch.Lanes]int{quick, slow, 0} && f.Load.Queued == [dispatch.Lanes]int{queuedQuick, queuedSlow, 0}
	})
}

// Slow jobs leave two attempts to quick ones, which overtake the slow jobs that wait for
// that reason.
func TestSlowJobsLeaveAttempts(t *testing.T) {
	c := newLaneFixture(t)
	for range 5 {
		c.in(events.Slow)
	}
	c.awaitLoad(0, 2, 0, 3)
	for range 3 {
		quick := c.in(events.Quick)
		c.goOn[0] <- struct{}{}
		if start, ok := c.told(2)[0].(events.StartRender); !ok || start.Job != quick {
			t.Errorf("began %+v, want the quick job", start)
		}
	}
	for range 5 {
		c.goOn[1] <- struct{}{}
	}
	c.told(10)
	c.awaitLoad(0, 0, 0, 0)
}

// The slow job that has waited longest is next, however many quick ones come after it.
func TestQuickJobsDoNotStarveSlowOnes(t *testing.T) {
	c := newLaneFixture(t)
	for range 4 {
		c.in(events.Quick)
	}
	c.awaitLoad(4, 0, 0, 0)
	c.in(events.Slow)
	for range 10 {
		c.in(events.Quick)
	}
	c.awaitLoad(4, 0, 10, 1)
	c.goOn[0] <- struct{}{}
	c.awaitLoad(3, 1, 10, 0)
	c.goOn[1] <- struct{}{}
	c.awaitLoad(4, 0, 9, 0)
	for range 13 {
		c.goOn[0] <- struct{}{}
	}
	c.awaitLoad(0, 0, 0, 0)
}
