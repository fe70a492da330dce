package capacity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Describe tells people about a plan.
func (c Costs) Describe(q Question, p Plan) string {
	var b strings.Builder
	l := q.Load
	fmt.Fprintf(&b, "%s jobs a second on average, %s in the busiest minutes:\n", number(l.PerSecond), number(l.PerSecond*l.Peak))
	for _, name := range l.kinds() {
		fmt.Fprintf(&b, "  %5.1f %%  %-24s a core does %s a second\n", 100*l.Mix[name], name, number(c.PerCore(name, l.Polls)))
	}
	host := fmt.Sprintf("%d cores, %s of memory, %s of disk and %s/s", q.Host.Cores, size(q.Host.Memory), size(q.Host.Disk), size(q.Host.Network))
	if p.Hosts > 0 {
		fmt.Fprintf(&b, "\n%d hosts of %s. While one of them is lost, each of the others uses:\n\n", p.Hosts, host)
	} else {
		fmt.Fprintf(&b, "\nHosts of %s. However many there are, each uses:\n\n", host)
	}
	for _, r := range p.Resources {
		fmt.Fprintf(&b, "  %-12s %5.0f %%  %s of %s\n", r.Name, 100*r.Share(), amount(r.Used(), r.Unit), amount(r.Of, r.Unit))
		for _, part := range r.Parts {
			fmt.Fprintf(&b, "  %-12s          %s for %s\n", "", amount(part.Used, r.Unit), part.For)
		}
	}
	b.WriteString("\n" + c.verdict(q, p))
	fmt.Fprintf(&b, "Stores: %s of results in a day, %s/s in the busiest minutes; %s of snapshots.\n", size(p.ResultBytes), size(p.ResultRate), size(p.SnapshotBytes))
	fmt.Fprintf(&b, "Usage ledger: %s entries a second in the busiest minutes, %s a month.\n", number(p.EntryRate), size(p.EntryBytes))
	fmt.Fprintf(&b, "\nMeasured on %s, %s. Your pages and your machines differ: measure with your own (docs/CAPACITY.md).\n", c.Machine, c.Date)
	return b.String()
}

// verdict says whether it is enough, and what runs out first.
func (c Costs) verdict(q Question, p Plan) string {
	first := p.First()
	about := fmt.Sprintf("%s, mostly for %s. What helps: %s.\n", first.Name, first.Largest().For, first.Largest().Add)
	switch {
	case p.Enough:
		return fmt.Sprintf("That is enough: nothing is used by more than %.0f %%. First to run out: %s", 100*Healthy, about)
	case q.Hosts > 0:
		return fmt.Sprintf("That is NOT enough: more than %.0f %% is used. First to run out: %s", 100*Healthy, about)
	}
	return fmt.Sprintf("No number of such hosts is enough. First to run out: %s", about)
}

// kinds are those of a mix, the most frequent first.
func (l Load) kinds() (all []string) {
	for name, share := range l.Mix {
		if share > 0 {
			all = append(all, name)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(l.Mix[b], l.Mix[a]), strings.Compare(a, b))
	})
	return all
}

// amount is so much in a unit.
func amount(n float64, unit string) string {
	switch unit {
	case "bytes":
		return size(n)
	case "bytes/s":
		return size(n) + "/s"
	}
	return number(n) + " " + unit
}

// size is a number of bytes, in powers of a thousand.
func size(n float64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	for n >= 999.5 && len(units) > 1 {
		n, units = n/1000, units[1:]
	}
	return number(n) + " " + units[0]
}

// number has three significant digits, or all before the point.
func number(n float64) string {
	switch {
	case n >= 100:
		return strconv.FormatFloat(n, 'f', 0, 64)
	case n >= 10:
		return strconv.FormatFloat(n, 'f', 1, 64)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}
