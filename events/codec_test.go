package events

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

var update = flag.Bool("update", false, "write golden records of samples that do not have one yet")

// job and key keep the golden records stable.
var (
	job = JobID{1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16}
	key = Key{ID: "key_a", Hash: [32]byte{9, 8, 7}, Prefix: "sk_live_", LastFour: "wxyz", Created: 1700000000000}
)

// chosen are the samples whose values matter to tests that fold them; sampleOf makes those of other types.
var chosen = map[reflect.Type]any{
	reflect.TypeFor[AccountCreated](): AccountCreated{Plan: PlanFree, Anchor: 1700000000000},
	reflect.TypeFor[PlanChanged]():    PlanChanged{Plan: PlanStarter},
	reflect.TypeFor[KeyIssued]():      KeyIssued{Key: key}, // not revoked
	reflect.TypeFor[KeyRevoked]():     KeyRevoked{Key: key.ID, Hash: key.Hash},
	reflect.TypeFor[KeyUsed]():        KeyUsed{Key: key.ID},
	reflect.TypeFor[SubmitJob]():      fullSubmit(),
}

// sampleOf returns a value of a type with every stored field set.
func sampleOf(of reflect.Type) any {
	if v, ok := chosen[of]; ok {
		return v
	}
	v := reflect.New(of).Elem()
	fillSample(v)
	return v.Interface()
}

func fillSample(v reflect.Value) {
	switch v.Interface().(type) {
	case JobID:
		v.Set(reflect.ValueOf(job))
		return
	case Plan:
		v.Set(reflect.ValueOf(PlanPro))
		return
	case Instant:
		v.Set(reflect.ValueOf(Instant(1700000000000)))
		return
	case Lane:
		v.Set(reflect.ValueOf(Slow))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() && field.Tag.Get("cbor") != "-" {
				fillSample(value)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillSample(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillSample(v.Index(0))
	case reflect.Array:
		fillSample(v.Index(0))
	case reflect.String:
		v.SetString("ü " + v.Type().Name())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(4711)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	default:
		panic("no sample of " + v.Type().String())
	}
}

// samples are those of all types of a kind, in the order of their numbers.
func samples[I any](r registry[I]) (all []I) {
	for _, number := range slices.Sorted(maps.Keys(r.byNumber)) {
		all = append(all, sampleOf(r.byNumber[number].of).(I))
	}
	return all
}

// fullSubmit has every part of a job.
func fullSubmit() Submission {
	var s Submission
	fillSample(reflect.ValueOf(&s).Elem())
	s.Summary = s.Content.Summary()
	return s
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
	add := func(name string, value any, b []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, record{name, value, b})
	}
	for _, body := range samples(commandRows) {
		c := Command{ID: CommandID(job), Account: "acc_1", At: 1700000000123, ReplyTo: &Address{Node: "127.0.0.1:1", ID: "$5"}, Body: body}
		b, err := EncodeCommand(c)
		add("command-"+typeName(body), c, b, err)
	}
	for _, ev := range samples(eventRows) {
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
	recorded := Envelope{Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123, By: Author{Member: "mem_a", Address: "192.0.2.1", Session: "ses_a"}, Events: []Event{KeyRevoked{Key: "key_a"}}}
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

// goldenDir has a file for each type: a line for each form that its records have had, the present one last.
var goldenDir = filepath.Join("testdata", "golden")

// Golden records were written by earlier builds. Each decodes forever, and encodes to the same bytes: later fields are omitted while they are zero. A
// type that gets another field gets another line; -update adds it, and rewrites none.
func TestGoldenRecordsStayReadable(t *testing.T) {
	for _, r := range sampleRecords(t) {
		path := filepath.Join(goldenDir, r.name+".hex")
		text, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		lines := strings.Fields(string(text))
		if present := hex.EncodeToString(r.bytes); !slices.Contains(lines, present) {
			if !*update {
				t.Errorf("%s has no line for the present form of the record; does a new field lack omitempty? If not, run with -update", path)
				continue
			}
			lines = append(lines, present)
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for n, line := range lines {
			readable(t, fmt.Sprintf("%s, line %d", r.name, n+1), line)
		}
	}
}

// readable decodes a record, and checks that it encodes to the same bytes.
func readable(t *testing.T, name, line string) {
	t.Helper()
	old, err := hex.DecodeString(line)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	value, err := decodeAny(old)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var again []byte
	if c, ok := value.(Command); ok {
		again, err = EncodeCommand(c)
	} else {
		again, err = EncodeEntry(value.(Entry))
	}
	if err != nil || !bytes.Equal(again, old) {
		t.Errorf("%s: %+v is now encoded as %x (%v)", name, value, again, err)
	}
}

// The head of a submission is everything but the content, and keeps nothing of that.
func TestHeadOfASubmission(t *testing.T) {
	long := fullSubmit()
	long.Content = Content{HTML: strings.Repeat("ä", 120<<10), Print: PrintOptions{Paper: contract.Paper{Format: "A4"}}}
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

// Every type that is sealed as a command or an event has a row.
func TestEveryTypeHasARow(t *testing.T) {
	rows := map[string]bool{}
	for of := range commandRows.byType {
		rows[of.Name()+" command"] = true
	}
	for of := range eventRows.byType {
		rows[of.Name()+" event"] = true
	}
	sealed := regexp.MustCompile(`(?m)^func \((\w+)\) (command|event)\(\)`)
	count := 0
	for _, file := range must(filepath.Glob("*.go")) {
		for _, m := range sealed.FindAllStringSubmatch(string(must(os.ReadFile(file))), -1) {
			if count++; !rows[m[1]+" "+m[2]] {
				t.Errorf("%s has no row in registry.go", m[1])
			}
		}
	}
	if count != len(rows) {
		t.Errorf("%d types are sealed, %d have rows", count, len(rows))
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
	for _, c := range samples(commandRows) {
		if s, ok := c.(Submission); ok {
			c = s.SubmitJob
		}
		id, found := Target(c)
		check(c, id, found)
	}
	for _, e := range samples(eventRows) {
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
	kind5 := append([]byte{}, good...)
	kind5[1] = 5
	of := func(account AccountID, kind uint64, body any) []byte {
		b, err := encode(kindCommand, commandOut{Command{Account: account}, typed{Type: kind, Value: body}})
		if err != nil {
			t.Fatal(err)
		}
		return b
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
		{"newer format, deeper than this version allows", slices.Concat([]byte{2, 1, 0xa1, 1}, bytes.Repeat([]byte{0x81}, 40), []byte{0}), ErrNewer},
		{"newer format, longer than this version allows", slices.Concat([]byte{2, 1, 0xa1, 1, 0x9a, 0, 3, 0, 0}, make([]byte, 3<<16)), ErrNewer},
		{"unknown type", of("a", 9999, WakeJob{}), ErrNewer},
		{"unknown type of nobody", of("", 9999, WakeJob{}), ErrFormat},
		{"unknown type without a map", of("a", 9999, "text"), ErrFormat},
		{"type 0", of("a", 0, WakeJob{}), ErrFormat},
		{"no body", []byte{1, 1, 0xa1, 2, 0x61, 'a'}, ErrFormat},
		{"newer kind", kind5, ErrNewer},
		{"kind beyond all versions", []byte{1, 16, 0xa0}, ErrFormat},
		{"protobuf", []byte("\x0a\x03abc"), ErrFormat},
		{"protobuf with a message in it", []byte("\x0a\x05\x0a\x03abc"), ErrFormat},
		{"tabs", []byte("\t\tif"), ErrFormat},
		{"a line", []byte("\r\n\xa0"), ErrNewer}, // it could be one
		{"huge array", []byte{1, 1, 0x9a, 0xff, 0xff, 0xff, 0xff}, ErrFormat},
	} {
		if _, err := DecodeCommand(tc.bytes); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.want)
		}
		if _, err := DecodeEntry(tc.bytes); tc.bytes != nil && tc.bytes[0] != format && !errors.Is(err, tc.want) {
			t.Errorf("%s in the journal: got %v, want %v", tc.name, err, tc.want)
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
	e := Envelope{Epoch: 3, Cause: 9, Command: CommandID(job), Account: "acc_1", At: 1700000000123, Events: samples(eventRows)[:2]}
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
