package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"platen.dev/cmd/bench/stats"
)

// contest is a load that drives two binaries in turn.
type contest struct {
	name  string
	short bool // it belongs to the short set
	open  func(s settings, base *baseline) (contestant, error)
}

// contestant is a binary under a load. A sample drives it for a while.
type contestant struct {
	sample func() (outcome, error)
	close  func()
}

var contests = []contest{
	{"accept", true, func(s settings, _ *baseline) (contestant, error) {
		return contestant{func() (outcome, error) { return acceptOnce(s, "") }, func() {}}, nil
	}},
	{"poll", false, openPollContest},
	{"wait", false, rendering(1, waited, "html-to-pdf tiny")},
	{"render tiny", true, rendering(concurrency, endToEnd, "html-to-pdf tiny")},
	{"render invoice", false, rendering(concurrency, endToEnd, "html-to-pdf invoice")},
	{"url tiny", false, rendering(concurrency, endToEnd, "url-to-pdf tiny")},
	{"mixed", true, func(s settings, base *baseline) (contestant, error) {
		n, err := openMixed(s.platen, base, s)
		if err != nil {
			return contestant{}, err
		}
		return contestant{func() (outcome, error) { o, _, err := n.measure(s); return o, err }, func() { _ = n.platen.stop() }}, nil
	}},
}

func openPollContest(s settings, _ *baseline) (contestant, error) {
	p, targets, _, err := openPoll(s.platen)
	if err != nil {
		return contestant{}, err
	}
	return contestant{func() (outcome, error) { return load(s.duration, 200, getting(targets)) }, func() { _ = p.stop() }}, nil
}

// rendering returns a load of workers that make one kind of document.
func rendering(workers int, worker func(*process, []string, kind) (func() error, error), title string) func(settings, *baseline) (contestant, error) {
	return func(s settings, base *baseline) (contestant, error) {
		k, err := base.kind(s.documents, title)
		if err != nil {
			return contestant{}, err
		}
		p, keys, err := startWithAccounts(s.platen, jobAccounts, "--egress-allow", "127.0.0.0/8")
		if err != nil {
			return contestant{}, err
		}
		sample := func() (outcome, error) {
			return loop(workers, s.duration, func() (func() error, error) { return worker(p, keys, k) })
		}
		return contestant{sample, func() { _ = p.stop() }}, nil
	}
}

// compareBench runs today's binary and the base's in turn through all contests. A significantly worse row is an error.
func compareBench(ctx context.Context, s settings) error {
	if s.pairs < stats.LeastPairs {
		return fmt.Errorf("-pairs %d: fewer than %d pairs decide nothing", s.pairs, stats.LeastPairs)
	}
	chosen, err := chosenContests(s.only, s.short)
	if err != nil {
		return err
	}
	fmt.Printf("today's %s beside that of %s: %d pairs of samples of %v, alternating who is first\n", s.platen, s.base, s.pairs, s.duration)
	binary, remove, err := baseBinary(ctx, s.base)
	if err != nil {
		return err
	}
	defer remove()
	base, err := openBaseline(s.documents)
	if err != nil {
		return err
	}
	defer base.close()
	worse := error(nil)
	for _, c := range chosen {
		lost, err := c.judge(ctx, s, binary, base)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		worse = errors.Join(worse, lost)
	}
	return worse
}

// chosenContests returns the contest called only, or all, or those of the short set.
func chosenContests(only string, short bool) (chosen []contest, err error) {
	var names []string
	for _, c := range contests {
		if short && !c.short {
			continue
		}
		names = append(names, c.name)
		if only == "" || only == c.name {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %q is not a row; there are: %s", only, strings.Join(names, ", "))
	}
	return chosen, nil
}

// judge plays a contest and adds its row; lost names what is worse.
func (c contest) judge(ctx context.Context, s settings, binary string, base *baseline) (lost, err error) {
	today, before, err := c.play(ctx, s, binary, base)
	if err != nil {
		return nil, err
	}
	ours, theirs := median(today), median(before)
	result, err := stats.Compare(rates(today), rates(before))
	if err != nil {
		return nil, err
	}
	verdict := "not worse beyond noise"
	if result.Worse() {
		verdict = "WORSE"
		lost = fmt.Errorf("%s is %.1f %% slower than %s: of equals, one run in %.0f looks so or worse", c.name, 100*result.Loss, s.base, 1/result.P)
	}
	line := fmt.Sprintf("  %-16s %9.1f/s   base %9.1f/s   %+6.1f %%   p %.4f   %s", c.name, ours.perSecond, theirs.perSecond, -100*result.Loss, result.P, verdict)
	loss := figure{Name: "loss", Unit: "ratio", Value: result.Loss, Goal: &goal{"<", stats.LeastLoss, !result.Worse()}} // also reached if noise explains the loss
	s.out.add(
		c.name, line, quotient("today of base", ours, theirs, outcome.rate), loss, figure{Name: "p", Unit: "probability", Value: result.P},
		ours.figure("today", "1/s", outcome.rate), theirs.figure("base", "1/s", outcome.rate),
	)
	return lost, nil
}

// play takes the samples, half of them with each side opened first: of two runs of one binary, the one that starts first is a few per cent slower.
func (c contest) play(ctx context.Context, s settings, binary string, base *baseline) (today, before []outcome, err error) {
	older := s
	older.platen = binary
	today, before, err = c.playPairs(ctx, s.pairs/2, s, older, base)
	if err != nil {
		return nil, nil, err
	}
	second, first, err := c.playPairs(ctx, s.pairs-s.pairs/2, older, s, base)
	return append(today, first...), append(before, second...), err
}

// playPairs opens two sides, one after the other, and takes pairs of samples of them.
func (c contest) playPairs(ctx context.Context, pairs int, first, second settings, base *baseline) (ofFirst, ofSecond []outcome, err error) {
	sides := [2]struct {
		settings settings
		outcomes []outcome
		contestant
	}{{settings: first}, {settings: second}}
	for i := range sides {
		if sides[i].contestant, err = c.open(sides[i].settings, base); err != nil {
			return nil, nil, err
		}
		defer sides[i].close()
	}
	for turn := range 2 * pairs {
		side := &sides[turnOf(turn)]
		o, err := side.sample()
		if ctx.Err() != nil {
			return nil, nil, errInterrupted // the interruption may have ended the nodes, too
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", side.settings.platen, err)
		}
		side.outcomes = append(side.outcomes, o)
	}
	return sides[0].outcomes, sides[1].outcomes, nil
}

var errInterrupted = errors.New("interrupted: nothing is judged")

// turnOf returns which of two has a turn: A B B A A B B A, so that neither gains from a machine that becomes faster or slower.
func turnOf(turn int) int { return (turn + 1) / 2 % 2 }

func rates(all []outcome) (rates []float64) {
	for _, o := range all {
		rates = append(rates, o.perSecond)
	}
	return rates
}
