package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

// Style is the medium for which a table is written.
type Style struct {
	// Width is the number of characters in a line; 0 means unlimited.
	Width  int
	Colour bool
}

// unlimited is wider than any line.
const unlimited = 1 << 20

// Table shows a report to people. Only what needs attention is coloured.
func Table(r Report, style Style) string {
	width := style.Width
	if width <= 0 {
		width = unlimited
	}
	var b strings.Builder
	b.WriteString(cut(r.headline(), width) + "\n")
	for _, g := range []grid{r.nodeGrid(), r.workGrid(), r.keepingGrid(), r.accountGrid()} {
		if len(g) > 1 {
			b.WriteString("\n")
			g.write(&b, width, style.Colour)
		}
	}
	b.WriteString("\n")
	if len(r.Attention) == 0 {
		b.WriteString("All is well.\n")
		return b.String()
	}
	b.WriteString("NEEDS ATTENTION\n")
	for _, f := range r.Attention {
		b.WriteString(paint(contract.Plain(f.About+": "+f.Text), style.Colour) + "\n")
		b.WriteString("    " + contract.Plain(f.Do) + "\n")
	}
	return b.String()
}

// headline describes the cluster in a line.
func (r Report) headline() string {
	lowest, highest := r.written()
	level := fmt.Sprint("level ", lowest)
	if highest > lowest {
		level = fmt.Sprintf("levels %d to %d", lowest, highest)
	}
	return fmt.Sprintf("%s  %s, %s, %s log, writes %s, asked %s", r.At.UTC().Format("2006-01-02 15:04:05Z"),
		count(len(r.Nodes), "node"), count(len(r.Partitions), "partition"), r.Log, level, Short(r.Node))
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

func header(names ...string) (row []cell) {
	for _, name := range names {
		row = append(row, cell{text: name})
	}
	return row
}

// nodeGrid has a row for each node, describing it.
func (r Report) nodeGrid() grid {
	g := grid{header("NODE", "STATE", "VERSION", "READS", "PARTITIONS", "LAG", "CLOCK", "UP", "ADDRESS")}
	for _, n := range r.Nodes {
		row := []cell{
			{text: Short(n.ID)},
			{text: string(n.State), bad: n.State != Serving},
			{text: n.Version},
			{text: fmt.Sprint("level ", n.Level)},
		}
		if n.Level == 0 {
			row[3] = cell{}
		}
		if n.answered() {
			row = append(row, n.partitionCell(r.ownedBy(n.ID)), cell{fmt.Sprint(n.Lag), n.Lag > MaxLag},
				cell{span(seconds(n.ClockSeconds)), n.ClockSeconds > MaxClock}, cell{text: span(time.Duration(n.UpSeconds) * time.Second)}, cell{text: cmp.Or(n.Address, n.API)})
		} else {
			row = append(row, header("", "", "", "", n.Address)...)
		}
		g = append(g, row)
	}
	return g
}

// ownedBy lists the partitions that a node owns.
func (r Report) ownedBy(id events.NodeID) (all []int32) {
	for _, p := range r.Partitions {
		if p.Owner == id && p.State != noOwner {
			all = append(all, p.Partition)
		}
	}
	return all
}

func (n Node) partitionCell(owned []int32) cell {
	text := fmt.Sprint(n.Owned)
	if len(owned) > 0 {
		text += " (" + ranges(owned) + ")"
	}
	if n.Starting > 0 {
		text += fmt.Sprintf(", %d starting", n.Starting)
	}
	if n.Halted > 0 {
		text = fmt.Sprintf("%d halted, %s", n.Halted, text)
	}
	return cell{text, n.Halted > 0}
}

// workGrid has a row for each node that answers, with its work. For each lane it shows the waiting jobs
// and the attempts under way.
func (r Report) workGrid() grid {
	lanes := lanes()
	names := []string{"NODE"}
	for _, l := range lanes {
		names = append(names, strings.ToUpper(l))
	}
	g := grid{header(append(names, "PAGES", "BROWSERS", "RESTARTS")...)}
	for _, n := range r.Nodes {
		if !n.answered() {
			continue
		}
		row := []cell{{text: Short(n.ID)}}
		for _, l := range lanes {
			row = append(row, cell{text: fmt.Sprintf("%d wait, %d run", n.Lanes[l].Waiting, n.Lanes[l].Running)})
		}
		b := n.Browsers
		g = append(g, append(row, cell{text: fmt.Sprintf("%d of %d+%d", b.Leased, b.Slots, b.Remotes)}, b.cell(), cell{text: fmt.Sprint(b.Restarts)}))
	}
	return g
}

func (b Browsers) cell() cell {
	switch {
	case !b.Running:
		return cell{"none", true}
	case b.Bytes == 0: // nobody has measured it yet
		return cell{text: fmt.Sprintf("running, %d own", b.Own)}
	}
	return cell{text: fmt.Sprintf("%s, %d own", size(b.Bytes), b.Own)}
}

func lanes() (names []string) {
	for _, l := range events.Lanes() {
		names = append(names, l.String())
	}
	return names
}

// keepingGrid has a row for each node that answers, with its storage.
func (r Report) keepingGrid() grid {
	g := grid{header("NODE", "FREE ON DISKS", "RESULTS", "LEDGER", "UNPUBLISHED", "CERTIFICATES END")}
	for _, n := range r.Nodes {
		if !n.answered() {
			continue
		}
		ledger := cell{fmt.Sprintf("%s late, %s", span(seconds(n.Ledger.DelaySeconds)), n.Ledger.Place), n.Ledger.StalledSeconds > MaxLedgerStall || n.Ledger.Poisoned > 0}
		if n.Ledger.StalledSeconds > 0 {
			ledger.text = fmt.Sprintf("stalled for %s, %s", span(seconds(n.Ledger.StalledSeconds)), n.Ledger.Place)
		}
		g = append(g, []cell{
			{text: Short(n.ID)},
			diskCell(n.Disks),
			{n.Store.Place, n.State == Suspended},
			ledger,
			{text: fmt.Sprint(n.Unpublished)},
			certificateCell(n.Certificates, r.At),
		})
	}
	return g
}

func diskCell(disks []Disk) (c cell) {
	var texts []string
	for _, d := range disks {
		texts = append(texts, d.Name+" "+size(d.Free))
		if d.lowOnInodes() {
			texts = append(texts, fmt.Sprintf("%d inodes", d.FreeInodes))
		}
	}
	return cell{strings.Join(texts, ", "), slices.ContainsFunc(disks, Disk.low)}
}

func certificateCell(all []Certificate, now time.Time) cell {
	all = slices.SortedFunc(slices.Values(all), func(a, b Certificate) int { return a.Expires.Compare(b.Expires) })
	var texts []string
	for _, c := range all {
		texts = append(texts, c.Name+" "+c.Expires.UTC().Format(time.DateOnly))
	}
	return cell{strings.Join(texts, ", "), slices.ContainsFunc(all, func(c Certificate) bool { return c.ends(now) })}
}

// accountsShown is how many accounts people see.
const accountsShown = 10

// accountGrid has a row for each account with the most jobs.
func (r Report) accountGrid() grid {
	g := grid{header("ACCOUNT", "WAITING", "RUNNING")}
	for _, a := range r.Accounts[:min(accountsShown, len(r.Accounts))] {
		g = append(g, []cell{{text: string(a.Account)}, {text: fmt.Sprint(a.Waiting)}, {text: fmt.Sprint(a.Running)}})
	}
	return g
}
