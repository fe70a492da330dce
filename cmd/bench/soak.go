package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"platen.dev/cmd/bench/stats"
)

// soak is a node under a mixed load for hours, with its samples.
type soak struct {
	settings settings
	platen   *process
	base     *baseline
	pages    *http.Server     // the bad pages
	hooks    *httptest.Server // receives webhooks
	tally    *tally
	probes   *probes
	samples  []soakSample
}

const (
	// soakSampleEvery is the interval of samples, soakProgress that of progress lines.
	soakSampleEvery = 5 * time.Second
	soakProgress    = time.Minute
	// leastSoak is the shortest run that shows a trend, allowing for late samples.
	leastSoak = (stats.LeastSamples + 4) * soakSampleEvery
)

// soakBench plays a mixed load with hostile pages on a node for a while, and judges whether its resource usage stays flat.
func soakBench(ctx context.Context, s settings) (err error) {
	if s.soak < leastSoak {
		return fmt.Errorf("a soak takes at least %v: less shows no trend", leastSoak)
	}
	fmt.Printf("soak: a mixed load with hostile pages for %v\n", s.soak)
	k := &soak{settings: s, tally: newTally(), probes: &probes{}}
	defer func() { err = errors.Join(err, k.close()) }()
	if err := k.open(); err != nil {
		return err
	}
	began := time.Now()
	err = k.play(ctx)
	if ctx.Err() != nil && time.Since(began) < s.soak {
		err = errInterrupted // the interruption may have ended the node, too
	}
	if err != nil {
		return errors.Join(err, k.write(nil))
	}
	return k.judge()
}

func (k *soak) open() (err error) {
	if k.base, err = openBaseline(k.settings.documents); err != nil {
		return err
	}
	if k.pages, err = badPages(); err != nil {
		return err
	}
	k.hooks = httptest.NewServer(http.HandlerFunc(k.tally.hook))
	k.platen, err = startPlaten(k.settings.platen, "--egress-allow", "127.0.0.0/8")
	return err
}

func (k *soak) close() (err error) {
	if k.platen != nil {
		err = k.platen.stop()
	}
	if k.hooks != nil {
		k.hooks.Close()
	}
	if k.pages != nil {
		err = errors.Join(err, k.pages.Close())
	}
	if k.base != nil {
		k.base.close()
	}
	return err
}

// play keeps the load up and watches the node. It waits for the jobs under way at the end.
func (k *soak) play(ctx context.Context) error {
	work, err := k.workers()
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, k.settings.soak)
	defer stop()
	var workers sync.WaitGroup
	for _, one := range work {
		workers.Go(func() { one(ctx) })
	}
	err = k.watch(ctx)
	stop()
	workers.Wait()
	return errors.Join(err, k.tally.awaitHooks())
}

// watch samples the node until ctx ends. A failed sample ends the soak.
func (k *soak) watch(ctx context.Context) error {
	tick := time.NewTicker(soakSampleEvery)
	defer tick.Stop()
	began, printed := time.Now(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		sample, err := k.sample(time.Since(began))
		if err != nil {
			return fmt.Errorf("after %v: %w", time.Since(began).Round(time.Second), err)
		}
		k.samples = append(k.samples, sample)
		if time.Since(printed) >= soakProgress {
			printed = time.Now()
			fmt.Println(sample)
		}
	}
}

// workers returns those of the good accounts, the hostile ones and the probing client.
func (k *soak) workers() (all []func(context.Context), err error) {
	keys, err := accounts(k.platen, soakGood+soakHostile+1)
	if err != nil {
		return nil, err
	}
	kinds, err := k.kinds()
	if err != nil {
		return nil, err
	}
	for i := range soakGood {
		all = append(all, k.good(k.client(keys[i]), kinds, i))
	}
	attacks := k.attacks()
	for i := range soakHostile {
		all = append(all, k.hostile(k.client(keys[soakGood+i]), attacks, i*len(attacks)/soakHostile))
	}
	return append(all, k.probe(k.client(keys[len(keys)-1]), kinds[0])), nil
}

func (k *soak) client(key string) *client {
	c := newClient(k.platen)
	c.key = key
	return c
}

// probes are the recent document times of a probing client.
type probes struct {
	mu   sync.Mutex
	all  []time.Duration
	ends []time.Time
}

// probeWindow is how long a probe counts.
const probeWindow = time.Minute

func (p *probes) add(took time.Duration, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.ends = append(p.all, took), append(p.ends, now)
	old := 0
	for old < len(p.ends) && now.Sub(p.ends[old]) > probeWindow {
		old++
	}
	p.all, p.ends = p.all[old:], p.ends[old:]
}

// percentiles returns those of the window, 0 while it is empty.
func (p *probes) percentiles() (p50, p99 time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(p.all))
	return percentile(sorted, 50), percentile(sorted, 99)
}
