package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"platen.dev/cmd/platen/capacity"
	"platen.dev/cmd/platen/textfile"
)

// capacityOptions are what the flags of `platen capacity` say.
type capacityOptions struct {
	jobs, mix, costs          string
	peak, polls, webhooks     float64
	hosts, cores              int
	memory, disk, network     float64 // GB, GB, Mbit/s
	commandsHours, eventsDays float64
	asJSON                    bool
}

// defaultMix is what the jobs are if nobody says: mostly documents such as invoices, some web pages.
const defaultMix = "html-to-pdf:tiny=30, html-to-pdf:invoice=40, html-to-pdf:report=5, url-to-pdf:invoice=15, html-to-image:invoice=10"

const (
	gigabyte = 1e9
	megabit  = 1e6 / 8
)

func capacityCommand() *cobra.Command {
	var o capacityOptions
	c := &cobra.Command{
		Use: "capacity --jobs RATE", Short: "Estimate the hosts that a rate of jobs needs", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return o.estimate(c.OutOrStdout()) },
	}
	flags := c.Flags()
	flags.StringVar(&o.jobs, "jobs", "", "`RATE` of jobs, such as 5000000/day: per second, minute, hour, day or month")
	flags.StringVar(&o.mix, "mix", defaultMix, "`SHARES` of the kinds of jobs, which may add up to anything")
	flags.Float64Var(&o.peak, "peak", 3, "how many `TIMES` the jobs of the average come in the busiest minutes, at least 1")
	flags.Float64Var(&o.polls, "polls", 3, "how many `TIMES` a client asks for the status of a job")
	flags.Float64Var(&o.webhooks, "webhooks", 0.5, "`SHARE` of the jobs that have a webhook, 0 to 1")
	flags.IntVar(&o.hosts, "hosts", 0, "`NUMBER` of hosts, at least 3; 0 is as many as are needed")
	flags.IntVar(&o.cores, "cores", 8, "`NUMBER` of cores of a host")
	flags.Float64Var(&o.memory, "memory", 32, "`GB` of memory of a host")
	flags.Float64Var(&o.disk, "disk", 1000, "`GB` of a host's disk, for the log and the rows of jobs")
	flags.Float64Var(&o.network, "network", 1000, "`MBIT` per second of a host's network, each way")
	flags.Float64Var(&o.commandsHours, "commands-hours", capacity.Defaults.Commands.Hours(), "`HOURS` for which commands are kept, as kafka.commands_hours says")
	flags.Float64Var(&o.eventsDays, "events-days", capacity.Defaults.Events.Hours()/24, "`DAYS` for which public events are kept, as history.events_days says")
	flags.StringVar(&o.costs, "costs", "", "`FILE` of costs measured on a machine of yours, by go run ./cmd/bench -only capacity -costs FILE")
	flags.BoolVar(&o.asJSON, "json", false, "print an object")
	return c
}

// estimate says what a cluster needs. The status is 1 if the hosts are not enough.
func (o *capacityOptions) estimate(stdout io.Writer) error {
	costs, err := o.readCosts()
	if err != nil {
		return err
	}
	q, err := o.question(costs)
	if err != nil {
		return err
	}
	plan := costs.Answer(q)
	if o.asJSON {
		err = json.NewEncoder(stdout).Encode(plan)
	} else {
		_, err = io.WriteString(stdout, costs.Describe(q, plan))
	}
	if err == nil && !plan.Enough {
		return exitStatus(1)
	}
	return err
}

func (o *capacityOptions) readCosts() (capacity.Costs, error) {
	if o.costs == "" {
		return capacity.Measured(), nil
	}
	text, err := textfile.Read(o.costs)
	if err != nil {
		return capacity.Costs{}, err
	}
	return capacity.Parse(text)
}

// question is what the flags ask.
func (o *capacityOptions) question(c capacity.Costs) (q capacity.Question, err error) {
	if o.jobs == "" {
		return q, errors.New("capacity: --jobs must say how many, such as 5000000/day")
	}
	q.Load = capacity.Load{Peak: o.peak, Polls: o.polls, Webhooks: o.webhooks}
	if q.Load.PerSecond, err = capacity.ParseRate(o.jobs); err != nil {
		return q, fmt.Errorf("--jobs: %w", err)
	}
	if q.Load.Mix, err = c.ParseMix(o.mix); err != nil {
		return q, fmt.Errorf("--mix: %w", err)
	}
	for _, f := range []struct {
		name        string
		value       float64
		least, most float64
	}{
		{"peak", o.peak, 1, 1000},
		{"polls", o.polls, 0, 1000},
		{"webhooks", o.webhooks, 0, 1},
		{"cores", float64(o.cores), 1, 1024},
		{"memory", o.memory, 1, 1e6},
		{"disk", o.disk, 1, 1e9},
		{"network", o.network, 1, 1e7},
		{"commands-hours", o.commandsHours, 24, 1e5},
		{"events-days", o.eventsDays, 1, 1e5},
	} {
		if !(f.value >= f.least && f.value <= f.most) { // so that NaN is refused, too
			return q, fmt.Errorf("--%s must be from %g to %g", f.name, f.least, f.most)
		}
	}
	if o.hosts != 0 && (o.hosts < capacity.Fewest || o.hosts > capacity.Most) {
		return q, fmt.Errorf("--hosts must be 0, or from %d to %d", capacity.Fewest, capacity.Most)
	}
	q.Hosts = o.hosts
	q.Host = capacity.Host{Cores: o.cores, Memory: o.memory * gigabyte, Disk: o.disk * gigabyte, Network: o.network * megabit}
	q.Keeping = capacity.Defaults
	q.Keeping.Commands = time.Duration(o.commandsHours * float64(time.Hour))
	q.Keeping.Events = time.Duration(o.eventsDays * 24 * float64(time.Hour))
	return q, nil
}
