package events

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

// encodeAny returns the record of a command or an entry, or of one with a command body or an event.
func encodeAny(v any) ([]byte, error) {
	switch v := v.(type) {
	case Command:
		return EncodeCommand(v)
	case Entry:
		return EncodeEntry(v)
	case CommandBody:
		return EncodeCommand(Command{Account: "acc_1", Body: v})
	}
	return EncodeEntry(Envelope{Account: "acc_1", Events: []Event{v.(Event)}})
}

// eachValue visits the stored values below v, which must be settable, by their path.
func eachValue(v reflect.Value, path string, visit func(path string, v reflect.Value)) {
	visit(path, v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachValue(v.Elem(), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachValue(v.Index(i), path+"[]", visit)
		}
	case reflect.Struct:
		for field, value := range v.Fields() {
			if field.IsExported() && field.Tag.Get("cbor") != "-" {
				eachValue(value, path+"."+field.Name, visit)
			}
		}
	}
}

// stored are samples of everything that is stored, with something in every field.
func stored() (all []any) {
	for _, body := range samples(commandRows) {
		all = append(all, body)
	}
	for _, ev := range samples(eventRows) {
		all = append(all, ev)
	}
	command, envelope := sampleOf(reflect.TypeFor[Command]()).(Command), sampleOf(reflect.TypeFor[Envelope]()).(Envelope)
	command.Body = WakeJob{}
	return append(all, command, envelope, sampleOf(reflect.TypeFor[Marker]()), sampleOf(reflect.TypeFor[Gap]()))
}

// Nothing that no node could read is written: no text that is not UTF-8 in any field of any command, event or entry, and no more elements than the
// decoder accepts. Everything written can be read.
func TestWhatIsWrittenCanBeRead(t *testing.T) {
	texts, lists := 0, 0
	for _, sample := range stored() {
		v := reflect.New(reflect.TypeOf(sample)).Elem()
		v.Set(reflect.ValueOf(sample))
		eachValue(v, v.Type().Name(), func(path string, field reflect.Value) {
			before := reflect.ValueOf(field.Interface())
			try := func(what string, readable bool, value reflect.Value) {
				t.Helper()
				field.Set(value.Convert(field.Type()))
				defer field.Set(before)
				checkReadable(t, path+" with "+what, v.Interface(), readable)
			}
			switch {
			case field.Kind() == reflect.String:
				texts++
				try("a text", true, reflect.ValueOf("\x00\x1b ü 😀"))
				for _, bad := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\x80 and more"} {
					try("bytes", false, reflect.ValueOf(bad))
				}
			case field.Type() == reflect.TypeFor[[]byte](), field.Type() == reflect.TypeFor[Sealed]():
				try("any bytes", true, reflect.ValueOf([]byte("\xff\x00")))
			case field.Kind() == reflect.Slice && field.Type().Elem().Kind() != reflect.Uint8:
				lists++
				try("as many as there may be", true, reflect.MakeSlice(field.Type(), 4096, 4096))
				try("too many", false, reflect.MakeSlice(field.Type(), 4097, 4097))
			}
		})
	}
	if texts < 100 || lists < 5 {
		t.Errorf("only %d texts and %d lists were tried", texts, lists)
	}
	many := Envelope{Events: make([]Event, 4097)}
	for i := range many.Events {
		many.Events[i] = KeyUsed{}
	}
	checkReadable(t, "too many events", many, false)
}

func checkReadable(t *testing.T, what string, v any, readable bool) {
	t.Helper()
	b, err := encodeAny(v)
	switch {
	case !readable && !errors.Is(err, ErrUnreadable):
		t.Errorf("%s: got %v, want ErrUnreadable", what, err)
	case readable && err != nil:
		t.Errorf("%s is refused: %v", what, err)
	case readable:
		if _, err := decodeAny(bytes.Clone(b)); err != nil {
			t.Errorf("%s is written, and cannot be read: %v", what, err)
		}
	}
}
