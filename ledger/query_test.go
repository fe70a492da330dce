package ledger

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Every limit of a query, from both sides.
func TestQueryLimits(t *testing.T) {
	four := []Dimension{ByKey, ByOperation, ByTag("a"), ByTag("b")}
	for name, c := range map[string]struct{ good, bad func(*Query) }{
		"account":   {func(q *Query) { q.Account = strings.Repeat("x", MaxName) }, func(q *Query) { q.Account = strings.Repeat("x", MaxName+1) }},
		"nobody":    {func(q *Query) { q.Account = "x" }, func(q *Query) { q.Account = "" }},
		"empty":     {func(q *Query) { q.To = q.From.Add(time.Second) }, func(q *Query) { q.To = q.From }},
		"from":      {func(q *Query) { q.From = MinTime }, func(q *Query) { q.From = MinTime.Add(-time.Second) }},
		"to":        {func(q *Query) { q.To = MaxTime }, func(q *Query) { q.To = MaxTime.Add(time.Second) }},
		"fraction":  {func(q *Query) {}, func(q *Query) { q.From = q.From.Add(1) }},
		"fraction2": {func(q *Query) {}, func(q *Query) { q.To = q.To.Add(-1) }},
		"bucket":    {func(q *Query) { q.Bucket = Window }, func(q *Query) { q.Bucket = Window + 1 }},
		"bucket2":   {func(q *Query) { q.Bucket = Total }, func(q *Query) { q.Bucket = -1 }},
		"groups":    {func(q *Query) { q.GroupBy = four }, func(q *Query) { q.GroupBy = append(four, ByTag("c")) }},
		"twice":     {func(q *Query) { q.GroupBy = []Dimension{ByTag("a"), ByTag("A")} }, func(q *Query) { q.GroupBy = []Dimension{ByTag("a"), ByTag("a")} }},
		"dimension": {func(q *Query) { q.GroupBy = []Dimension{"key"} }, func(q *Query) { q.GroupBy = []Dimension{"job"} }},
		"tag":       {func(q *Query) { q.GroupBy = []Dimension{"tag:a"} }, func(q *Query) { q.GroupBy = []Dimension{`tag:a'"`} }},
		"no tag":    {func(q *Query) { q.GroupBy = nil }, func(q *Query) { q.GroupBy = []Dimension{"tag:"} }},
	} {
		good := Query{Account: "a", From: MinTime, To: MaxTime}
		bad := good
		c.good(&good)
		c.bad(&bad)
		if err := good.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := bad.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// Every limit of a query for entries, from both sides; a cursor from outside is checked.
func TestEntryQueryLimits(t *testing.T) {
	cursor := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	second := strconv.FormatInt(MinTime.Unix(), 10)
	for name, c := range map[string]struct{ good, bad func(*EntryQuery) }{
		"account":      {func(q *EntryQuery) {}, func(q *EntryQuery) { q.Account = "" }},
		"least":        {func(q *EntryQuery) { q.Limit = 1 }, func(q *EntryQuery) { q.Limit = 0 }},
		"most":         {func(q *EntryQuery) { q.Limit = MaxPage }, func(q *EntryQuery) { q.Limit = MaxPage + 1 }},
		"window":       {func(q *EntryQuery) { q.Window = MinTime }, func(q *EntryQuery) { q.Window = MinTime.Add(-1) }},
		"match":        {func(q *EntryQuery) { q.Where = []Match{{ByKey, ""}} }, func(q *EntryQuery) { q.Where = []Match{{"x", ""}} }},
		"matches":      {func(q *EntryQuery) { q.Where = []Match{{ByKey, "a"}, {ByOperation, "a"}} }, func(q *EntryQuery) { q.Where = []Match{{ByKey, "a"}, {ByKey, "b"}} }},
		"value":        {func(q *EntryQuery) { q.Where = []Match{{ByKey, strings.Repeat("x", MaxTagValue)}} }, func(q *EntryQuery) { q.Where = []Match{{ByKey, strings.Repeat("x", MaxTagValue+1)}} }},
		"value2":       {func(q *EntryQuery) { q.Where = []Match{{ByKey, "ü"}} }, func(q *EntryQuery) { q.Where = []Match{{ByKey, "\x00"}} }},
		"cursor":       {func(q *EntryQuery) { q.After = cursor(second + " a b") }, func(q *EntryQuery) { q.After = "*" }},
		"cursor early": {func(q *EntryQuery) {}, func(q *EntryQuery) { q.After = cursor("0 a") }},
		"cursor id":    {func(q *EntryQuery) {}, func(q *EntryQuery) { q.After = cursor(second + " ") }},
		"cursor text":  {func(q *EntryQuery) {}, func(q *EntryQuery) { q.After = cursor(second) }},
		"cursor time":  {func(q *EntryQuery) {}, func(q *EntryQuery) { q.After = cursor("x a") }},
		"cursor late":  {func(q *EntryQuery) {}, func(q *EntryQuery) { q.After = cursor(strconv.FormatInt(MaxTime.Unix(), 10) + " a") }},
		"cursor UTF-8": {func(q *EntryQuery) {}, func(q *EntryQuery) { q.After = cursor(second + " \xff") }},
	} {
		good := EntryQuery{Account: "a", From: MinTime, To: MaxTime, Limit: 10}
		bad := good
		c.good(&good)
		c.bad(&bad)
		if err := good.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := bad.Validate(); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	q := EntryQuery{After: cursor(second + " a b")}
	if p := q.Position(); p != (Position{MinTime.Unix(), "a b"}) {
		t.Errorf("position %+v", p)
	}
}

// An answer has at most MaxRows rows, however many parts it is made from.
func TestMaxRows(t *testing.T) {
	f, err := NewFold(Query{Account: "a", From: MinTime, To: MaxTime, GroupBy: []Dimension{ByKey}})
	if err != nil {
		t.Fatal(err)
	}
	add := func(i int) error { return f.Add(Part{Groups: []string{strconv.Itoa(i)}}) }
	for i := range 2 * MaxRows {
		if err := add(i % MaxRows); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	if rows, err := f.Rows(); err != nil || len(rows) != MaxRows || !strings.HasPrefix(rows[1].Groups[0], "1") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if err := add(MaxRows); !errors.Is(err, ErrTooMany) {
		t.Errorf("one row more: %v, want ErrTooMany", err)
	}
}

// A gate ends the calls that are in it, waits for them, and lets nobody in any more.
func TestGate(t *testing.T) {
	g := NewGate()
	inside, leave, err := g.Enter(t.Context())
	if err != nil || inside.Err() != nil || g.Closed() {
		t.Fatal("the gate is not open")
	}
	done := make(chan bool)
	go func() { done <- g.Close() }()
	<-inside.Done()
	select {
	case <-done:
		t.Fatal("closed before the call has left")
	default:
	}
	leave()
	if !<-done || g.Close() {
		t.Error("the first Close was not the first")
	}
	if _, _, err := g.Enter(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("enter: %v, want ErrClosed", err)
	}
}
