package capacity_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"platen.dev/cmd/platen/capacity"
)

// round are costs with which figures can be worked out by hand: a job takes 10 ms of a node and 90 of browsers, and its records and file are
// thousands of bytes.
func round() capacity.Costs {
	return capacity.Costs{
		Machine: "a test", Date: "2026-01-01", Poll: 1, Webhook: 2, Fold: 0.1, RowBytes: 1000, SnapshotBytes: 500, EntryBytes: 200, NodeBytes: 1e9,
		Kinds: map[string]capacity.Kind{
			"page": {Node: 10, Browser: 90, CommandBytes: 1000, JournalBytes: 2000, EventBytes: 3000, Records: 4, FileBytes: 50_000, CoreBytes: 1e8, Charged: true},
			"test": {Node: 10, CommandBytes: 1000, JournalBytes: 2000, EventBytes: 3000, Records: 4},
		},
	}
}

func question(perSecond float64, hosts int) capacity.Question {
	return capacity.Question{
		Load:    capacity.Load{PerSecond: perSecond, Peak: 2, Mix: map[string]float64{"page": 1}, Polls: 3, Webhooks: 0.5},
		Host:    capacity.Host{Cores: 10, Memory: 10e9, Disk: 1e12, Network: 1e8},
		Keeping: capacity.Keeping{Commands: 1000 * time.Second, Journal: 2000 * time.Second, Events: 3000 * time.Second},
		Hosts:   hosts,
	}
}

// What each host needs while one of three is lost, worked out by hand.
func TestResources(t *testing.T) {
	p := round().Answer(question(10, 3))
	day, month := 86400.0, 30*86400.0
	want := map[string][]float64{
		"processors": {20 * 0.090 / 2, 20 * (0.010 + 3*0.001 + 0.5*0.002) / 2, 20 * 4 * 0.0001},
		"memory":     {1e9, 1e9},
		"disk":       {10 * (1000*1000 + 2000*2000 + 3000*3000) * 3 / 2, 10 * 1000 * month},
		"network":    {20 * (3*6000 + 2*1000) / 2, 20 * 2000, 20 * (1000 + 2*50_000) / 2},
	}
	for _, r := range p.Resources {
		if len(r.Parts) != len(want[r.Name]) {
			t.Fatalf("%+v", r)
		}
		sum := 0.0
		for i, part := range r.Parts {
			sum += part.Used
			if !near(part.Used, want[r.Name][i]) || part.Add == "" {
				t.Errorf("%s for %s: %g, want %g", r.Name, part.For, part.Used, want[r.Name][i])
			}
		}
		if !near(r.Used(), sum) || !near(r.Share(), sum/r.Of) {
			t.Errorf("%s: %g used, %g of all", r.Name, r.Used(), r.Share())
		}
	}
	for name, f := range map[string][2]float64{
		"results": {p.ResultBytes, 10 * 50_000 * day}, "snapshots": {p.SnapshotBytes, 2 * 10 * 500 * month}, "entries": {p.EntryBytes, 10 * 200 * month},
		"rate of results": {p.ResultRate, 20 * 50_000}, "rate of entries": {p.EntryRate, 20},
	} {
		if !near(f[0], f[1]) {
			t.Errorf("%s: %g, want %g", name, f[0], f[1])
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// A mix costs what its parts do, and test jobs are not charged.
func TestMix(t *testing.T) {
	c, q := round(), question(10, 3)
	q.Load.Mix = map[string]float64{"page": 0.25, "test": 0.75}
	p := c.Answer(q)
	if got, want := p.Resources[0].Parts[0].Used, 20*0.090/2*0.25; !near(got, want) {
		t.Errorf("browsers take %g cores, want %g", got, want)
	}
	if !near(p.EntryRate, 5) {
		t.Errorf("%g entries a second, want 5", p.EntryRate)
	}
}

// The answer is the smallest number of hosts that is enough.
func TestSmallestNumber(t *testing.T) {
	c := round()
	for _, perSecond := range []float64{0.001, 1, 40, 100, 144} {
		p := c.Answer(question(perSecond, 0))
		if !p.Enough || p.First().Share() > capacity.Healthy {
			t.Fatalf("%g/s: %+v", perSecond, p)
		}
		if p.Hosts == capacity.Fewest {
			continue
		}
		if less := c.Answer(question(perSecond, p.Hosts-1)); less.Enough {
			t.Errorf("%g/s: %d hosts are said to be needed, one less is enough", perSecond, p.Hosts)
		}
	}
	// 144 jobs a second leave 700 GB of the disk healthy, of which rows take 373: with 144 × 14 MB × 3 of log, any three hosts do, but
	// 144 × 2 × 0.104 s = 30 cores need 30 / (7 - 0.115) = 4.35, so five hosts and one that may be lost.
	if p := c.Answer(question(144, 0)); p.Hosts != 6 {
		t.Errorf("%d hosts, want 6: %+v", p.Hosts, p.First())
	}
}

// Where each node needs too much by itself, no number of hosts helps, and it is said what would.
func TestTooMuch(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*capacity.Question)
		first  string
		helps  string
	}{
		"rows":    {func(q *capacity.Question) { q.Load.PerSecond, q.Host.Network = 300, 1e12 }, "disk", "each node has all rows"},
		"memory":  {func(q *capacity.Question) { q.Host.Memory = 2e9 }, "memory", "memory"},
		"folding": {func(q *capacity.Question) { q.Load.PerSecond, q.Host.Disk, q.Host.Network = 10_000, 1e18, 1e18 }, "processors", "a second cluster"},
		"reading": {func(q *capacity.Question) { q.Load.PerSecond, q.Host.Network = 100, 1e5 }, "network", "a second cluster"},
	} {
		q := question(1, 0)
		tc.change(&q)
		c := round()
		p := c.Answer(q)
		if p.Enough || p.Hosts != 0 || p.First().Name != tc.first || !strings.Contains(p.First().Largest().Add, tc.helps) {
			t.Errorf("%s: %+v", name, p)
		}
		if text := c.Describe(q, c.Answer(q)); !strings.Contains(text, "No number of such hosts is enough") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{"86400/day": 1, "1/second": 1, "3/minute": 0.05, "7200/hour": 2, "2592000/month": 1, "1e6/second": 1e6, "0.5/second": 0.5} {
		if got, err := capacity.ParseRate(text); err != nil || !near(got, want) {
			t.Errorf("%s: %g %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "5/", "/day", "x/day", "5/week", "-1/day", "0/day", "NaN/day", "Inf/day", "1000001/second", "1/day/day", "1 /day"} {
		if got, err := capacity.ParseRate(text); err == nil {
			t.Errorf("%q is %g", text, got)
		}
	}
}

func TestParseMix(t *testing.T) {
	c := round()
	mix, err := c.ParseMix("page=3, test=1")
	if err != nil || !near(mix["page"], 0.75) || !near(mix["test"], 0.25) {
		t.Errorf("%v %v", mix, err)
	}
	for text, want := range map[string]string{
		"":              "not a share",
		"page":          "not a share",
		"page=":         "not a share",
		"page=-1":       "not a share",
		"page=NaN":      "not a share",
		"page=1e300":    "not a share",
		"page=1,":       "not a share",
		"pages=1":       "there are page, test",
		"page=1,page=2": "two shares",
		"page=0,test=0": "all 0",
	} {
		if mix, err := c.ParseMix(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v %v, want %q", text, mix, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		``:                                    "EOF",
		`{}`:                                  "no kinds",
		`{"kinds": {}}`:                       "no kinds",
		`{"color": 1}`:                        "color",
		`{"kinds": {"a": 1}}`:                 "kinds",
		`{"poll_ms": -1, "kinds": {"a": {}}}`: "negative",
		`{"kinds": {"a": {}, "b": {"records": -1}}}`: "negative",
		`{"kinds": {"a": {"node_ms": 1e999}}}`:       "1e999",
	} {
		if c, err := capacity.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v %v, want %q", text, c, err, want)
		}
	}
}

// The costs that Platen comes with are whole: nothing that is measured is nothing.
func TestMeasured(t *testing.T) {
	c := capacity.Measured()
	if c.Machine == "" || c.Date == "" || min(c.Poll, c.Webhook, c.Fold, c.RowBytes, c.SnapshotBytes, c.EntryBytes, c.NodeBytes) <= 0 {
		t.Errorf("%+v", c)
	}
	for name, k := range c.Kinds {
		if min(k.Node, k.CommandBytes, k.JournalBytes, k.EventBytes, k.Records) <= 0 {
			t.Errorf("%s: %+v", name, k)
		}
		if rendered := name != "test"; k.Charged != rendered || (k.Browser > 0 && k.FileBytes > 0) != rendered {
			t.Errorf("%s: %+v", name, k)
		}
	}
	if len(c.Kinds) < 6 {
		t.Errorf("%d kinds", len(c.Kinds))
	}
}
