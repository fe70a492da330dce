package public

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"platen.dev/events"
	"platen.dev/events/eventlog"
)

var update = flag.Bool("update", false, "write the golden files in testdata; a breaking change of a schema fails all the same")

const at events.Instant = 1767258000123

var jobID = events.JobID{1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16}

// envelopes are one or more of each kind that has facts.
func envelopes() []events.Envelope {
	tags := []events.Tag{{Name: "customer", Value: "4711"}, {Name: "note", Value: `"<ü>`}}
	origin := events.JobOrigin{Key: "key_1", Operation: events.HTMLToPDF, Tags: tags}
	test := events.JobOrigin{Key: "key_1", Operation: events.URLToImage, Test: true}
	file := events.File{Name: "f.pdf", Size: 1234, Pages: 2}
	metrics := events.Metrics{PageLoad: 3, Processing: 4, Total: 7}
	webhook := events.WebhookAttempt{Number: 2, Status: 204}
	var all []events.Envelope
	for i, evs := range [][]events.Event{
		{events.AccountCreated{Plan: events.PlanPro, Anchor: at}, events.WindowOpened{Window: at, End: at + 1}},
		{events.PlanChanged{Plan: events.PlanBusiness}},
		{events.AccountSuspended{Reason: "Invoice <7> is unpaid"}},
		{events.AccountResumed{}},
		{events.KeyIssued{Key: events.Key{ID: "key_1", Prefix: "sk_live_", LastFour: "abcd", Hash: [32]byte{7}}}},
		{events.KeyRevoked{Key: "key_1", Hash: [32]byte{7}}},
		{events.WindowOpened{Window: at, End: at + 1}, events.QuotaReserved{Job: jobID, Window: at}, events.JobQueued{Job: jobID, Key: "key_1", Operation: events.HTMLToPDF, Window: at, Delivered: true, Tags: tags}},
		{events.TestCounted{Job: jobID}, events.JobQueued{Job: jobID, Key: "key_1", Operation: events.URLToImage, Test: true}},
		{events.RenderStarted{Job: jobID, Attempt: 5, Node: "n", Deadline: at}},
		{events.JobDone{Job: jobID, File: file, Metrics: metrics, Expires: at, Origin: origin}, events.QuotaDebited{Job: jobID, Window: at, Bytes: 1234}},
		{events.JobDone{Job: jobID, File: file, Metrics: metrics, Expires: at, Origin: origin, Sent: true}, events.QuotaDebited{Job: jobID, Window: at, Bytes: 1234}},
		{events.UploadAttempted{Job: jobID}, events.JobDone{Job: jobID, File: file, Origin: origin}, events.QuotaDebited{Job: jobID, Window: at, Bytes: 1234}},
		{events.JobDone{Job: jobID, File: events.File{Size: 99}, Metrics: metrics, Expires: at, Origin: test}},
		{events.JobDone{Job: jobID, File: file, Metrics: metrics, Expires: at}, events.QuotaDebited{Job: jobID, Window: at, Bytes: 1234}},
		{events.JobFailed{Job: jobID, Code: events.PageTimeout, Origin: origin}, events.QuotaReleased{Job: jobID, Window: at}},
		{events.DownloadBegun{Job: jobID, Download: 6, Until: at}},
		{events.WebhookAttempted{Job: jobID, WebhookAttempt: webhook, Outcome: events.WebhookDelivered}},
		{events.WebhookAttempted{Job: jobID, WebhookAttempt: webhook, Next: at}},
		{events.WebhookAttempted{Job: jobID, WebhookAttempt: events.WebhookAttempt{Number: 10, Error: "no"}, Outcome: events.WebhookGivenUp}},
		{events.UsageAdjusted{Adjustment: events.Adjustment{Entry: "adj_1", Kind: events.Credit, Units: -1, Bytes: -5, Reason: "Empty page", Ref: events.DebitOf(jobID)}, Window: at}},
		{events.UsageAdjusted{Adjustment: events.Adjustment{Entry: "adj_2", Kind: events.Correction, Units: 3, Reason: "Missed"}, Window: at}},
		{events.FileExpired{Job: jobID}},
		{events.FileDeleted{Job: jobID}},
		{},
	} {
		all = append(all, events.Envelope{Epoch: 0, Cause: int64(i), Account: "acc_1", At: at, Events: evs})
	}
	return all
}

// published are the events of envelopes.
func published() (facts []Event) {
	for i, e := range envelopes() {
		facts = append(facts, Of("", 3, int64(i+1), e)...)
	}
	for i, e := range envelopes()[:3] {
		facts = append(facts, Of("abcdefghijklmnop", 3, int64(100+i), e)...)
	}
	facts = append(facts, Begun(3, 200, events.Marker{Timeline: "qrstuvwxyz234567", At: at, Restored: true}, "abcdefghijklmnop", 17))
	for i := range facts {
		facts[i].Sequence = int64(i + 1)
	}
	return facts
}

// shown is a record as text: the headers, then the data.
func shown(r eventlog.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "key: %s\n", r.Key)
	for _, h := range r.Headers {
		fmt.Fprintf(&b, "%s: %s\n", h.Key, h.Value)
	}
	return b.String() + string(r.Value) + "\n\n"
}

// TestRecords compares the records of all facts with the promised ones, and reads them back. The data of each is valid by the producer's schema, and
// by the reader's.
func TestRecords(t *testing.T) {
	var text strings.Builder
	seen := map[string]bool{}
	for _, fact := range published() {
		r, err := fact.Record()
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(shown(r))
		name := fact.Data.eventType()
		seen[name] = true
		got, err := Parse(r)
		if err != nil || got.Position != fact.Position || got.Sequence != fact.Sequence || got.Type != name ||
			got.Account != fact.Account || !fact.Is(got) || got.Subject != fact.Subject || events.At(got.At) != at || !bytes.Equal(got.Data, r.Value) {
			t.Errorf("%s was read as %+v, %v", name, got, err)
		}
		for _, k := range []Kind{Producer, Reader} {
			if err := compiled(t, name, k).Validate(unmarshal(t, r.Value)); err != nil {
				t.Errorf("%s: %v", r.Value, err)
			}
		}
	}
	for _, name := range Types() {
		if !seen[name] {
			t.Errorf("no envelope has the fact %s", name)
		}
	}
	golden(t, "records.txt", []byte(text.String()))
}

// A producer's schema refuses what no version has written, a reader's does not; both refuse missing fields.
func TestOpenAndClosedSchemas(t *testing.T) {
	name := PlanChanged{}.eventType()
	for _, c := range []struct {
		data             string
		producer, reader bool
	}{
		{`{"account":"a","plan":"free"}`, true, true},
		{`{"account":"a","plan":"free","more":1}`, false, true},
		{`{"account":"a","plan":"vast"}`, false, true},
		{`{"account":"a"}`, false, false},
		{`{"account":1,"plan":"free"}`, false, false},
	} {
		for k, want := range map[Kind]bool{Producer: c.producer, Reader: c.reader} {
			if err := compiled(t, name, k).Validate(unmarshal(t, []byte(c.data))); (err == nil) != want {
				t.Errorf("%s, kind %d: %v", c.data, k, err)
			}
		}
	}
	if _, known := Schema("platen.nothing.v1", Reader); known {
		t.Error("an unknown type has a schema")
	}
}

// TestEvolution compares the schemas with the promised ones. Optional fields may be added; a field that is removed, changes its type, or becomes
// optional or required, breaks consumers: such a change needs another version of the type.
func TestEvolution(t *testing.T) {
	for _, name := range Types() {
		now, _ := Schema(name, Producer)
		before, err := os.ReadFile(filepath.Join("testdata", "schemas", name+".json"))
		if err == nil {
			for _, broken := range breaking(unmarshal(t, before), unmarshal(t, now)) {
				t.Errorf("%s: %s", name, broken)
			}
		}
		if !t.Failed() {
			golden(t, filepath.Join("schemas", name+".json"), now)
		}
	}
	kept, err := os.ReadDir(filepath.Join("testdata", "schemas"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range kept {
		if !slices.Contains(Types(), strings.TrimSuffix(file.Name(), ".json")) {
			t.Errorf("the type of %s is gone", file.Name())
		}
	}
}

// breaking lists how a schema breaks consumers of the previous one.
func breaking(before, now any) (all []string) {
	was, is := before.(map[string]any), now.(map[string]any)
	had, has := was["properties"].(map[string]any), is["properties"].(map[string]any)
	for name, property := range had {
		other, kept := has[name].(map[string]any)
		switch {
		case !kept:
			all = append(all, name+" is gone")
		case other["type"] != property.(map[string]any)["type"] || other["format"] != property.(map[string]any)["format"]:
			all = append(all, name+" has another type")
		case required(was, name) && !required(is, name):
			all = append(all, name+" may be missing")
		}
	}
	for name := range has {
		if _, known := had[name]; !known && required(is, name) {
			all = append(all, name+" is new and required")
		}
	}
	slices.Sort(all)
	return all
}

func required(schema map[string]any, name string) bool {
	return slices.Contains(schema["required"].([]any), any(name))
}

// The evolution test finds every breaking change, and no other.
func TestBreaking(t *testing.T) {
	schema := func(required string, properties ...string) any {
		return unmarshal(t, fmt.Appendf(nil, `{"properties":{%s},"required":[%s]}`, strings.Join(properties, ","), required))
	}
	a, b, number := `"a":{"type":"string"}`, `"b":{"type":"string"}`, `"a":{"type":"integer"}`
	before := schema(`"a"`, a)
	for _, c := range []struct {
		now  any
		want string
	}{
		{schema(`"a"`, a), ""},
		{schema(`"a"`, a, b), ""},
		{schema(`"a","b"`, a, b), "b is new and required"},
		{schema(``), "a is gone"},
		{schema(`"a"`, number), "a has another type"},
		{schema(`"a"`, `"a":{"type":"string","format":"date-time"}`), "a has another type"},
		{schema(``, a), "a may be missing"},
	} {
		if got := strings.Join(breaking(before, c.now), ", "); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// The ids and numbers of facts do not depend on who publishes them, and facts are in order.
func TestPositions(t *testing.T) {
	facts := published()
	for i, fact := range facts[1:] {
		if before := facts[i]; !before.Before(fact.Position) || fact.Before(before.Position) {
			t.Errorf("%s is not before %s", before.Position, fact.Position)
		}
	}
	for _, id := range []string{"", "1-2", "1-2-3-4", "abcdefghijklmno-1-2-3", "abcdefghijklmnopq-1-2-3", "Abcdefghijklmnop-1-2-3", "-1-2-3", "01-2-3", "-1-2-3", "1--2-3", "1-2-+3", "1-2-x", "99999999999-1-1"} {
		if p, err := parsePosition(id); err == nil {
			t.Errorf("%q was read as %v", id, p)
		}
	}
}

// Records that Platen has not written are refused, and the reason names the header.
func TestForeignRecords(t *testing.T) {
	change := func(name, value string) func(*eventlog.Record) {
		return func(r *eventlog.Record) {
			for i := range r.Headers {
				if r.Headers[i].Key == name {
					r.Headers[i].Value = value
				}
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*eventlog.Record)
		want   string
	}{
		"version":   {change("ce_specversion", "0.3"), "ce_specversion"},
		"id":        {change("ce_id", "x"), "ce_id"},
		"source":    {change("ce_source", "/accounts/acc_2"), "ce_source"},
		"type":      {change("ce_type", ""), "ce_type"},
		"time":      {change("ce_time", "yesterday"), "ce_time"},
		"sequence":  {change("ce_sequence", "0"), "ce_sequence"},
		"data type": {change("content-type", "text/plain"), "content-type"},
		"long":      {change("ce_subject", strings.Repeat("x", MaxHeader+1)), "ce_subject"},
		"key":       {func(r *eventlog.Record) { r.Key = []byte("acc_2") }, "ce_partitionkey"},
		"no header": {func(r *eventlog.Record) { r.Headers = nil }, "ce_specversion"},
		"too many":  {func(r *eventlog.Record) { r.Headers = append(r.Headers, make([]eventlog.Header, 10)...) }, "headers"},
		"array":     {func(r *eventlog.Record) { r.Value = []byte("[]") }, "object"},
		"broken":    {func(r *eventlog.Record) { r.Value = []byte("{") }, "object"},
		"empty":     {func(r *eventlog.Record) { r.Value = nil }, "object"},
	} {
		r, err := published()[0].Record()
		if err != nil {
			t.Fatal(err)
		}
		c.change(&r)
		if _, err := Parse(r); !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAsyncAPI compares the document with the one that is promised.
func TestAsyncAPI(t *testing.T) { golden(t, "asyncapi.json", AsyncAPI("1.0")) }

func compiled(t *testing.T, name string, k Kind) *jsonschema.Schema {
	t.Helper()
	text, known := Schema(name, k)
	if !known {
		t.Fatalf("%s has no schema", name)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("urn:"+name, unmarshal(t, text)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func unmarshal(t *testing.T, text []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, got, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what is promised; -update writes it, review the diff:\n%s", path, got)
	}
}

// Data is an object in which each field is written as its schema says. It names the account, unless it is about a partition.
func TestDataIsFlat(t *testing.T) {
	for _, fact := range published() {
		var members map[string]any
		text, err := json.Marshal(fact.Data)
		if err == nil {
			err = json.Unmarshal(text, &members)
		}
		_, ofPartition := fact.Account.OfPartition()
		if account, named := members["account"]; err != nil || named == ofPartition || named && account != "acc_1" {
			t.Errorf("%s: %v", text, err)
		}
	}
}
