package events

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden records of samples that do not have one yet")

// job, attempt and the other fixed values keep the golden records stable.
var (
	job     = JobID{1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16}
	attempt = AttemptID(0x0102030405060708)
	session = Session{ID: "ses_a", Member: "mem_a", Hash: [32]byte{7}, Until: 1700000100000, Address: "192.0.2.1", Agent: "Browser/1"}
	key     = Key{ID: "key_a", Hash: [32]byte{9, 8, 7}, Prefix: "sk_live_", LastFour: "wxyz", Created: 1700000000000}
	passkey = Passkey{ID: []byte{8}, PublicKey: []byte{9}, Name: "Laptop", Counter: 3, Synced: true}
)

// Each type has a sample with a value in every field. A type that gets another field gets a further one at the end.
func sampleCommands() []CommandBody {
	return []CommandBody{
		CreateAccount{Plan: PlanPro, Anchor: 1700000000000},
		ChangePlan{Plan: PlanBusiness},
		IssueKey{Key: Key{ID: "key_b", Hash: [32]byte{9}, Prefix: "sk_test_", LastFour: "wxyz", Created: 1, Name: "Shop", LastUsed: 2, Revoked: 3}},
		RevokeKey{Key: "key_a"},
		fullSubmit(),
		StartRender{Job: job, Attempt: attempt, Node: "node-1"},
		FinishRender{
			Job: job, Attempt: attempt, File: File{Name: "f.pdf", Size: 1234, Pages: 2}, Metrics: Metrics{PageLoad: 3, Processing: 4, Total: 7},
			FileURL: "https://pdf.example/jobs/1/download", Warnings: []Warning{{"PAGE_CUT", "It is too wide."}},
		},
		FailRender{Job: job, Attempt: attempt, Code: NavigationFailed, Retryable: true, Infrastructure: true, Detail: "The name a.example does not resolve."},
		LoseRender{Job: job, Attempt: attempt},
		WakeJob{Job: job},
		ForgetFile{Job: job, Name: "f.pdf"},
		BeginDownload{Job: job, Download: 7},
		RenewDownload{Job: job, Download: 7},
		EndDownload{Job: job, Download: 7},
		MoveAnchor{Anchor: 1700000000000},
		LimitFiles{Bytes: 300 << 20},
		PutTemplate{Template: "tpl_1", Name: "Rechnung", Body: []byte(`{"version":1}`)},
		DeleteTemplate{Template: "tpl_1"},
		SetDefaultTemplate{Template: "tpl_1"},
		SetVolumeBlocks{Blocks: 5},
		NoteKeyUse{Key: "key_a"},
		SuspendAccount{Reason: "Invoice 7 is unpaid"},
		ResumeAccount{},
		ResetWindow{},
		AdjustUsage{Adjustment{Entry: "adj_1", Kind: Correction, Units: 3, Bytes: 7, Reason: "Missed", Ref: "adj_0"}},
		RotateWebhookSecret{Secret: Sealed{1}, Overlap: 86400, After: []byte{1, 2}},
		SetWebhookHeader{Name: "Authorization", Value: Sealed{2}},
		DeleteWebhookHeader{Name: "Authorization"},
		ReportWebhook{Job: job, WebhookAttempt: WebhookAttempt{Number: 3, Status: 503, Millis: 120, Answer: "busy", Error: "cut"}, RetryAfter: 60},
		RedeliverWebhook{Job: job},
		ReportUpload{Job: job, UploadAttempt: UploadAttempt{Number: 2, Status: 403, Millis: 120, Error: "cut"}, Code: DeliveryFailed, Detail: "The storage answered with HTTP status 403."},
		CancelJob{Job: job, Forget: true},
		RaiseLevel{Level: 2},
		InviteMember{Member: "mem_a", Email: "ada@example.com", Role: RoleDeveloper, Invitation: [32]byte{1}, Until: 1700000100000},
		AcceptInvitation{Member: "mem_a", Invitation: [32]byte{1}, Password: "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA"},
		ChangeMember{Member: "mem_a", Role: RoleOwner},
		RemoveMember{Member: "mem_a"},
		BeginSignIn{Member: "mem_a"},
		OpenSession{Session: session, Step: 56666667},
		CloseSession{Member: "mem_a", Session: "ses_a"},
		SetSecondFactor{Member: "mem_a", Secret: Sealed{4}, Step: 56666666},
		SetPassword{Member: "mem_a", Password: "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA", Keep: "ses_a"},
		AddPasskey{Member: "mem_a", Session: "ses_a", Handle: [32]byte{7}, Challenge: 1700000000100, Passkey: passkey},
		RemovePasskey{Member: "mem_a", ID: []byte{8}},
		UsePasskey{Session: session, ID: []byte{8}, Counter: 4, Challenge: 1700000000100},
		DropSetAside{Cause: 4711},
		// A new type goes here, and so does a type with a new field, once more: the records
		// of the samples above are never written again.
	}
}

// fullSubmit has every part of a job.
func fullSubmit() Submission {
	s := Submission{
		SubmitJob: SubmitJob{
			Job: job, Key: "key_a", Operation: URLToPDF, Test: true, Requires: PlanPro,
			Idempotency: &Idempotency{Key: "k-1", Fingerprint: [32]byte{1}}, Webhook: Sealed{3}, Waits: true,
			Tags: []Tag{{"customer", "4711"}, {"note", "ü"}}, Trace: Trace{ID: TraceID{1, 15: 16}, Span: SpanID{1, 7: 8}, Sampled: true},
		},
		Content: Content{
			HTML: "<p>Ä</p>", URL: "https://example.test/", Embeds: true,
			Print: PrintOptions{
				Format: "A4", Landscape: true, MarginTop: "1cm", MarginRight: "2cm", MarginBottom: "3cm", MarginLeft: "4cm",
				OmitBackground: true, Scale: 1.5, SizeGiven: true,
				HeaderFooter: true, Header: "h", Footer: "f", Password: Sealed{1},
				Watermark:   &Watermark{Text: "t", Color: "red", FontSize: "60px", Rotation: -45},
				Compression: &Compression{Level: 9, ImageQuality: 80},
			},
			Image:    &ImageOptions{Format: "jpeg", FullPage: true, Quality: 80, Width: 1024, Height: 768},
			Load:     &LoadOptions{Timeout: 1, WaitUntil: "load", WaitFor: "#x", WaitAfter: 2},
			Auth:     &Credentials{Type: "basic", Value: Sealed{2}},
			Invoice:  &Invoice{Profile: "en16931", XML: []byte{3}, Template: []byte{4}, HTML: []byte{6}, HTMLBytes: 70_000},
			Delivery: &Delivery{URL: Sealed{5}},
		},
	}
	s.Summary = s.Content.Summary()
	return s
}

func sampleEvents() []Event {
	file, metrics := File{Name: "f.pdf", Size: 1234, Pages: 2}, Metrics{PageLoad: 3, Processing: 4, Total: 7}
	warnings := []Warning{{"PAGE_CUT", "It is too wide."}}
	from := JobOrigin{Key: "key_1", Operation: HTMLToPDF, Test: true, Tags: []Tag{{"customer", "4711"}}}
	return []Event{
		AccountCreated{Plan: PlanFree, Anchor: 1700000000000},
		PlanChanged{Plan: PlanStarter},
		KeyIssued{Key: key},
		KeyRevoked{Key: "key_a", Hash: key.Hash},
		QuotaReserved{Job: job, Window: 1700000000000},
		QuotaDebited{Job: job, Window: 1700000000000, Bytes: 1234},
		QuotaReleased{Job: job, Window: 1700000000000},
		JobQueued{
			Job: job, Key: "key_a", Operation: MarkdownToPDF, Test: true, Content: 42, Window: 1700000000000,
			Delivered: true, MaxFile: 300 << 20, Idempotency: &Idempotency{Key: "k-1", Fingerprint: [32]byte{1}}, Lane: Slow, Webhook: Sealed{3}, Waits: true,
			Tags: []Tag{{"customer", "4711"}, {"note", "ü"}}, Trace: Trace{ID: TraceID{1, 15: 16}, Span: SpanID{1, 7: 8}, Sampled: true},
		},
		RenderStarted{Job: job, Attempt: attempt, Node: "node-1", Deadline: 1700000900000},
		RenderRequeued{Job: job, Attempt: attempt, Code: BrowserCrashed, NotBefore: 1700000001000, Lost: true, Infrastructure: true},
		RenderReleased{Job: job},
		RenderDiscarded{Job: job, Name: "f.pdf", Attempt: attempt},
		JobDone{
			Job: job, File: file, Metrics: metrics, Expires: 1700086400000, FileURL: "https://pdf.example/jobs/1/download", Sent: true,
			Origin: from, Warnings: warnings,
		},
		JobFailed{Job: job, Code: NavigationFailed, Origin: from, Detail: "The name a.example does not resolve."},
		FileExpired{Job: job},
		FileDeleted{Job: job},
		JobForgotten{Job: job},
		DownloadBegun{Job: job, Download: 7, Until: 1700000030000},
		DownloadRenewed{Job: job, Download: 7, Until: 1700000040000},
		DownloadEnded{Job: job, Download: 7},
		AnchorMoved{Anchor: 1700000000000},
		TemplateSaved{Template: "tpl_1", Name: "Rechnung", Body: []byte(`{"version":1}`)},
		TemplateDeleted{Template: "tpl_1"},
		DefaultTemplateSet{Template: "tpl_1"},
		FilesLimited{Bytes: 300 << 20},
		VolumeBlocksSet{Blocks: 5},
		KeyUsed{Key: "key_a"},
		AccountSuspended{Reason: "Invoice 7 is unpaid"},
		AccountResumed{},
		TestCounted{Job: job},
		WindowReset{Window: 1700000000000},
		UsageAdjusted{Adjustment: Adjustment{Entry: "adj_1", Kind: Credit, Units: -1, Bytes: -5, Reason: "Empty page", Ref: "adj_0"}, Window: 1700000000000},
		WindowOpened{Window: 1700000000000, End: 1702592000000},
		WebhookAttempted{
			Job: job, WebhookAttempt: WebhookAttempt{Number: 3, Status: 503, Millis: 120, Answer: "busy", Error: "cut"},
			Next: 1700000060000, Outcome: WebhookGivenUp,
		},
		WebhookReleased{Job: job},
		WebhookRedelivered{Job: job},
		WebhookSecretRotated{Secret: Sealed{1}, Overlap: 1700086400000},
		WebhookHeaderSet{Name: "Authorization", Value: Sealed{2}},
		WebhookHeaderDeleted{Name: "Authorization"},
		UploadBegun{Job: job, File: file, Metrics: metrics, Warnings: warnings},
		UploadAttempted{Job: job, UploadAttempt: UploadAttempt{Number: 2, Status: 503, Millis: 120, Error: "cut"}, Next: 1700000004000},
		UploadReleased{Job: job},
		RequestForgotten{Job: job},
		LevelRaised{Level: 2},
		MemberInvited{Member: "mem_a", Email: "ada@example.com", Role: RoleDeveloper, Invitation: [32]byte{1}, Until: 1700000100000},
		MemberJoined{Member: "mem_a", Password: "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA"},
		MemberChanged{Member: "mem_a", Role: RoleOwner},
		MemberRemoved{Member: "mem_a", Email: "ada@example.com"},
		SignInBegun{Member: "mem_a"},
		SessionOpened{Session: session, Step: 56666667},
		SessionClosed{Member: "mem_a", Session: "ses_a"},
		SecondFactorSet{Member: "mem_a", Secret: Sealed{4}, Step: 56666666},
		PasswordSet{Member: "mem_a", Password: "$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA", Keep: "ses_a"},
		PasskeyAdded{Member: "mem_a", Handle: [32]byte{7}, Challenge: 1700000000100, Passkey: passkey},
		PasskeyRemoved{Member: "mem_a", ID: []byte{8}, Name: "Laptop"},
		PasskeyUsed{Member: "mem_a", ID: []byte{8}, Name: "Laptop", Counter: 4, Challenge: 1700000000100},
		SetAsideDropped{Cause: 4711},
		// As above: a new type, or a type with a new field, goes here.
	}
}

// record is one decodable value with its present encoding.
type record struct {
	name  string
	value any
	bytes []byte
}

func sampleRecords(t *testing.T) []record {
	t.Helper()
	var all []record
	seen := map[string]int{}
	add := func(name string, value any, b []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if seen[name]++; seen[name] > 1 { // a type that was given more fields
			name = fmt.Sprintf("%s-%d", name, seen[name])
		}
		all = append(all, record{name, value, b})
	}
	for _, body := range sampleCommands() {
		c := Command{ID: CommandID(job), Account: "acc_1", At: 1700000000123, ReplyTo: &Address{Node: "127.0.0.1:1", ID: "$5"}, Body: body}
		b, err := EncodeCommand(c)
		add("command-"+typeName(body), c, b, err)
	}
	for _, ev := range sampleEvents() {
		e := Envelope{Epoch: 3, Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123, Reply: &Reply{Code: ConcurrencyLimit, RetryAfter: 5}, Events: []Event{ev}}
		b, err := EncodeEntry(e)
		add("event-"+typeName(ev), e, b, err)
	}
	replied := Envelope{
		Epoch: 3, Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123,
		Reply: &Reply{Code: ConcurrencyLimit, RetryAfter: 5, Job: &job, Concurrency: &Concurrency{Plan: PlanPro, Limit: 50, InFlight: 50}},
	}
	b, err := EncodeEntry(replied)
	add("reply", replied, b, err)
	authored := Command{ID: CommandID(job), Account: "acc_1", At: 1700000000123, By: Author{Operator: true}, Body: ChangePlan{Plan: PlanFree}}
	b, err = EncodeCommand(authored)
	add("command-authored", authored, b, err)
	recorded := Envelope{Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123, By: Author{Member: "mem_a", Address: "192.0.2.1"}, Events: []Event{KeyRevoked{Key: "key_a"}}}
	b, err = EncodeEntry(recorded)
	add("event-authored", recorded, b, err)
	void := Envelope{Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123, Reply: &Reply{Code: Internal}, SetAside: "panic: index out of range"}
	b, err = EncodeEntry(void)
	add("void", void, b, err)
	m := Marker{
		Owner: "node-1", Version: "1.0.0", Commands: "b3duZXI", Level: 2,
		Timeline: "abcdefghijklmnop", At: 1700000000123, Published: 4711, Restored: true,
	}
	b, err = EncodeEntry(m)
	add("marker", m, b, err)
	g := Gap{Epoch: 3, From: 9, To: 12, Commands: "b3duZXI"}
	b, err = EncodeEntry(g)
	add("gap", g, b, err)
	return all
}

func typeName(v any) string {
	if _, ok := v.(Submission); ok {
		return "SubmitJob" // with its content
	}
	return reflect.TypeOf(v).Name()
}

func decodeAny(b []byte) (any, error) {
	if b[1] != kindCommand {
		return DecodeEntry(b)
	}
	c, err := DecodeCommand(b)
	if _, ok := c.Body.(SubmitJob); ok && err == nil {
		return DecodeSubmission(b)
	}
	return c, err
}

// Golden records were written by earlier builds: each must decode to its original value
// forever, and a value that has none of the fields added since is still written as it was.
// A new sample adds a file; an existing file is never rewritten.
func TestGoldenRecordsStayReadable(t *testing.T) {
	for _, r := range sampleRecords(t) {
		path := filepath.Join("testdata", "golden", r.name+".hex")
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) && *update {
			if err := os.WriteFile(path, []byte(hex.EncodeToString(r.bytes)+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v (after appending a sample, run with -update once)", err)
		}
		old, err := hex.DecodeString(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(old, r.bytes) {
			t.Errorf("%s: the same value is now encoded as %x; does a new field lack omitempty?", r.name, r.bytes)
		}
		got, err := decodeAny(old)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		if !reflect.DeepEqual(got, r.value) {
			t.Errorf("%s: got %+v, want %+v", r.name, got, r.value)
		}
	}
}

// The head of a submission is everything but the content, and keeps nothing of that.
func TestHeadOfASubmission(t *testing.T) {
	long := fullSubmit()
	long.Content = Content{HTML: strings.Repeat("ä", 120<<10), Print: PrintOptions{Format: "A4"}}
	long.Summary = long.Content.Summary()
	for _, whole := range []Submission{fullSubmit(), long, {}} {
		c := Command{ID: CommandID(job), Account: "acc_1", At: 1700000000123, Body: whole}
		b, err := EncodeCommand(c)
		if err != nil {
			t.Fatal(err)
		}
		want := c
		want.Body = whole.SubmitJob
		got, err := DecodeCommand(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v (%v), want %+v", got, err, want)
		}
		if n := testing.AllocsPerRun(10, func() { _, _ = DecodeCommand(b) }); n > 40 {
			t.Errorf("%v allocations for a head", n)
		}
	}
}

// textLength counts the bytes of the text, not those of its encoding.
func TestTextLength(t *testing.T) {
	for _, n := range []int{0, 1, 23, 24, 255, 256, 65535, 65536} {
		b, err := encoder.Marshal(strings.Repeat("x", n))
		if err != nil {
			t.Fatal(err)
		}
		var l textLength
		if err := decoder.Unmarshal(b, &l); err != nil || int(l) != n {
			t.Errorf("a text of %d bytes: got %d, %v", n, l, err)
		}
	}
	var l textLength
	if err := decoder.Unmarshal([]byte{0x41, 'x'}, &l); err == nil {
		t.Error("a byte string is taken for a text string")
	}
}

// Every type that has a number is decoded by it, and has a golden record.
func TestEveryTypeHasASample(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range sampleCommands() {
		seen["commandType "+typeName(c)] = commandTypes[c.commandType()] != nil
	}
	for _, e := range sampleEvents() {
		seen["eventType "+typeName(e)] = eventTypes[e.eventType()] != nil
	}
	declared := regexp.MustCompile(`(?m)^func \((\w+)\) (commandType|eventType)\(\)`)
	count := 0
	for _, file := range must(filepath.Glob("*.go")) {
		for _, m := range declared.FindAllStringSubmatch(string(must(os.ReadFile(file))), -1) {
			count++
			if !seen[m[2]+" "+m[1]] {
				t.Errorf("%s has no golden record, or is missing in types.go", m[1])
			}
		}
	}
	if numbers := len(commandTypes) + len(eventTypes); count != numbers {
		t.Errorf("%d types are declared, %d are decoded: is a number used twice?", count, numbers)
	}
}

// Target and JobOf find the job of every command and event that is about one.
func TestEveryJobIsFound(t *testing.T) {
	check := func(v any, got JobID, found bool) {
		field := reflect.ValueOf(v).FieldByName("Job")
		if found != field.IsValid() || found && got != field.Interface() {
			t.Errorf("%T: found %t, job %s", v, found, got)
		}
	}
	for _, c := range sampleCommands() {
		if s, ok := c.(Submission); ok {
			c = s.SubmitJob
		}
		id, found := Target(c)
		check(c, id, found)
	}
	for _, e := range sampleEvents() {
		id, found := JobOf(e)
		if strings.HasPrefix(reflect.TypeOf(e).Name(), "Quota") || reflect.TypeOf(e) == reflect.TypeFor[TestCounted]() {
			if found {
				t.Errorf("%T is an event of the account", e)
			}
			continue
		}
		check(e, id, found)
	}
}

// Every field of a stored type has a value in some sample, and so in a golden record.
func TestEveryFieldHasASample(t *testing.T) {
	filled := map[string]bool{} // by type and field
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for field, value := range v.Fields() {
				if v.Type().Name()+"."+field.Name == "Command.Latest" {
					continue // only decisions see it
				}
				name := v.Type().Name() + "." + field.Name
				filled[name] = filled[name] || !value.IsZero()
				walk(value)
			}
		}
	}
	for _, r := range sampleRecords(t) {
		walk(reflect.ValueOf(r.value))
	}
	for name, ok := range filled {
		if !ok {
			t.Errorf("no sample has a value for %s", name)
		}
	}
}

func TestRoundTripIsDeterministic(t *testing.T) {
	first, second := sampleRecords(t), sampleRecords(t)
	for i := range first {
		if !bytes.Equal(first[i].bytes, second[i].bytes) {
			t.Errorf("%s: two encodings differ", first[i].name)
		}
		got, err := decodeAny(first[i].bytes)
		if err != nil || !reflect.DeepEqual(got, first[i].value) {
			t.Errorf("%s: got %+v (%v), want %+v", first[i].name, got, err, first[i].value)
		}
	}
}

func TestForeignBytesAreRefused(t *testing.T) {
	good := sampleRecords(t)[0].bytes
	newer := append([]byte{}, good...)
	newer[0] = 2
	unknown, err := encode(kindCommand, commandOut{Command{Account: "a"}, typed{Type: 9999, Value: WakeJob{}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"empty", nil, ErrFormat},
		{"short", []byte{1, 1}, ErrFormat},
		{"format 0", []byte{0, 1, 0xa0}, ErrFormat},
		{"newer format", newer, ErrNewer},
		{"foreign format", []byte("{}  "), ErrFormat},
		{"marker among commands", []byte{1, kindMarker, 0xa0}, ErrFormat},
		{"cut", good[:len(good)-1], ErrFormat},
		{"trailing", append(append([]byte{}, good...), 0), ErrFormat},
		{"unknown type", unknown, ErrNewer},
		{"huge array", []byte{1, 1, 0x9a, 0xff, 0xff, 0xff, 0xff}, ErrFormat},
	} {
		if _, err := DecodeCommand(tc.bytes); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{1, 1, 0xa0})
	f.Add([]byte{1, 3, 0xa1, 0x0f, 0x81, 0x82, 0x01, 0xa0})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := DecodeCommand(b); err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrNewer) {
			t.Errorf("unclassified error: %v", err)
		}
		head, headErr := DecodeCommand(b)
		whole, err := DecodeSubmission(b)
		if headErr == nil && err == nil && !reflect.DeepEqual(head.Body, whole.Body.(Submission).SubmitJob) {
			t.Errorf("the head is %+v, the whole %+v", head.Body, whole.Body)
		}
		if _, err := DecodeEntry(b); err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrNewer) {
			t.Errorf("unclassified error: %v", err)
		}
	})
}

func BenchmarkDecodeEnvelope(b *testing.B) {
	e := Envelope{Epoch: 3, Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123, Events: sampleEvents()[:2]}
	bytes, err := EncodeEntry(e)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeEntry(bytes); err != nil {
			b.Fatal(err)
		}
	}
}
