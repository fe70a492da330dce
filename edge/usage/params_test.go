package usage

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/edge/query"
	"platen.dev/edge/schema"
	"platen.dev/events/contract"
	"platen.dev/ledger"
)

// now has a fraction of a second, like real clocks.
var now = time.Date(2026, 3, 31, 12, 0, 0, 1, time.UTC)

// parameters returns the parameters of a query string, in order.
func parameters(t testing.TB, text string) (all []query.Param) {
	t.Helper()
	for pair := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil {
			t.Fatal(err)
		}
		value, err = url.QueryUnescape(value)
		if err != nil {
			t.Fatal(err)
		}
		if pair != "" {
			all = append(all, query.Param{Name: name, Value: value})
		}
	}
	return all
}

// refused lists the parameters of violations, each with the violation's type.
func refused(violations []schema.Violation) (all []string) {
	for _, v := range violations {
		all = append(all, fmt.Sprint(v.Loc[1], " ", v.Type))
	}
	return all
}

// Missing parameters have defaults: the last thirty days in UTC, by day.
func TestDefaults(t *testing.T) {
	q, violations := ParseQuery(nil, now, JSON)
	to := time.Date(2026, 3, 31, 12, 0, 1, 0, time.UTC)
	if len(violations) > 0 || !q.To.Equal(to) || !q.From.Equal(to.AddDate(0, 0, -30)) || q.Bucket != ledger.Day || q.Location != time.UTC || q.GroupBy != nil || q.Format != JSON {
		t.Errorf("got %+v, %v", q, violations)
	}
	if q, _ := ParseQuery(nil, to, CSV); !q.To.Equal(to) || q.Format != CSV {
		t.Errorf("at a whole second: got %+v", q)
	}
	if q, _ := ParseQuery(parameters(t, "to=2000-01-02"), now, JSON); !q.From.Equal(ledger.MinTime) {
		t.Errorf("soon after the beginning: from %s", q.From)
	}
	e, violations := ParseEntryQuery(nil, now, JSON)
	if len(violations) > 0 || !e.To.Equal(to) || !e.From.Equal(to.AddDate(0, 0, -30)) || e.Limit != DefaultLimit || e.After != "" || e.Where != nil || !e.Window.IsZero() {
		t.Errorf("got %+v, %v", e, violations)
	}
	w, violations := ParseEntryQuery(parameters(t, "window=2026-01-31T09:00:00.789Z"), now, JSON)
	if len(violations) > 0 || !w.From.Equal(ledger.MinTime) || !w.To.Equal(ledger.MaxTime) || !w.Window.Equal(time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)) {
		t.Errorf("of a window: got %+v, %v", w, violations)
	}
}

// Every parameter of a query for sums is accepted up to its limit, and refused by name beyond it.
func TestParametersOfUsage(t *testing.T) {
	tag := strings.Repeat("n", contract.MaxTagName)
	for _, c := range []struct {
		query string
		wrong string // "" if it is accepted
	}{
		{"from=2000-01-01T00:00:00Z&to=2000-01-01T00:00:01Z", ""},
		{"from=1999-12-31T23:59:59Z&to=2000-01-02", "from value_error"},
		{"from=2099-12-31T23:59:59Z&to=2100-01-01", ""},
		{"from=2099-12-31&to=2100-01-01T00:00:01Z", "to value_error"},
		{"from=2099-12-31&to=2100-01-01&time_zone=America/New_York", "to value_error"}, // five hours later
		{"from=2026-01-01T00:00:00.5Z", "from value_error"},
		{"from=2026-01-01T00:00:00", "from value_error"},
		{"from=2026-02-29", "from value_error"},
		{"from=", "from value_error"},
		{"from=2026-01-01T00:00:00%2B02:00", ""},
		{"from=2026-01-01T00:00:00+02:00", ""}, // a plus sign that should have been encoded
		{"from=2026-03-02&to=2026-03-01", "from value_error"},
		{"from=2026-03-02&to=2026-03-02", "from value_error"},
		{"from=2026-03-31T12:00:01Z", "from value_error"}, // to is now
		{"from=2026-03-31T12:00:00Z", ""},
		{"bucket=total", ""},
		{"bucket=hour", ""},
		{"bucket=day", ""},
		{"bucket=month", ""},
		{"bucket=window", ""},
		{"bucket=Day", "bucket literal_error"},
		{"bucket=", "bucket literal_error"},
		{"format=json", ""},
		{"format=csv", ""},
		{"format=xml", "format literal_error"},
		{"time_zone=Europe/Berlin", ""},
		{"time_zone=UTC", ""},
		{"time_zone=Europe/Nowhere", "time_zone value_error"},
		{"time_zone=", "time_zone value_error"},
		{"time_zone=Local", "time_zone value_error"},
		{"time_zone=../../etc/passwd", "time_zone value_error"},
		{"time_zone=" + strings.Repeat("a", 1000), "time_zone value_error"},
		{"group_by=key,operation,tag:a,tag:B.c-D_1", ""},
		{"group_by=key,operation,tag:a,tag:b,tag:c", "group_by value_error"},
		{"group_by=key,key", "group_by value_error"},
		{"group_by=", "group_by value_error"},
		{"group_by=key,", "group_by value_error"},
		{"group_by=job", "group_by value_error"},
		{"group_by=tag:", "group_by value_error"},
		{"group_by=tag:%C3%BC", "group_by value_error"},
		{"group_by=tag:" + tag, ""},
		{"group_by=tag:" + tag + "n", "group_by value_error"},
		{"bucket=hour&from=2025-01-01&to=2026-02-21T16:00:00Z", ""},                   // 10,000 hours
		{"bucket=hour&from=2025-01-01&to=2026-02-21T16:00:01Z", "bucket value_error"}, // one more
		{"bucket=day&from=2000-01-01&to=2027-05-19", ""},                              // 10,000 days
		{"bucket=day&from=2000-01-01&to=2027-05-20", "bucket value_error"},            // one more
		{"bucket=month&from=2000-01-01&to=2100-01-01", ""},
		{"bucket=window&from=2000-01-01&to=2100-01-01", ""},
		{"limit=1", "limit extra_forbidden"},
		{"FROM=2026-01-01", "FROM extra_forbidden"},
		{"=", " extra_forbidden"},
		{"bucket=day&bucket=day", "bucket value_error"},
		{"account=acc_other", "account extra_forbidden"},
	} {
		q, violations := ParseQuery(parameters(t, c.query), now, JSON)
		q.Account = anyone
		checkViolations(t, c.query, violations, c.wrong, q.Validate)
	}
}

// checkViolations checks the violations of a query, and that the ledger accepts a query without any.
func checkViolations(t *testing.T, query string, violations []schema.Violation, wrong string, validate func() error) {
	t.Helper()
	if got := strings.Join(refused(violations), ", "); got != wrong {
		t.Errorf("%s: got %q, want %q", query, got, wrong)
	}
	if len(violations) > 0 {
		return
	}
	if err := validate(); err != nil {
		t.Errorf("%s: the ledger refuses it: %v", query, err)
	}
}

// Every parameter of a query for entries is accepted up to its limit, and refused by name beyond it.
func TestParametersOfEntries(t *testing.T) {
	value := strings.Repeat("v", ledger.MaxTagValue)
	cursor := ledger.NewPage(ledger.EntryQuery{Limit: 1}, []ledger.Entry{{ID: "a", Occurred: ledger.MinTime}, {}}).Next
	for _, c := range []struct{ query, wrong string }{
		{"limit=1", ""},
		{"limit=1000", ""},
		{"limit=0", "limit greater_than_equal"},
		{"limit=-1", "limit greater_than_equal"},
		{"limit=1001", "limit less_than_equal"},
		{"limit=99999999999999999999", "limit less_than_equal"},
		{"limit=1.0", "limit int_type"},
		{"limit=", "limit int_type"},
		{"limit=ten", "limit int_type"},
		{"cursor=" + cursor, ""},
		{"cursor=", "cursor value_error"},
		{"cursor=x", "cursor value_error"},
		{"window=2026-01-31T09:00:00Z", ""},
		{"window=2026-01-31", "window value_error"},
		{"window=", "window value_error"},
		{"window=2000-01-01T00:00:00Z", ""},
		{"window=1999-12-31T23:59:59Z", "window value_error"},
		{"window=2099-12-31T23:59:59Z", ""},
		{"window=2100-01-01T00:00:00Z", "window value_error"},
		{"window=2026-01-31T09:00:00Z&from=2026-02-01&to=2026-02-02", ""},
		{"window=2026-01-31T09:00:00Z&from=2026-02-02&to=2026-02-01", "from value_error"},
		{"key_id=key_a&operation=html-to-pdf&tag:a=1&tag:b=", ""},
		{"key_id=key_a&operation=html-to-pdf&tag:a=1&tag:b=&tag:c=", "tag:c value_error"},
		{"key_id=", ""},
		{"key_id=" + value, ""},
		{"key_id=" + value + "v", "key_id value_error"},
		{"operation=" + value + "v", "operation value_error"},
		{"key_id=%00", "key_id value_error"},
		{"tag:a=%FF", "tag:a value_error"},
		{"tag:a=" + value, ""},
		{"tag:a=" + value + "v", "tag:a value_error"},
		{"tag:=x", "tag: value_error"},
		{"tag:%20=x", "tag:  value_error"},
		{"tag:a=1&tag:a=2", "tag:a value_error"},
		{"key_id=a&key_id=a", "key_id value_error"},
		{"format=csv", ""},
		{"format=", "format literal_error"},
		{"time_zone=Europe/Berlin&from=2026-03-01", ""},
		{"time_zone=x", "time_zone value_error"},
		{"bucket=day", "bucket extra_forbidden"},
		{"group_by=key", "group_by extra_forbidden"},
		{"tag=a", "tag extra_forbidden"},
	} {
		q, violations := ParseEntryQuery(parameters(t, c.query), now, JSON)
		q.Account = anyone
		checkViolations(t, c.query, violations, c.wrong, q.Validate)
	}
}

// A date is the first moment of the day in the time zone, even where midnight is skipped.
func TestDatesInZones(t *testing.T) {
	for query, want := range map[string]string{
		"from=2026-03-29&to=2026-03-30&time_zone=Europe/Berlin":          "2026-03-29T00:00:00+01:00 2026-03-30T00:00:00+02:00",
		"from=2018-11-04&to=2018-11-05&time_zone=America/Sao_Paulo":      "2018-11-04T01:00:00-02:00 2018-11-05T00:00:00-02:00",
		"from=2026-03-01T00:00:00Z&to=2026-03-02&time_zone=Asia/Kolkata": "2026-03-01T05:30:00+05:30 2026-03-02T00:00:00+05:30",
	} {
		q, violations := ParseQuery(parameters(t, query), now, JSON)
		if got := q.From.Format(time.RFC3339) + " " + q.To.Format(time.RFC3339); got != want || len(violations) > 0 {
			t.Errorf("%s: got %s (%v), want %s", query, got, violations, want)
		}
	}
}

// Who has sent no end is not told of one.
func TestSpanOfTheFuture(t *testing.T) {
	for text, want := range map[string]string{
		"from=2026-11-30": "from must not be in the future without to, which is now by default", "from=2026-03-02&to=2026-03-01": "from must be before to",
	} {
		if _, violations := ParseQuery(parameters(t, text), now, JSON); len(violations) != 1 || !strings.Contains(violations[0].Msg, want) {
			t.Errorf("%s: %+v, want %q", text, violations, want)
		}
	}
}

// All violations are reported at once, and their number is bounded.
func TestManyViolations(t *testing.T) {
	_, violations := ParseQuery(parameters(t, "bucket=x&from=y&group_by=z&other=1"), now, JSON)
	if got, want := refused(violations), []string{"other extra_forbidden", "bucket literal_error", "group_by value_error", "from value_error"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var many []query.Param
	for i := range 2 * schema.MaxViolations {
		many = append(many, query.Param{Name: strings.Repeat("ü", i)})
	}
	_, violations = ParseEntryQuery(many, now, JSON)
	if len(violations) != schema.MaxViolations {
		t.Errorf("%d violations", len(violations))
	}
	if _, violations = ParseEntryQuery(many[150:], now, JSON); len([]rune(violations[0].Loc[1].(string))) != schema.MaxName {
		t.Errorf("a name is repeated whole: %v", violations[0].Loc)
	}
}

func TestAccepted(t *testing.T) {
	for header, want := range map[string]Format{
		"": JSON, "*/*": JSON, "text/csv": CSV, "Text/CSV; header=present": CSV, "text/html, text/csv;q=0.9": CSV, "application/json, text/csv": JSON, "text/csvx": JSON,
	} {
		if got := Accepted(header); got != want {
			t.Errorf("%q: got %s, want %s", header, got, want)
		}
	}
}

// Any input is refused by name, or is a query that the ledger accepts.
func FuzzParams(f *testing.F) {
	for _, s := range []string{
		"", "from=2026-01-01&to=2026-02-01&bucket=hour&time_zone=Europe/Berlin&group_by=key,tag:a&format=csv", "from=2026-01-01T00:00:00+02:00",
		"window=2026-01-31T09:00:00Z&key_id=a&operation=b&tag:c=d&limit=7&cursor=MTc2", "bucket=day&bucket=day", "tag:=&tag:%00=%ff", "tag:" + strings.Repeat("@", 3000) + "=%ff", "time_zone=../UTC", "from=9999-12-31", "to=0000-01-01",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var all []query.Param
		for pair := range strings.SplitSeq(text, "&") {
			name, value, _ := strings.Cut(pair, "=")
			name, _ = url.QueryUnescape(name)
			value, _ = url.QueryUnescape(value)
			all = append(all, query.Param{Name: name, Value: value})
		}
		q, violations := ParseQuery(all, now, JSON)
		q.Account = anyone
		if _, err := ledger.NewFold(q.Query); err != nil && len(violations) == 0 {
			t.Errorf("the ledger refuses the query: %v", err)
		}
		e, wrong := ParseEntryQuery(all, now, JSON)
		e.Account = anyone
		if err := e.Validate(); err != nil && len(wrong) == 0 {
			t.Errorf("the ledger refuses the query for entries: %v", err)
		}
		for _, v := range append(violations, wrong...) {
			if len(v.Loc) != 2 || v.Msg == "" || v.Type == "" || len(v.Msg) > 2000 {
				t.Errorf("violation %v", v)
			}
		}
	})
}
