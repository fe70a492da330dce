package logdump

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
)

const secret = "Kr0kodil"

var (
	job   = events.JobID{1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16}
	other = events.JobID{9, 9, 9, 9, 9, 9, 0x49, 9, 0x89, 9, 9, 9, 9, 9, 9, 9}
	noon  = events.At(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC))
)

// testLog is a log of one partition in which an owner has decided three commands of five,
// after another one had decided the first; one command is not Platen's.
func testLog(t *testing.T) eventlog.Log {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 1, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	put := func(topic string, value []byte, err error) {
		if err == nil {
			_, err = eventlog.AppendWait(testkit.Context(t), l, topic, 0, eventlog.Record{Key: []byte("acc_a"), Value: value})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command := func(account events.AccountID, minute int, body events.CommandBody) {
		at := noon.Add(time.Duration(minute) * time.Minute)
		b, err := events.EncodeCommand(events.Command{ID: events.CommandID{byte(minute)}, Account: account, At: at, Body: body})
		put(events.TopicCommands, b, err)
	}
	entry := func(e events.Entry) {
		b, err := events.EncodeEntry(e)
		put(events.TopicJournal, b, err)
	}
	envelope := func(epoch, cause int64, account events.AccountID, minute int, all ...events.Event) {
		entry(events.Envelope{Epoch: epoch, Cause: cause, Command: events.CommandID{byte(minute)}, Account: account, At: noon.Add(time.Duration(minute) * time.Minute), Events: all})
	}
	command("acc_a", 0, events.Submission{
		SubmitJob: events.SubmitJob{Job: job, Key: "key_a", Operation: events.HTMLToPDF, Webhook: events.Sealed("https://example.test/?" + secret)},
		Content:   events.Content{HTML: secret},
	})
	command("acc_b", 1, events.Submission{SubmitJob: events.SubmitJob{Job: other, Key: "key_b", Operation: events.URLToPDF}, Content: events.Content{URL: "https://" + secret + ".test/"}})
	put(events.TopicCommands, []byte(secret), nil)
	command("acc_a", 3, events.StartRender{Job: job, Attempt: 7, Node: "node-2"})
	command("acc_a", 4, events.WakeJob{Job: job})
	entry(events.Marker{Owner: "node-1", Version: "dev"})
	envelope(0, 0, "acc_a", 0, events.QuotaReserved{Job: job}, events.JobQueued{Job: job, Key: "key_a", Operation: events.HTMLToPDF, Webhook: events.Sealed("https://example.test/?" + secret)})
	entry(events.Marker{Owner: "node-2"})
	envelope(0, 1, "acc_b", 1) // of the owner before
	envelope(2, 1, "acc_b", 1, events.JobQueued{Job: other, Key: "key_b", Operation: events.URLToPDF, Content: 1, Lane: events.Slow})
	entry(events.Envelope{Epoch: 2, Cause: 2}) // of the unreadable command
	envelope(2, 3, "acc_a", 3, events.RenderStarted{Job: job, Attempt: 7, Node: "node-2", Deadline: noon.Add(time.Hour)})
	return l
}

const jobText, otherText = "01020304-0506-4708-890a-0b0c0d0e0f10", "09090909-0909-4909-8909-090909090909"

// The lines of testLog, with what they are about.
var (
	marker1   = "0 journal 0  Marker{owner=node-1 version=dev}\n"
	submitted = "0 command 0  2026-01-31T12:00:00.000Z  acc_a  SubmitJob{job=" + jobText + " key=key_a operation=html-to-pdf webhook=(30 bytes) summary={html_bytes=8}}\n" +
		"0 journal 1  2026-01-31T12:00:00.000Z  acc_a  cause=0 epoch=0 command=00000000-0000-0000-0000-000000000000\n" +
		"    QuotaReserved{job=" + jobText + "}\n" +
		"    JobQueued{job=" + jobText + " key=key_a operation=html-to-pdf content=0 webhook=(30 bytes)}\n"
	marker2 = "0 journal 2  Marker{owner=node-2}\n"
	ofB     = "0 command 1  2026-01-31T12:01:00.000Z  acc_b  SubmitJob{job=" + otherText + " key=key_b operation=url-to-pdf summary={from_url=true}}\n" +
		"0 journal 3  2026-01-31T12:01:00.000Z  acc_b  void  cause=1 epoch=0 command=01000000-0000-0000-0000-000000000000\n" +
		"0 journal 4  2026-01-31T12:01:00.000Z  acc_b  cause=1 epoch=2 command=01000000-0000-0000-0000-000000000000\n" +
		"    JobQueued{job=" + otherText + " key=key_b operation=url-to-pdf content=1 lane=slow}\n"
	unreadable = "0 command 2  acc_a  unreadable  8 bytes: format 75: not a record of Platen\n"
	empty      = "0 journal 5  -  cause=2 epoch=2 command=00000000-0000-0000-0000-000000000000\n"
	started    = "0 command 3  2026-01-31T12:03:00.000Z  acc_a  StartRender{job=" + jobText + " attempt=0000000000000007 node=node-2}\n" +
		"0 journal 6  2026-01-31T12:03:00.000Z  acc_a  cause=3 epoch=2 command=03000000-0000-0000-0000-000000000000\n" +
		"    RenderStarted{job=" + jobText + " attempt=0000000000000007 node=node-2 deadline=2026-01-31T13:00:00.000Z}\n"
	undecided = "0 command 4  2026-01-31T12:04:00.000Z  acc_a  undecided  WakeJob{job=" + jobText + "}\n"
)

// The text has every record once, each envelope after its command, and only what a filter
// selects.
func TestWrite(t *testing.T) {
	l := testLog(t)
	for name, tc := range map[string]struct {
		filter Filter
		want   []string
	}{
		"everything":           {Filter{}, []string{marker1, submitted, marker2, ofB, unreadable, empty, started, undecided}},
		"an account":           {Filter{Account: "acc_a"}, []string{marker1, submitted, marker2, unreadable, started, undecided}},
		"another account":      {Filter{Account: "acc_b"}, []string{marker2, ofB}},
		"a job":                {Filter{Job: other}, []string{marker2, ofB}},
		"a job of two owners":  {Filter{Job: job}, []string{marker1, submitted, marker2, started, undecided}},
		"from a time on":       {Filter{From: noon.Add(2 * time.Minute).Time()}, []string{marker2, started, undecided}},
		"from the last second": {Filter{From: noon.Add(4 * time.Minute).Time()}, []string{marker2, undecided}},
		"nothing":              {Filter{From: noon.Add(5 * time.Minute).Time()}, nil},
	} {
		var got strings.Builder
		if err := Write(t.Context(), l, tc.filter, &got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if want := strings.Join(tc.want, ""); got.String() != want {
			t.Errorf("%s: got\n%swant\n%s", name, &got, want)
		}
		if strings.Contains(got.String(), secret) {
			t.Errorf("%s: a secret shows", name)
		}
	}
}

// JSON has the same records as objects.
func TestJSON(t *testing.T) {
	var text strings.Builder
	if err := Write(t.Context(), testLog(t), Filter{JSON: true}, &text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), secret) {
		t.Error("a secret shows")
	}
	var all []map[string]any
	for d := json.NewDecoder(strings.NewReader(text.String())); d.More(); {
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			t.Fatal(err)
		}
		all = append(all, object)
	}
	if len(all) != 12 {
		t.Fatalf("%d objects, want 12:\n%s", len(all), &text)
	}
	for i, want := range map[int]string{
		0:  `{"fields":{"owner":"node-1","version":"dev"},"offset":0,"partition":0,"topic":"journal","type":"Marker"}`,
		5:  `{"account":"acc_b","at":"2026-01-31T12:01:00.000Z","fields":{"cause":1,"command":"01000000-0000-0000-0000-000000000000","epoch":0},"offset":3,"partition":0,"state":"void","topic":"journal","type":"Envelope"}`,
		6:  `{"account":"acc_b","at":"2026-01-31T12:01:00.000Z","events":[{"fields":{"content":1,"job":"` + otherText + `","key":"key_b","lane":"slow","operation":"url-to-pdf"},"type":"JobQueued"}],"fields":{"cause":1,"command":"01000000-0000-0000-0000-000000000000","epoch":2},"offset":4,"partition":0,"topic":"journal","type":"Envelope"}`,
		7:  `{"account":"acc_a","error":"8 bytes: format 75: not a record of Platen","offset":2,"partition":0,"state":"unreadable","topic":"command"}`,
		11: `{"account":"acc_a","at":"2026-01-31T12:04:00.000Z","fields":{"job":"` + jobText + `"},"id":"04000000-0000-0000-0000-000000000000","offset":4,"partition":0,"state":"undecided","topic":"command","type":"WakeJob"}`,
	} {
		if got, _ := json.Marshal(all[i]); string(got) != want {
			t.Errorf("object %d: got\n%s\nwant\n%s", i, got, want)
		}
	}
}

func TestParseFrom(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"": {}, "90m": now.Add(-90 * time.Minute), "0s": now, "2026-01-30T09:00:00Z": time.Date(2026, 1, 30, 9, 0, 0, 0, time.UTC),
		"2026-01-30T10:00:00+01:00": time.Date(2026, 1, 30, 9, 0, 0, 0, time.UTC),
	} {
		if got, err := ParseFrom(text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"yesterday", "-5m", "12", "2026-01-30"} {
		if _, err := ParseFrom(text, now); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
