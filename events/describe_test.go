package events

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// secret is a text that callers may have written; harmless one that Platen itself wrote.
const secret, harmless = "Kr0kodil", "harmless"

// filler sets every field of a value, however deep, and notes the fields of type string
// that are declared to show.
type filler map[string]bool

func (f filler) fill(v reflect.Value, field string, show bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			declared := v.Type().Field(i)
			f.fill(v.Field(i), v.Type().Name()+"."+declared.Name, declared.Tag.Get("log") == "show")
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), field, false)
	case reflect.String:
		v.SetString(secret)
		if v.Type().PkgPath() != "" {
			v.SetString(harmless)
		} else if show {
			v.SetString(harmless)
			f[field] = true
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(secret))
		}
	case reflect.Array:
		reflect.Copy(v, reflect.ValueOf([]byte(strings.Repeat(secret, 4)[:v.Len()])))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(7)
	}
}

// Texts that a caller may have written are not shown, in text or in JSON.
func TestDescribeShowsNoContent(t *testing.T) {
	all := []any{Submission{}, Marker{}, Envelope{}, Address{}}
	for of := range commandRows.byType {
		all = append(all, reflect.Zero(of).Interface())
	}
	for of := range eventRows.byType {
		all = append(all, reflect.Zero(of).Interface())
	}
	shown := filler{}
	for _, empty := range all {
		v := reflect.New(reflect.TypeOf(empty)).Elem()
		shown.fill(v, "", false)
		described := Describe(v.Interface())
		asJSON, err := json.Marshal(described)
		if err != nil || !json.Valid(asJSON) {
			t.Errorf("%T: %v in %s", empty, err, asJSON)
		}
		for _, text := range []string{described.String(), string(asJSON), text(v.Interface())} {
			if strings.Contains(text, secret) {
				t.Errorf("%T shows %s", empty, text)
			}
		}
		if len(described) < v.NumField()-1 { // an envelope's events are shown by String
			t.Errorf("%T shows %d of %d fields: %s", empty, len(described), v.NumField(), described)
		}
	}
	// A text that is added here must be of Platen's own making.
	want := []string{"Address.ID", "Address.Node", "Envelope.SetAside", "File.Name", "ForgetFile.Name", "Key.LastFour", "Key.Prefix", "Marker.Version", "RenderDiscarded.Name"}
	if got := slices.Sorted(maps.Keys(shown)); !slices.Equal(got, want) {
		t.Errorf("the texts that show are %q, want %q", got, want)
	}
}

// People read commands and events as a line each.
func TestString(t *testing.T) {
	queued := JobQueued{Job: job, Key: "key_a", Operation: URLToPDF, Window: 1_700_000_000_000, Webhook: Sealed("token=x"), Lane: Slow}
	const queuedText = "JobQueued{job=01020304-0506-4708-890a-0b0c0d0e0f10 key=key_a operation=url-to-pdf content=0 window=2023-11-14T22:13:20.000Z lane=slow webhook=(7 bytes)}"
	started := RenderStarted{Job: job, Attempt: AttemptID(0x0102030405060708), Node: "node-1"}
	for want, v := range map[string]interface{ String() string }{
		queuedText: queued,
		"JobFailed{job=01020304-0506-4708-890a-0b0c0d0e0f10 code=PAGE_TIMEOUT}":                                     JobFailed{Job: job, Code: PageTimeout},
		"KeyIssued{key={id=key_a hash=(32 bytes) prefix=sk_live_ last_four=wxyz created=2023-11-14T22:13:20.000Z}}": KeyIssued{Key: key},
		"SetDefaultTemplate{}":                SetDefaultTemplate{},
		"Marker{owner=node-1 version=dev 42}": Marker{Owner: "node-1", Version: "dev 42"},
		"Envelope{epoch=0 cause=3 command=01020304-0506-4708-890a-0b0c0d0e0f10 account=acc_1 at=2023-11-14T22:13:20.000Z reply={code=accepted}} " +
			queuedText + " RenderStarted{job=01020304-0506-4708-890a-0b0c0d0e0f10 attempt=0102030405060708 node=node-1}": Envelope{
			Epoch: 0, Cause: 3, Command: CommandID(job), Account: "acc_1", At: 1_700_000_000_000, Reply: &Reply{Code: Accepted}, Events: []Event{queued, started},
		},
		"Command{id=01020304-0506-4708-890a-0b0c0d0e0f10 account=acc_1 at=2023-11-14T22:13:20.000Z body=WakeJob{job=01020304-0506-4708-890a-0b0c0d0e0f10}}": Command{
			ID: CommandID(job), Account: "acc_1", At: 1_700_000_000_000, Body: WakeJob{Job: job},
		},
	} {
		if got := v.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
