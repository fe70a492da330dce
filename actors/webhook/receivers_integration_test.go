//go:build integration

package webhook

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/egress"
	"platen.dev/events/testkit"
)

// arrived is what a receiver is asked about: a webhook as it arrived, the receiver's secret and its
// clock, in seconds since 1970.
type arrived struct {
	Secret    string `json:"secret"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Signature string `json:"signature"`
	Body      []byte `json:"body_base64"`
	Now       int64  `json:"now"`
}

// question is a webhook and whether a receiver must accept it.
type question struct {
	name    string
	webhook arrived
	accept  bool
	// sample means that published libraries are not asked, either because they have a clock of their
	// own, or because the answer is theirs to choose.
	sample bool
}

// receivers are all receivers to ask. Each command reads webhooks, one per line in JSON, and prints
// ok or no for each.
var receivers = []struct {
	name, variable string
	published      bool
}{
	{"sample in Go", "PLATEN_TEST_SAMPLE_GO", false},
	{"sample in Python", "PLATEN_TEST_SAMPLE_PYTHON", false},
	{"sample in JavaScript", "PLATEN_TEST_SAMPLE_JAVASCRIPT", false},
	{"sample in PHP", "PLATEN_TEST_SAMPLE_PHP", false},
	{"sample in Java", "PLATEN_TEST_SAMPLE_JAVA", false},
	{"published for Go", "PLATEN_TEST_PUBLISHED_GO", true},
	{"published for Python", "PLATEN_TEST_PUBLISHED_PYTHON", true},
	{"published for npm", "PLATEN_TEST_PUBLISHED_NPM", true},
}

// Receivers in other languages accept what Platen sends, and refuse what it has not sent.
func TestReceivers(t *testing.T) {
	all := questions(t)
	for _, r := range receivers {
		t.Run(r.name, func(t *testing.T) {
			command := os.Getenv(r.variable)
			if command == "" {
				t.Fatalf("%s is not set: run testdata/webhooks/integration.sh", r.variable)
			}
			var asked []question
			for _, q := range all {
				if !q.sample || !r.published {
					asked = append(asked, q)
				}
			}
			answers := ask(t, command, asked)
			for i, q := range asked {
				if want := map[bool]string{true: "ok", false: "no"}[q.accept]; answers[i] != want {
					t.Errorf("%s: %s, want %s", q.name, answers[i], want)
				}
			}
			t.Logf("%d answers", len(answers))
		})
	}
}

// questions are about webhooks that a client has sent just now: published libraries have the real
// clock.
func questions(t *testing.T) []question {
	t.Helper()
	now := time.Now()
	newest, older, other := Secret([32]byte{1}), Secret([32]byte{2}), Secret([32]byte{3})
	const text = `{"type":"job.finished","job_id":"8d2e6f0a"}`
	plain := send(t, now, text, newest)
	rotating := send(t, now, text, newest, older)
	with := func(w arrived, change func(*arrived)) arrived {
		change(&w)
		return w
	}
	clock := func(seconds int64) arrived { return with(plain, func(w *arrived) { w.Now += seconds }) }
	signature := func(text string) arrived { return with(plain, func(w *arrived) { w.Signature = text }) }
	// stamped is signed with a timestamp that Platen would not send: nothing else is wrong with it.
	stamped := func(timestamp, secret string) arrived {
		return with(plain, func(w *arrived) {
			signed, err := standardSignature(w.ID, timestamp, w.Body, secret)
			if err != nil {
				t.Fatal(err)
			}
			w.Timestamp, w.Signature, w.Secret = timestamp, signed, secret
		})
	}
	// malformed is for a clock that shows who takes such a timestamp for 0.
	malformed := func(timestamp string) arrived {
		return with(stamped(timestamp, newest), func(w *arrived) { w.Now = 0 })
	}
	return []question{
		{"as it was sent", plain, true, false},
		{"a body that is not ASCII", send(t, now, `{"title":"Größe – 大きさ"}`, newest), true, false},
		{"a body that is not UTF-8", send(t, now, "{\"title\":\"\xff\x00\r\n\"}", newest), true, true},
		{"the new secret during a rotation", rotating, true, false},
		{"the old secret during a rotation", with(rotating, func(w *arrived) { w.Secret = older }), true, false},
		{"another secret during a rotation", with(rotating, func(w *arrived) { w.Secret = other }), false, false},
		{"another secret", with(plain, func(w *arrived) { w.Secret = other }), false, false},
		{"an empty secret", stamped(plain.Timestamp, secretPrefix), false, true},
		{"one byte of the body changed", with(plain, func(w *arrived) {
			w.Body = bytes.Clone(w.Body)
			w.Body[len(w.Body)/2]++
		}), false, false},
		{"a byte after the body", with(plain, func(w *arrived) { w.Body = append(bytes.Clone(w.Body), '\n') }), false, false},
		{"another id", with(plain, func(w *arrived) { w.ID += "0" }), false, false},
		{"another timestamp", with(plain, func(w *arrived) { w.Timestamp = strconv.FormatInt(w.Now-1, 10) }), false, false},

		{"300 s late", clock(300), true, true},
		{"301 s late", clock(301), false, true},
		{"300 s early", clock(-300), true, true},
		{"301 s early", clock(-301), false, true},
		{"a timestamp that is a word", malformed("soon"), false, false},
		{"a timestamp that is not a number", malformed("nan"), false, false},
		{"a timestamp with a fraction", stamped(plain.Timestamp+".5", newest), false, true},
		{"an empty timestamp", malformed(""), false, false},
		{"a timestamp too large for 64 bits", malformed("18446744073709551616"), false, false},
		{"a timestamp of 5,000 digits", malformed(strings.Repeat("9", 5000)), false, false},

		{"no header", signature(""), false, false},
		{"a header without v1", signature(strings.ReplaceAll(plain.Signature, "v1,", "v1a,")), false, false},
		{"a header without versions", signature(strings.ReplaceAll(plain.Signature, "v1,", "")), false, true},
		{"a header with an empty v1", signature("v1,"), false, false},
		{"a header that is cut", signature(plain.Signature[:len(plain.Signature)-1]), false, true},
		{"a header that is not ASCII", signature("v1,é"), false, true},
		{"a version of the future before v1", signature("v2,AAAA " + plain.Signature), true, false},
	}
}

// send has a client send a webhook, and returns it as it arrived, for a receiver that has the newest
// secret.
func send(t *testing.T, now time.Time, body string, secrets ...string) arrived {
	t.Helper()
	got := make(chan arrived, 1)
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h := r.Header
		got <- arrived{secrets[0], h.Get("webhook-id"), h.Get("webhook-timestamp"), h.Get("webhook-signature"), b, now.Unix()}
	})
	policy := egress.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	client := NewClient(policy, DefaultPrefix, "Platen/test", func() time.Time { return now })
	o := client.Send(testkit.Context(t), Message{ID: "msg_8d2e6f0a-4c1b-4f0e-9b7a-2d1c3e4f5a6b", URL: url, Body: []byte(body), Secrets: secrets})
	if o.Status != http.StatusOK {
		t.Fatalf("outcome %+v", o)
	}
	w := testkit.Receive(t, got, "the webhook arrives")
	if n := len(strings.Fields(w.Signature)); n != len(secrets) || string(w.Body) != body {
		t.Fatalf("%d signatures by %d secrets, body %q", n, len(secrets), w.Body)
	}
	return w
}

// ask returns a receiver's answers, one for each question.
func ask(t *testing.T, command string, questions []question) []string {
	t.Helper()
	var input, said bytes.Buffer
	for lines, i := json.NewEncoder(&input), 0; i < len(questions); i++ {
		if err := lines.Encode(questions[i].webhook); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(testkit.Context(t), "sh", "-c", "exec "+command)
	c.Stdin, c.Stderr = &input, &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, said.String())
	}
	answers := strings.Fields(string(out))
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions: %q\n%s", len(answers), len(questions), out, said.String())
	}
	return answers
}
