package dashboard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/account"
	"platen.dev/actors/service"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/usage"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/ledger"
	"platen.dev/projections"
)

// byTag returns a report grouped by the tag a, with a number of values, and entries without one, on each of two days.
func byTag(values int) usage.Report {
	r := usage.Report{GroupBy: []ledger.Dimension{ledger.ByTag("a")}}
	for _, day := range []string{"2026-01-12", "2026-01-13"} {
		for i := range values + 1 {
			value := ""
			if i > 0 {
				value = fmt.Sprintf("v%02d", i)
			}
			n := int64(100 - i)
			r.Rows = append(r.Rows, usage.Row{Start: day + "T00:00:00Z", Tags: map[string]string{"a": value}, Figures: usage.Figures{Units: n, Bytes: 10 * n, Entries: n}})
		}
	}
	return r
}

// Up to six groups are shown, besides entries without a group; of more, the smallest are merged.
func TestFolded(t *testing.T) {
	for values, want := range map[int]string{
		0: "", 6: " v01 v02 v03 v04 v05 v06", 7: " v01 v02 v03 v04 v05 v06 (other)", 60: " v01 v02 v03 v04 v05 v06 (other)",
	} {
		r := byTag(values)
		var before, after usage.Figures
		for _, row := range r.Rows {
			before = plus(before, row.Figures)
		}
		var err error
		if r.Rows, err = folded(r); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range r.Rows {
			if after = plus(after, row.Figures); row.Start == r.Rows[0].Start {
				names = append(names, row.Tags["a"])
			}
		}
		if got := strings.Join(names, " "); got != want || before != after {
			t.Errorf("%d values: %q, want %q; %v became %v", values, got, want, before, after)
		}
		groups, rows := divided(r, nil, nil)
		if len(rows) != len(r.Rows) || len(groups) != len(names) || groups[len(groups)-1].Kind != page.GroupUntagged {
			t.Errorf("%d values: groups %v", values, groups)
		}
	}
}

func plus(a, b usage.Figures) usage.Figures {
	return usage.Figures{Units: a.Units + b.Units, Bytes: a.Bytes + b.Bytes, Entries: a.Entries + b.Entries}
}

func TestFoldedOverflow(t *testing.T) {
	r := byTag(9)
	for i := range r.Rows {
		r.Rows[i].Bytes = math.MaxInt64
	}
	if _, err := folded(r); !errors.Is(err, ledger.ErrOverflow) {
		t.Errorf("got %v", err)
	}
}

// withoutLedger is a ledger that fails.
type withoutLedger struct {
	Ledger
	err error
}

func (l withoutLedger) Windows(context.Context, events.AccountID) (usage.Windows, error) {
	return usage.Windows{}, l.err
}

func (l withoutLedger) Entries(context.Context, events.AccountID, usage.EntryQuery) (usage.Entries, error) {
	return usage.Entries{}, l.err
}

// noModels are read models without accounts.
type noModels struct{ ReadModels }

func (noModels) Account(events.AccountID) (a projections.Account, known bool, err error) { return }

// Without the ledger, the live quota is shown, internal errors are not, and no file is sent.
func TestUsageWithoutLedger(t *testing.T) {
	for err, want := range map[error]struct {
		status int
		text   string
	}{
		fmt.Errorf("%w: dial tcp 10.0.0.7", usage.ErrUnavailable): {503, "The live quota still works"},
		usage.ErrBusy:     {429, "Reload this page"},
		usage.ErrTooLarge: {422, "too much to show"},
	} {
		d := usagePages{New(Config{
			Usage: func(events.AccountID) (service.Usage, error) {
				return service.Usage{Usage: account.Usage{Used: 4711, Limits: account.Limits{Jobs: 5000}}}, nil
			},
			Ledger: withoutLedger{err: err}, Models: noModels{}, Logger: slog.New(slog.DiscardHandler), Now: time.Now,
		}).site}
		for name, serve := range map[string]func(*fasthttp.RequestCtx, visitor){"page": d.usage, "file": d.usageCSV, "entries": d.entries} {
			ctx := &fasthttp.RequestCtx{}
			serve(ctx, visitor{})
			body := string(ctx.Response.Body())
			if ctx.Response.StatusCode() != want.status || !strings.Contains(body, want.text) || strings.Contains(body, "10.0.0.7") || len(ctx.Response.Header.Peek("Content-Disposition")) > 0 {
				t.Errorf("%s, %v: %d %s", name, err, ctx.Response.StatusCode(), body)
			}
			if name != "entries" && !strings.Contains(body, "4,711") {
				t.Errorf("%s, %v: no live quota", name, err)
			}
		}
	}
}

// Corrections are a group of their own by key and by operation; otherwise they are part of the rows.
func TestDividedCorrections(t *testing.T) {
	none, name := "", "html-to-pdf"
	row := usage.Row{Start: "2026-01-12T00:00:00Z", Operation: &none, Figures: usage.Figures{Units: -1, Bytes: -7, Entries: 1}}
	byOperation := usage.Report{GroupBy: []ledger.Dimension{ledger.ByOperation}, Rows: []usage.Row{row, {Start: row.Start, Operation: &name}}}
	found := corrections(byOperation)
	if want := (page.UsageFigures{Jobs: -1, Bytes: -7, Entries: 1}); len(found) != 1 || found[row.Start] != want {
		t.Fatalf("got %v", found)
	}
	groups, rows := divided(byOperation, found, nil)
	if groups[1].Kind != page.GroupCorrections || groups[1].Parameter != "operation" || rows[0].Group != 1 || rows[0].Corrections != nil {
		t.Errorf("by operation: %v %v", groups, rows)
	}
	groups, rows = divided(byTag(1), found, nil)
	if groups[1].Kind != page.GroupUntagged || rows[0].Corrections == nil || rows[1].Corrections != nil || rows[2].Corrections != nil {
		t.Errorf("by tag: %v %+v", groups, rows)
	}
	plain := usage.Report{Rows: []usage.Row{{Start: row.Start}}}
	if groups, rows = divided(plain, found, nil); groups[0].Kind != page.GroupAll || rows[0].Corrections == nil {
		t.Errorf("by nothing: %v %+v", groups, rows)
	}
}

// A tag's name may be as long as the API takes it, and the page says so.
func TestDimensionOfTag(t *testing.T) {
	longest := strings.Repeat("n", contract.MaxTagName)
	if _, wrong := dimensions(page.UsageQuery{By: tagParam, Tag: longest}); wrong != nil {
		t.Errorf("got %q", wrong)
	}
	_, wrong := dimensions(page.UsageQuery{By: tagParam, Tag: longest + "n"})
	if len(wrong) != 1 || !strings.Contains(wrong[0], fmt.Sprintf("1 to %d letters", contract.MaxTagName)) {
		t.Errorf("got %q", wrong)
	}
}
