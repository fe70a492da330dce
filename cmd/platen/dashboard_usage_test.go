package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// charged starts a node on which a demo account has jobs of two keys, two operations and two values of a tag, and a
// correction, all of them in the ledger.
func charged(t *testing.T) (n *inProcessNode, jobs []string) {
	t.Helper()
	n = startDashboard(t)
	second := client{strings.Fields(n.machine.admin(t, "key", "create", n.account(t), "--name", "Accounting"))[0]}
	for i, from := range []client{n.client, second, second} {
		tags := map[string]string{"team": []string{"=blue", "red"}[i%2]}
		path, body := "/html-to-pdf", map[string]any{"html": "<p>x</p>", "tags": tags}
		if i == 2 {
			path, body = "/markdown-to-pdf", map[string]any{"markdown": "x", "tags": tags}
		}
		var id events.JobID
		testkit.Eventually(t, "a job is accepted", func() bool {
			made, status, err := from.post("http://"+n.Address()+path, body)
			id = made
			return err == nil && status == 202
		})
		jobs = append(jobs, id.String())
	}
	testkit.Eventually(t, "the jobs are charged", func() bool { return n.totals(t).Total.Entries == 3 })
	n.machine.admin(t, "account", "adjust", n.account(t), "--units", "4", "--reason", "Missed <b>four</b>")
	testkit.Eventually(t, "the correction is charged", func() bool { return n.totals(t).Total.Entries == 4 })
	return n, jobs
}

// totals are the sums of an answer of GET /usage.
type totals struct {
	Total struct {
		Units   int64 `json:"render_units"`
		Entries int64 `json:"entries"`
	} `json:"total"`
}

// sinceLately is a part of queries that finds all entries.
func sinceLately() string { return "from=" + time.Now().AddDate(0, 0, -20).UTC().Format(time.DateOnly) }

func (n *inProcessNode) totals(t *testing.T) (r totals) {
	t.Helper()
	status, body, err := n.client.do("GET", "http://"+n.Address()+"/usage?"+sinceLately(), nil)
	if err != nil || status != 200 {
		t.Fatalf("usage: %d %s %v", status, body, err)
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	tableBody = regexp.MustCompile(`(?s)<tbody>(.*?)</tbody>`)
	tableRow  = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	tableCell = regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`)
	unseen    = regexp.MustCompile(`(?s)<span class="(unseen|badge)[^>]*>.*?</span>`)
	markup    = regexp.MustCompile(`<[^>]*>`)
	spaces    = regexp.MustCompile(`\s+`)
)

// table has the cells of the page's table as a reader sees them.
func usageTable(page string) (rows [][]string) {
	body := tableBody.FindStringSubmatch(page)
	if body == nil {
		return nil
	}
	for _, row := range tableRow.FindAllStringSubmatch(body[1], -1) {
		var cells []string
		for _, cell := range tableCell.FindAllStringSubmatch(row[1], -1) {
			text := html.UnescapeString(markup.ReplaceAllString(unseen.ReplaceAllString(cell[1], ""), " "))
			cells = append(cells, strings.TrimSpace(spaces.ReplaceAllString(text, " ")))
		}
		rows = append(rows, cells)
	}
	return rows
}

// The page shows the API's answers, and its file has the same rows.
func TestDashboardUsage(t *testing.T) {
	n, jobs := charged(t)
	p := n.demo(t, "business")
	for parameters, groupBy := range map[string]string{"": "", "by=key": "&group_by=key", "by=operation": "&group_by=operation", "by=tag&tag=team": "&group_by=tag:team"} {
		_, want, err := n.client.do("GET", "http://"+n.Address()+"/usage?format=csv&"+sinceLately()+groupBy, nil)
		if err != nil {
			t.Fatal(err)
		}
		shown := p.get("/dashboard/usage?" + parameters)
		file := p.get("/dashboard/usage.csv?" + parameters)
		if shown.status != 200 || file.status != 200 {
			t.Fatalf("%s: %d and %d", parameters, shown.status, file.status)
		}
		if file.body != string(want) {
			t.Errorf("%s: the file is\n%s\nnot\n%s", parameters, file.body, want)
		}
		sameRows(t, usageTable(shown.body), file.body, groupBy != "")
		if !strings.Contains(shown.body, `role="img"`) || !strings.Contains(shown.body, ">Corrected<") {
			t.Errorf("%s: no chart, or no correction:\n%s", parameters, shown.body)
		}
		if figure := fmt.Sprintf(`<span class="figure">%d</span>`, n.totals(t).Total.Units); !strings.Contains(shown.body, figure) {
			t.Errorf("%s: %s is missing:\n%s", parameters, figure, shown.body)
		}
		if got := file.header.Get("Content-Disposition"); got != `attachment; filename="usage.csv"` {
			t.Errorf("%s: the file is sent as %q", parameters, got)
		}
	}
	usageEntries(t, p, jobs)
	othersUsage(t, n, jobs)
	earlierUsage(t, n)
}

// earlierUsage looks at a window that has ended.
func earlierUsage(t *testing.T, n *inProcessNode) {
	t.Helper()
	n.ahead.Add(int64(40 * 24 * time.Hour))
	windows, p := n.windows(t).Windows, n.demo(t, "business")
	if present := p.get("/dashboard/usage").body; len(windows) != 1 || usageTable(present) != nil || strings.Count(present, "<option value=\"20") != 2 {
		t.Fatalf("windows %v, the present one:\n%s", windows, present)
	}
	start := windows[0].Start.Format(time.RFC3339)
	got := p.get("/dashboard/usage?window=" + start)
	if figure := fmt.Sprintf(`<span class="figure">%d</span>`, windows[0].Units); len(usageTable(got.body)) != 1 || !strings.Contains(got.body, figure) || !strings.Contains(got.body, `value="`+start+`" selected`) {
		t.Errorf("the earlier window: %d %s", got.status, got.body)
	}
}

// sameRows compares a table with a file, whose cells are in the same order.
func sameRows(t *testing.T, shown [][]string, file string, grouped bool) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || len(lines) != len(shown)+1 {
		t.Fatalf("%d lines for %d rows: %v", len(lines), len(shown), err)
	}
	for i, line := range lines[1:] {
		at, _ := time.Parse(time.RFC3339, line[0])
		if shown[i][0] != at.Format("2 Jan 2006") {
			t.Errorf("row %q, line %q", shown[i], line)
		}
		number := len(line) - 3
		if grouped && !inCell(shown[i][1], line[2]) {
			t.Errorf("row %q, line %q", shown[i], line)
		}
		last := len(shown[i]) - 3
		bytes := strings.ReplaceAll(shown[i][last+1], ",", "")
		if shown[i][last] != line[number] || !strings.HasSuffix(bytes, " "+line[number+1]+" B") || !strings.HasPrefix(shown[i][last+2], line[number+2]) {
			t.Errorf("row %q, line %q", shown[i], line)
		}
	}
}

// inCell reports whether a cell of the table is about the group that the file names.
func inCell(cell, group string) bool {
	words := map[string]string{"html-to-pdf": "HTML to PDF", "markdown-to-pdf": "Markdown to PDF", "'=blue": "=blue"}
	if word, ok := words[group]; ok {
		group = word
	}
	return group == "" && slices.Contains([]string{"Corrections", "Without the tag"}, cell) || group != "" && strings.Contains(cell, group)
}

var entriesLink = regexp.MustCompile(`href="(/dashboard/usage/entries\?[^"]+)"`)

// usageEntries follows the links of the bars and of the table.
func usageEntries(t *testing.T, p *person, jobs []string) {
	t.Helper()
	found := map[string]int{}
	page := p.get("/dashboard/usage?by=operation").body
	for _, link := range entriesLink.FindAllStringSubmatch(page[strings.Index(page, "<tbody>"):], -1) {
		path := html.UnescapeString(link[1])
		got := p.get(path)
		if got.status != 200 {
			t.Fatalf("%s: %d", path, got.status)
		}
		for _, id := range jobs {
			found[id] += strings.Count(got.body, `href="/dashboard/jobs/`+id+`"`)
		}
		found["correction"] += strings.Count(got.body, "Missed &lt;b&gt;four&lt;/b&gt;")
	}
	for _, what := range append(jobs, "correction") {
		if found[what] != 2 { // among all entries of the day, and among those of its group
			t.Errorf("%s is found %d times", what, found[what])
		}
	}
	if charts := entriesLink.FindAllString(page[:strings.Index(page, "<tbody>")], -1); len(charts) < 2 {
		t.Errorf("the bars lead to %q", charts)
	}
}

// othersUsage looks for entries in another account, and asks unanswerable queries.
func othersUsage(t *testing.T, n *inProcessNode, jobs []string) {
	t.Helper()
	stranger, office := n.demo(t, "pro"), n.member(t, n.account(t), "bill@example.com", "billing")
	if got := stranger.get("/dashboard/usage"); got.status != 200 || !strings.Contains(got.body, "Nothing charged") {
		t.Errorf("an account without jobs: %d %s", got.status, got.body)
	}
	for path, want := range map[string]int{
		"/usage": 200, "/usage.csv": 200, "/usage/entries": 200, "/usage/entries?from=2000-01-01&to=2099-01-01": 200,
		"/usage?by=x": 422, "/usage?by=tag": 422, "/usage?by=tag&tag=a,key": 422, "/usage?by=tag&tag=a%22b": 422, "/usage?window=x": 422,
		"/usage?window=2020-01-01T00:00:00Z": 422, "/usage.csv?by=x": 422, "/usage/entries?from=x": 422, "/usage/entries?account=acc_dev_business": 422,
		"/usage/entries?cursor=x": 422, "/usage/entries?from=2026-02-01&to=2026-01-01": 422, "/usage/entries?key_id=a&key_id=b": 422,
	} {
		got := stranger.get("/dashboard" + path)
		if got.status != want || want == 422 && !strings.Contains(got.body, `role="alert"><p>`) {
			t.Errorf("%s: %d, not %d\n%s", path, got.status, want, got.body)
		}
		for _, id := range jobs {
			if strings.Contains(got.body, id) {
				t.Errorf("%s shows another account's job", path)
			}
		}
		if got := office.get("/dashboard" + path); got.status != want {
			t.Errorf("%s for the office: %d", path, got.status)
		}
	}
}
