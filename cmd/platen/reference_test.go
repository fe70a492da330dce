package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"platen.dev/actors/account"
	"platen.dev/edge"
	"platen.dev/einvoice/rules"
	"platen.dev/events"
	"platen.dev/events/contract"
)

var update = flag.Bool("update", false, "write what the pages of docs have from the code")

// Lists in pages that the code knows are written by the code, between marks: run `go test ./cmd/platen -run Reference -update`.
func TestReference(t *testing.T) {
	for _, r := range []struct {
		page, name string
		lines      []string
	}{
		{"docs/API.md", "endpoints", endpointLines()},
		{"docs/API.md", "limits", limitLines()},
		{"docs/API.md", "plans", planLines()},
		{"docs/ERRORS.md", "problems", problemLines()},
		{"docs/ERRORS.md", "failures", failureLines()},
		{"docs/RUNBOOK.md", "alerts", alertLines(t)},
		{"docs/RULES.md", "rules", ruleLines()},
		{"docs/decisions/README.md", "decisions", decisionLines(t)},
	} {
		checkReference(t, r.page, r.name, r.lines)
	}
}

// checkReference compares the lines between the marks of a page with those that belong there, or writes them.
func checkReference(t *testing.T, page, name string, lines []string) {
	t.Helper()
	path, begin, end := root+"/"+page, "<!-- "+name+": made by the code -->\n", "<!-- end -->"
	text := read(t, path)
	before, rest, begins := strings.Cut(text, begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no marks of %s", page, name)
	}
	want := before + begin + strings.Join(lines, "\n") + "\n" + end + after
	if want == text {
		return
	}
	if !*update {
		t.Errorf("%s has stale %s: run go test ./cmd/platen -run %s -update", page, name, t.Name())
		return
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each business rule has a page, and there are no others.
func TestRulePages(t *testing.T) {
	dir := root + "/docs/rules"
	want := map[string]string{}
	for _, s := range rules.Sets() {
		for _, r := range slices.Concat(s.Rules(), s.UBLRules()) {
			want[filepath.Join(dir, s.Name, r.ID+".md")] = s.Page(r.ID)
			if s.Why(r.ID) == "" {
				t.Errorf("%s %s: einvoice/rules/why.txt has no reason for the rule", s.Name, r.ID)
			}
		}
	}
	if *update {
		writePages(t, dir, want)
	}
	pages, err := filepath.Glob(dir + "/*/*")
	if err != nil || len(pages) != len(want) {
		t.Errorf("docs/rules has %d pages, want %d: run go test ./cmd/platen -run TestRulePages -update (%v)", len(pages), len(want), err)
	}
	for _, path := range pages {
		if read(t, path) != want[path] {
			t.Fatalf("%s is stale: run go test ./cmd/platen -run TestRulePages -update", path)
		}
	}
}

// writePages replaces a folder by one with these files.
func writePages(t *testing.T, dir string, pages map[string]string) {
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for path, page := range pages {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// decided is the beginning of a decision record: its number, its title, and what became of it.
var decided = regexp.MustCompile(`^# (\d{4}): (.+)\n(.+)\n`)

func decisionLines(t *testing.T) (lines []string) {
	records, err := filepath.Glob(root + "/docs/decisions/0*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range records {
		m := decided.FindStringSubmatch(read(t, path))
		if m == nil {
			t.Fatalf("%s does not begin with its number, title and date", path)
		}
		line := fmt.Sprintf("- [%s](%s) %s", m[1], filepath.Base(path), m[2])
		if strings.Contains(m[3], "overtaken") {
			line += " *(overtaken, at least in part)*"
		}
		lines = append(lines, line)
	}
	return lines
}

func endpointLines() (lines []string) {
	for _, e := range edge.Endpoints() {
		line := fmt.Sprintf("- `%s %s`: %s", e.Method, e.Path, strings.TrimSuffix(e.Summary, "."))
		if e.Public || e.ID == "" {
			line += " (no key)"
		}
		lines = append(lines, line)
	}
	return lines
}

func problemLines() (lines []string) {
	status := 0
	for _, p := range edge.Problems() {
		code := fmt.Sprintf("[`%s`](#%s)", p.Code, p.Slug)
		if p.Status == status {
			lines[len(lines)-1] += ", " + code
			continue
		}
		status = p.Status
		lines = append(lines, fmt.Sprintf("- %d: %s", status, code))
	}
	return lines
}

func failureLines() (lines []string) {
	for _, c := range events.ErrorCodes() {
		lines = append(lines, fmt.Sprintf("- `%s`: %s", c, c.Reason()))
	}
	return lines
}

func planLines() []string {
	lines := []string{"| plan | jobs a month | volume a month | requests in 60 s | concurrent jobs |", "|---|---|---|---|---|"}
	for _, plan := range events.Plans() {
		l, _ := account.LimitsOf(plan)
		lines = append(lines, fmt.Sprintf("| %s | %s | %v GB | %s | %d |", plan, english.Sprint(l.Jobs), float64(l.Bytes)/(1<<30), english.Sprint(l.RequestsPerMinute), l.Running))
	}
	return lines
}

// limitLines are the limits that no table of fields has.
func limitLines() (lines []string) {
	for _, l := range []struct{ what, limit string }{
		{"request body", inMebibytes(contract.MaxBody)},
		{"HTML as it is rendered; e-invoice, template and HTML together, compressed", inBytes(contract.MaxContent)},
		{"Markdown", inCharacters(contract.MaxMarkdown)},
		{"e-invoice XML", inBytes(contract.MaxXML)},
		{"`url`, `webhook_url`, `delivery.url`", inBytes(contract.MaxURL)},
		{"capturing an image, loading included", contract.CaptureTimeout.String()},
		{"`tags`", fmt.Sprintf("%d, names of %d and values of %d characters", contract.MaxTags, contract.MaxTagName, contract.MaxTagValue)},
		{"file, unless the account has a limit of its own", inBytes(contract.MaxFileBytes)},
		{"downloads of a file", fmt.Sprintf("%d, one at a time, within %s", contract.MaxDownloads, inHours(contract.FileLife))},
		{"readable status of a job after its end", inDays(contract.StatusLife)},
		{"`Idempotency-Key`", fmt.Sprintf("%s, recognised for %s", inCharacters(contract.MaxIdempotencyKey), inHours(contract.IdempotencyLife))},
		{"a request with `wait`", contract.WaitLimit.String()},
		{"test jobs", fmt.Sprintf("%d in 60 s, %s in a UTC day", contract.TestsPerMinute, english.Sprint(contract.TestsPerDay))},
		{"saved block templates", fmt.Sprintf("%d of %d KiB", contract.MaxTemplates, contract.MaxTemplateBytes>>10)},
	} {
		lines = append(lines, "- "+l.what+": "+l.limit)
	}
	return lines
}

// alertLines are the alerts by severity, most urgent first, and else in the order of the rules.
func alertLines(t *testing.T) (lines []string) {
	rules := regexp.MustCompile(`(?s)- alert: (\w+)\n.*?severity: (\w+)\n.*?summary: "([^"]+)"`).FindAllStringSubmatch(read(t, rulesFile), -1)
	if len(rules) != len(alerts(t)) {
		t.Errorf("%d of %d alerts have a severity and a summary", len(rules), len(alerts(t)))
	}
	for _, severity := range []string{"critical", "warning", "info"} {
		lines = append(lines, "", "**"+severity+"**", "")
		for _, r := range rules {
			if r[2] == severity {
				lines = append(lines, fmt.Sprintf("- [%s](#%s): %s", r[1], strings.ToLower(r[1]), r[3]))
			}
		}
	}
	return append(lines, "")
}

// metricLines are the families of metrics of a node, with their labels. Names tell counters from gauges.
func metricLines(families map[string]*dto.MetricFamily) (lines []string) {
	for name, f := range families {
		if !strings.HasPrefix(name, "platen_") {
			continue
		}
		var labels []string
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(labels, "`"+l.GetName()+"`") {
					labels = append(labels, "`"+l.GetName()+"`")
				}
			}
		}
		slices.Sort(labels)
		var notes []string
		if f.GetType() == dto.MetricType_HISTOGRAM {
			notes = append(notes, "histogram")
		}
		if len(labels) > 0 {
			notes = append(notes, "by "+strings.Join(labels, ", "))
		}
		line := "- `" + name + "`"
		if len(notes) > 0 {
			line += " (" + strings.Join(notes, " ") + ")"
		}
		lines = append(lines, line+": "+strings.TrimSuffix(f.GetHelp(), "."))
	}
	slices.Sort(lines)
	return lines
}

// english writes numbers with commas between thousands.
var english = message.NewPrinter(language.English)

func inBytes(n int64) string         { return english.Sprint(n) + " bytes" }
func inMebibytes(n int64) string     { return fmt.Sprintf("%d MiB", n>>20) }
func inCharacters(n int64) string    { return english.Sprint(n) + " characters" }
func inHours(d time.Duration) string { return fmt.Sprintf("%.0f hours", d.Hours()) }
func inDays(d time.Duration) string  { return fmt.Sprintf("%.0f days", d.Hours()/24) }

// levelLines are the severities that a set gives rules of others.
func levelLines(s *rules.Set) (lines []string) {
	for _, l := range s.Levels {
		guideline := "`" + l.Guideline + "`"
		if l.UBL {
			guideline += ", in UBL"
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s |", guideline, l.Severity, strings.Join(l.Rules, ", ")))
	}
	if len(lines) > 0 {
		head := []string{"If both sets are applied, rules of EN 16931 have the severity that KoSIT's validator gives them:", "", "| guideline | severity | rules |", "|---|---|---|"}
		lines = append(append(head, lines...), "")
	}
	return lines
}

func ruleLines() (lines []string) {
	for _, s := range rules.Sets() {
		profiles := "none unless named"
		if len(s.Profiles) > 0 {
			profiles = strings.Join(s.Profiles, ", ")
		}
		if s.Guideline != "" {
			profiles += "; implied by guidelines with `" + s.Guideline + "`"
		}
		lines = append(lines, "", fmt.Sprintf("## `%s`", s.Name), "", fmt.Sprintf("%s. Version %s; profiles: %s.", s.Title, s.Version, profiles), "")
		lines = append(lines, levelLines(s)...)
		lines = append(lines, "| rule | term | severity | demand | how to keep it |", "|---|---|---|---|---|")
		shown := map[string]bool{}
		row := func(r rules.Rule) {
			shown[r.ID+r.Demand] = true
			lines = append(lines, fmt.Sprintf("| [%s](rules/%s/%[1]s.md) | %s | %s | %s | %s |", r.ID, s.Name, r.Term, r.Severity, r.Demand, r.Fix))
		}
		for _, r := range s.Rules() {
			row(r)
		}
		first := s.IsFor(false)
		for _, r := range s.UBLRules() {
			if !shown[r.ID+r.Demand] {
				if first {
					lines = append(lines, "", "In UBL, beside those that need no other words and instead of those of CII alone:", "", "| rule | term | severity | demand | how to keep it |", "|---|---|---|---|---|")
				}
				first = false
				row(r)
			}
		}
	}
	lines = append(lines, "", "## Lists of codes", "", "| list | codes of | version | codes |", "|---|---|---|---|")
	for _, l := range rules.CodeLists() {
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %d |", l.Name, l.Title, l.Version, l.Size))
	}
	return lines
}
