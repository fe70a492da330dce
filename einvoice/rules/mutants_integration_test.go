//go:build integration

package rules

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen.dev/einvoice"

	"platen.dev/events/testkit"
)

// TestOfficialMutants changes elements and attributes of invoices in many ways. It compares the verdict on each mutant that the
// schema accepts with that of the official rules, for each set whose rules are in Mustang's validator. MUTANTS=all tries all
// mutants, which takes long; the default is a sample, and mutants that break rarely broken rules.
func TestOfficialMutants(t *testing.T) {
	all := trialsOf(t)
	if len(all) < 2000 {
		t.Errorf("only %d mutants", len(all))
	}
	trials := shareOf(t, all)
	official := judge(t, trials)
	summary := map[string]*outcome{}
	for n, tr := range trials {
		o := summary[tr.set]
		if o == nil {
			o = &outcome{fired: map[string]bool{}, kinds: map[string]int{}}
			summary[tr.set] = o
		}
		o.mutants++
		if official[n].state != "ok" {
			o.brokenOff++
			continue
		}
		for _, v := range official[n].fired {
			o.fired[v] = true
		}
		if difference := tr.differFrom(official[n]); difference != "" {
			if o.kinds[difference]++; o.kinds[difference] <= 2 {
				t.Errorf("%s, %s, %s: %s", tr.set, tr.profile, tr.change, difference)
			}
		}
	}
	for _, s := range Sets() {
		if o := summary[s.Name]; o != nil {
			t.Logf("%s: %d mutants, %d rules broken, %d kinds of differences; on %d the official rules broke off", s.Name, o.mutants, len(o.fired), len(o.kinds), o.brokenOff)
			t.Logf("%s: not broken by any: %v", s.Name, untouched(s.Rules(), o.fired))
			if len(trials) == len(all) && (o.mutants < 150 || len(o.fired) < 60) {
				t.Errorf("%s: too few mutants, or they break too few rules", s.Name)
			}
		}
	}
}

// shareOf returns the mutants for this run.
func shareOf(t *testing.T, all []trial) (share []trial) {
	t.Helper()
	for n, tr := range all {
		if testkit.InShare(t, n) {
			share = append(share, tr)
		}
	}
	return share
}

// outcome is the result of trying mutants on a set.
type outcome struct {
	mutants, brokenOff int
	fired              map[string]bool
	kinds              map[string]int
}

// untouched returns the rules that no mutant breaks.
func untouched(rules []Rule, fired map[string]bool) (ids []string) {
	for _, r := range rules {
		if !slices.ContainsFunc([]string{"fatal:", "warning:", "information:"}, func(flag string) bool { return fired[flag+r.ID] }) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// identifiers removes the severities.
func identifiers(fired []string) (ids []string) {
	for _, v := range fired {
		_, id, _ := strings.Cut(v, ":")
		ids = append(ids, ":"+id)
	}
	return unique(ids)
}

func fires(invoice *einvoice.Invoice, set *Set) (fired []string) {
	for _, v := range Check(invoice, set).Violations {
		fired = append(fired, fmt.Sprintf("%s:%s", v.Severity, v.Rule))
	}
	return unique(fired)
}

// verdict is the one of the official rules.
type verdict struct {
	state string
	fired []string
}

// sheet names the official rules of a set for a profile, as in Rules.java.
func sheet(set, profile string) string {
	switch {
	case set == "facturx" && profile == "en16931":
		return "factur-x-en16931"
	case set == "facturx":
		return profile
	}
	return set
}

// judge runs the official rules on mutants, in one JVM.
func judge(t *testing.T, trials []trial) []verdict {
	t.Helper()
	dir := t.TempDir()
	var list strings.Builder
	for n, tr := range trials {
		path := filepath.Join(dir, fmt.Sprintf("%05d.xml", n))
		if err := os.WriteFile(path, []byte(tr.document), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "%s\t%s\n", sheet(tr.set, tr.profile), path)
	}
	run := exec.Command("../../testdata/verapdf/run.sh", "rules")
	var failure bytes.Buffer
	run.Stdin, run.Stderr = strings.NewReader(list.String()), &failure
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %.1000s", err, &failure)
	}
	var all []verdict
	for line := range strings.Lines(string(out)) {
		columns := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(columns) != 4 {
			t.Fatalf("not a verdict: %.500s", line)
		}
		all = append(all, verdict{columns[2], verdicts(columns[3])})
	}
	if len(all) != len(trials) {
		t.Fatalf("%d verdicts on %d mutants", len(all), len(trials))
	}
	return all
}
