package usage

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/ledger"
	"platen.dev/ledger/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const account = events.AccountID("acc_a")

var (
	january  = time.Date(2026, 1, 15, 8, 0, 0, 0, time.UTC)
	february = january.AddDate(0, 1, 0)
	march    = january.AddDate(0, 2, 0)
)

// monthly returns the state of an account whose last window is March's, with everything in the ledger.
func monthly() Live {
	return Live{Window: march, End: func(start time.Time) time.Time { return start.AddDate(0, 1, 0) }}
}

// debit returns an entry of one unit.
func debit(of events.AccountID, number int, at, window time.Time, tags ...ledger.Tag) ledger.Entry {
	job := fmt.Sprintf("job-%03d", number)
	return ledger.Entry{
		ID: job + "/debit", Account: string(of), Job: job, Kind: ledger.Debit, Key: fmt.Sprintf("key_%d", number%2), Operation: "html-to-pdf",
		Tags: tags, Occurred: at, Window: window, Units: 1, Bytes: 1000 + int64(number),
	}
}

// filled opens a ledger with entries.
func filled(t *testing.T, entries ...ledger.Entry) ledger.Ledger {
	t.Helper()
	l, err := embedded.Open(testkit.Context(t), filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	b := ledger.Batch{Topic: events.TopicEvents, Hi: int64(len(entries)) - 1, Entries: entries}
	for i := range entries {
		entries[i].Source = ledger.Source{Topic: b.Topic, Offset: int64(i)}
	}
	if err := l.Append(testkit.Context(t), b); err != nil {
		t.Fatal(err)
	}
	return l
}

// serve returns the service of a ledger and an account's state at now.
func serve(l Ledger, live Live) *Service {
	return New(l, func(events.AccountID) (Live, error) { return live, nil }, func() time.Time { return now })
}

// report runs the query in a query string, and returns its answer and the parsed CSV.
func report(t *testing.T, s *Service, of events.AccountID, query string) (Report, [][]string) {
	t.Helper()
	q, violations := ParseQuery(parameters(t, query), now, JSON)
	if len(violations) > 0 {
		t.Fatalf("%s: %v", query, violations)
	}
	r, err := s.Report(t.Context(), of, q)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return r, readCSV(t, r.CSV())
}

func readCSV(t *testing.T, text []byte) [][]string {
	t.Helper()
	if strings.Count(string(text), "\r\n") != strings.Count(string(text), "\n") {
		t.Errorf("a line does not end with CR LF: %q", text)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return lines
}

// hostile lists texts that a spreadsheet would take for formulas, or that break naive CSV.
var hostile = []string{"=1+1", "+1", "-1", "@x", "\tx", "'x", `"a","b"`, "ü, ö", "", "plain", " =1", "a;=1", "＝1"}

// CSV has the same rows and columns as JSON, and no text that a spreadsheet evaluates.
func TestCSVIsJSON(t *testing.T) {
	var entries []ledger.Entry
	for i, value := range hostile {
		entries = append(entries, debit(account, i, march.Add(time.Duration(i)*time.Minute), march, ledger.Tag{Name: "customer", Value: value}))
	}
	s := serve(filled(t, entries...), monthly())
	for _, query := range []string{"", "group_by=tag:customer,key,operation,tag:other", "bucket=total&group_by=key", "bucket=window&group_by=tag:customer", "from=2020-01-01&to=2020-01-02"} {
		r, lines := report(t, s, account, query)
		if got, want := len(lines), len(r.Rows)+1; got != want {
			t.Fatalf("%s: %d lines, want %d", query, got, want)
		}
		for i, row := range r.Rows {
			checkLine(t, query, row, lines[0], lines[i+1])
		}
	}
}

// checkLine compares a line of CSV with the JSON of its row, by the names of columns.
func checkLine(t *testing.T, query string, row Row, columns, line []string) {
	t.Helper()
	b, err := json.Marshal(row)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	if tags, tagged := fields["tags"].(map[string]any); tagged {
		delete(fields, "tags")
		for name, value := range tags {
			fields["tag:"+name] = value
		}
	}
	if got, want := slices.Sorted(slices.Values(columns)), slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
		t.Errorf("%s: columns %q, want %q", query, got, want)
	}
	for i, column := range columns {
		if got, want := unguarded(line[i]), fmt.Sprint(fields[column]); got != want {
			t.Errorf("%s: %s is %q, want %q", query, column, line[i], want)
		}
		if _, isNumber := fields[column].(json.Number); !isNumber && line[i] != "" && strings.ContainsRune("=+-@\t\r", rune(line[i][0])) {
			t.Errorf("%s: %s is a formula: %q", query, column, line[i])
		}
	}
}

// Days and months are those of the time zone, and the total is the sum of the rows.
func TestReportInZones(t *testing.T) {
	late := time.Date(2026, 3, 28, 23, 30, 0, 0, time.UTC) // half past midnight in Berlin, where the day has 23 hours
	s := serve(filled(t, debit(account, 1, late, march), debit(account, 2, late.Add(-time.Hour), march), ledger.Entry{
		ID: "adj_1", Account: string(account), Kind: ledger.Credit, Occurred: late, Window: march, Units: -3, Bytes: -500, Reason: "empty",
	}), monthly())
	r, _ := report(t, s, account, "time_zone=Europe/Berlin&from=2026-03-01&to=2026-04-01")
	want := Report{
		Source: "ledger", From: "2026-03-01T00:00:00+01:00", To: "2026-04-01T00:00:00+02:00", TimeZone: "Europe/Berlin", Bucket: "day", GroupBy: []ledger.Dimension{},
		Rows: []Row{
			{Start: "2026-03-28T00:00:00+01:00", End: "2026-03-29T00:00:00+01:00", Figures: Figures{1, 1002, 1}},
			{Start: "2026-03-29T00:00:00+01:00", End: "2026-03-30T00:00:00+02:00", Figures: Figures{-2, 501, 2}},
		},
		Total: Figures{-1, 1503, 3},
	}
	if fmt.Sprintf("%+v", r) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", r, want)
	}
	if r, _ := report(t, s, account, "bucket=window"); len(r.Rows) != 1 || r.Rows[0].End != "2026-04-15T08:00:00Z" {
		t.Errorf("by window: %+v", r.Rows)
	}
}

// Pages contain every entry of the account once, in order, and no other account's.
func TestEntriesByPages(t *testing.T) {
	var entries []ledger.Entry
	for i := range 25 {
		entries = append(entries, debit(account, i, march.Add(time.Duration(i/3)*time.Second), march), debit("acc_b", 100+i, march, march))
	}
	entries[0].Kind, entries[0].Reason, entries[0].Ref, entries[0].Units = ledger.Adjust, "=why", "@ref", -1
	s := serve(filled(t, entries...), monthly())
	for _, limit := range []int{1, 7, 25, 1000} {
		var got []string
		cursor := ""
		for {
			q, violations := ParseEntryQuery(parameters(t, fmt.Sprintf("from=2026-03-01&limit=%d%s", limit, cursor)), now, JSON)
			if len(violations) > 0 {
				t.Fatal(violations)
			}
			page, err := s.Entries(t.Context(), account, q)
			if err != nil {
				t.Fatal(err)
			}
			lines := readCSV(t, page.CSV())
			for i, e := range page.Entries {
				got = append(got, e.ID)
				if line := lines[i+1]; line[0] != e.ID || line[8] != fmt.Sprint(e.Units) || line[14] != fmt.Sprint(e.Source.Offset) || strings.ContainsAny(line[10][:min(1, len(line[10]))], "=@") || strings.Contains(line[5], ";=") {
					t.Errorf("the CSV of %+v is %q", e, line)
				}
			}
			if page.Next == nil {
				break
			}
			cursor = "&cursor=" + *page.Next
		}
		if len(got) != 25 || !slices.IsSorted(got) || strings.HasPrefix(got[24], "job-1") {
			t.Errorf("limit %d: got %q", limit, got)
		}
	}
}

// Each filter selects by its own field.
func TestFilters(t *testing.T) {
	image := debit(account, 3, march, march, ledger.Tag{Name: "a", Value: "="})
	image.Operation = "html-to-image"
	s := serve(filled(t, debit(account, 1, march, march), debit(account, 2, march, february, ledger.Tag{Name: "a", Value: "x"}), image), monthly())
	for query, want := range map[string]string{
		"": "job-001 job-002 job-003", "key_id=key_0": "job-002", "operation=html-to-image": "job-003", "tag:a=x": "job-002", "tag:a=": "job-001", "tag:a=%3D": "job-003",
		"window=2026-02-15T08:00:00Z": "job-002", "window=2026-02-15T08:00:01Z": "", "key_id=key_1&operation=html-to-pdf": "job-001", "to=2026-03-15T08:00:00Z": "", "from=2026-03-15T08:00:01Z": "",
	} {
		q, violations := ParseEntryQuery(parameters(t, query), now, JSON)
		page, err := s.Entries(t.Context(), account, q)
		var got []string
		for _, e := range page.Entries {
			got = append(got, e.Job)
		}
		if err != nil || len(violations) > 0 || strings.Join(got, " ") != want {
			t.Errorf("%s: got %q (%v, %v), want %q", query, got, violations, err, want)
		}
	}
}

// slow is a ledger whose answers wait until they are released, or until nobody waits for them.
type slow struct{ begun, release chan struct{} }

func (l slow) wait(ctx context.Context) error {
	l.begun <- struct{}{}
	select {
	case <-l.release:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l slow) Usage(ctx context.Context, _ ledger.Query) ([]ledger.Row, error) {
	return nil, l.wait(ctx)
}

func (l slow) Entries(ctx context.Context, _ ledger.EntryQuery) (ledger.Page, error) {
	return ledger.Page{}, l.wait(ctx)
}

// At most two queries of an account, and eight of a node, run at once; a finished one makes room.
func TestRoom(t *testing.T) {
	l := slow{make(chan struct{}), make(chan struct{})}
	s := serve(l, monthly())
	ended := make(chan error, 100)
	begin := func(of events.AccountID) {
		go func() { _, err := s.Windows(context.Background(), of); ended <- err }()
		<-l.begun
	}
	for i := range 4 {
		of := events.AccountID(fmt.Sprint("acc_", i))
		begin(of)
		if _, err := s.Window(t.Context(), of, march); !errors.Is(err, ErrBusy) {
			t.Errorf("a whole window beside another query: %v", err)
		}
		begin(of)
		if _, err := s.Windows(t.Context(), of); !errors.Is(err, ErrBusy) {
			t.Errorf("a third query of one account: %v", err)
		}
	}
	if _, err := s.Windows(t.Context(), "acc_other"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("a ninth query of a node: %v", err)
	}
	close(l.release)
	for range 8 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if s.gate.node != 0 || len(s.gate.of) != 0 {
		t.Errorf("the gate keeps %d, %v", s.gate.node, s.gate.of)
	}
}

// A query is abandoned at the time limit.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := slow{make(chan struct{}, 10), nil}
		s := serve(l, monthly())
		begun := time.Now()
		if _, err := s.Windows(t.Context(), account); !errors.Is(err, ErrUnavailable) || time.Since(begun) != QueryLimit {
			t.Errorf("got %v after %s", err, time.Since(begun))
		}
	})
}

// failing is a ledger whose queries fail.
type failing struct{ err error }

func (l failing) Usage(context.Context, ledger.Query) ([]ledger.Row, error) { return nil, l.err }

func (l failing) Entries(context.Context, ledger.EntryQuery) (ledger.Page, error) {
	return ledger.Page{}, l.err
}

// Each error of the ledger is mapped to one of this package.
func TestErrors(t *testing.T) {
	for from, want := range map[error]error{
		ledger.ErrTooMany: ErrTooLarge, ledger.ErrOverflow: ErrTooLarge, ledger.ErrInvalid: ledger.ErrInvalid, ledger.ErrClosed: ErrUnavailable, errors.New("disk"): ErrUnavailable,
	} {
		s := serve(failing{fmt.Errorf("usage: %w", from)}, monthly())
		if _, err := s.Windows(t.Context(), account); !errors.Is(err, want) {
			t.Errorf("%v: got %v, want %v", from, err, want)
		}
	}
	s := New(failing{}, func(events.AccountID) (Live, error) { return Live{}, errors.New("behind") }, time.Now)
	if _, err := s.Windows(t.Context(), account); !errors.Is(err, ErrUnavailable) {
		t.Errorf("without the account's state: %v", err)
	}
	huge := []ledger.Row{{Units: 1 << 62}, {Units: 1 << 62}}
	if _, err := newReport(ledger.Query{Location: time.UTC}, huge); !errors.Is(err, ledger.ErrOverflow) {
		t.Errorf("a total beyond 64 bits: %v", err)
	}
}
