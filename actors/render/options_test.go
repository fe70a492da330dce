package render

import (
	"reflect"
	"testing"

	"platen.dev/events"
)

// Every option that a job keeps makes a difference to what the page is asked for, or to
// what is done to the PDF afterwards.
func TestEveryOptionTakesEffect(t *testing.T) {
	afterwards := func(o events.PrintOptions) bool {
		return o.Watermark != nil || o.Password != nil || o.Compression != nil
	}
	for _, o := range single[events.PrintOptions]() {
		if pdfOptionsOf(o) == pdfOptionsOf(events.PrintOptions{}) && !afterwards(o) {
			t.Errorf("%+v has no effect", o)
		}
	}
	for _, o := range single[events.ImageOptions]() {
		if captureOf(o) == captureOf(events.ImageOptions{}) {
			t.Errorf("%+v has no effect", o)
		}
	}
	for _, o := range single[events.LoadOptions]() {
		if loadOf(&o) == loadOf(&events.LoadOptions{}) {
			t.Errorf("%+v has no effect", o)
		}
	}
}

// single returns, for each field of a struct, a value in which only that field is set.
func single[T any]() (all []T) {
	for field := range reflect.TypeFor[T]().Fields() {
		var v T
		switch value := reflect.ValueOf(&v).Elem().FieldByIndex(field.Index); value.Kind() {
		case reflect.Bool:
			value.SetBool(true)
		case reflect.Int64:
			value.SetInt(1)
		case reflect.Float64:
			value.SetFloat(1)
		case reflect.String:
			value.SetString("x")
		case reflect.Pointer:
			value.Set(reflect.New(field.Type.Elem()))
		case reflect.Slice:
			value.Set(reflect.MakeSlice(field.Type, 1, 1))
		default:
			panic("no value of " + field.Type.String())
		}
		all = append(all, v)
	}
	return all
}
