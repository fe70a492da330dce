// Command bench measures Platen against the bare minimum of the same work, in one run on one
// machine: it prints ratios, and the figures behind them. It starts the platen binary and its own
// bare servers as processes on loopback, and ends them.
//
// With -json it writes each row's figures, rounds and goals, and where they were measured.
//
// With -base, today's binary and that of a commit take turns (A B B A) at external loads. A row fails
// if an exact signed-rank test on the paired ratios finds it slower, and by 5 % or more (package
// stats). The machine may be busy, as long as that does not favour one of two neighbouring samples.
//
// With -soak, a node handles jobs of all kinds and hostile pages for hours. The slope of each measure
// over the second half has a bound (soakMeasures); "undecided" means that a longer run is needed.
// Results are kept meanwhile: two hours take some GB.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	platen    string
	documents string
	duration  time.Duration
	rounds    int
	only      string
	kind      string
	jobs      int
	months    int
	trust     bool
	keep      string
	json      string
	tests     string
	base      string
	pairs     int
	short     bool
	soak      time.Duration
	soakDir   string
	// out is where measurements go.
	out *results
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == bareServer {
		serveBare(os.Args[2])
		return
	}
	if len(os.Args) == 5 && os.Args[1] == mobArgument {
		if err := mob(os.Args[2], os.Args[3], os.Args[4]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	s := settings{out: &results{}}
	flag.StringVar(&s.platen, "platen", "bin/platen", "the `BINARY` to measure")
	flag.StringVar(&s.documents, "documents", "testdata/bench", "`DIR` of the documents to render")
	flag.DurationVar(&s.duration, "duration", 4*time.Second, "how long each measurement of a round runs")
	flag.IntVar(&s.rounds, "rounds", 3, "how often each pair is measured, alternating; medians are printed")
	flag.StringVar(&s.only, "only", "", "measure `NAME` alone: accept, events, poll, queue, wait, neighbours, refused, history, pages, render, mixed or capacity")
	flag.StringVar(&s.kind, "kind", "", "of render, mixed, neighbours, refused and capacity, measure what has `TEXT` in its name, such as \"url-to-pdf\" or \"tiny\"")
	flag.IntVar(&s.jobs, "jobs", 100_000, "of history, how many jobs a month has")
	flag.IntVar(&s.months, "months", 3, "of history, how many months pass")
	flag.BoolVar(&s.trust, "trust", false, "of history, write jobs up to their ends only, and take snapshots once and on trust, because rebuilding to verify them takes as long as writing: for ten million jobs")
	flag.StringVar(&s.keep, "keep", "", "of history, the `DIR` to keep it in; what is there already is not written again, only started with")
	flag.StringVar(&s.json, "json", "", "write what is measured as JSON into `FILE`, too")
	flag.StringVar(&s.tests, "tests", "", "add the benchmarks that \"go test -bench\" wrote into `FILE` to the JSON")
	flag.StringVar(&s.base, "base", "", "compare with another binary instead: that of a `COMMIT`, or a file; ends with 1 if a row is worse beyond its noise")
	flag.IntVar(&s.pairs, "pairs", 16, "with -base, how many pairs of samples each row has; -only is the name of a row")
	flag.BoolVar(&s.short, "short", false, "with -base, a short set of rows")
	flag.DurationVar(&s.soak, "soak", 0, "play a mixed load with hostile pages for so `LONG` instead; ends with 1 if something grows, or fails unexpectedly")
	flag.StringVar(&s.soakDir, "soakdir", "out", "of -soak, the `DIR` of soak.csv and soak.svg")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// long runs the benchmarks that clean up when interrupted.
func long(ctx context.Context, s settings) error {
	if s.soak > 0 {
		s.out.begin("soak")
		return soakBench(ctx, s)
	}
	s.out.begin("compare")
	return compareBench(ctx, s)
}

// run measures; measurements made before a failure are written, too.
func run(s settings) (err error) {
	if s.json != "" {
		defer func() { err = errors.Join(err, s.out.write(s.json, originOf(s.platen))) }()
	}
	if s.base != "" || s.soak > 0 {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return long(ctx, s)
	}
	if s.tests != "" {
		if err := s.out.readGoBenchmarks(s.tests); err != nil {
			return err
		}
	}
	for _, m := range []struct {
		name    string
		measure func(settings) error
	}{
		{"accept", accept},
		{"events", publishing},
		{"poll", poll},
		{"queue", queue},
		{"wait", wait},
		{"neighbours", neighboursBench},
		{"refused", refusedBench},
		{"history", historyBench},
		{"pages", pages},
		{"render", render},
		{"mixed", mixed},
		{"capacity", capacityBench},
	} {
		if s.only != "" && s.only != m.name {
			continue
		}
		s.out.begin(m.name)
		if err := m.measure(s); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}
