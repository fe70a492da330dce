package dashboard

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// fill puts something into every field.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("x"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int64:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	default:
		panic("no value of " + v.Type().String())
	}
}

// Every option is shown with its job, under the name with which it is sent again.
func TestEveryOptionIsShown(t *testing.T) {
	var paper events.PrintOptions
	var load contract.Load
	var image contract.Image
	for _, options := range []any{&paper, &load, &image} {
		fill(reflect.ValueOf(options).Elem())
	}
	shown := fieldsOf(events.Submission{Content: events.Content{Print: paper, Load: &load}})
	paper.Width, paper.Height = "", ""
	shown = append(shown, fieldsOf(events.Submission{Content: events.Content{Print: paper}})...) // a width excludes a format
	wantShown(t, "/html-to-pdf", shown)
	page := events.Content{Print: paper, Load: &load, Headers: events.Sealed("x"), Cookies: events.Sealed("x")}
	wantShown(t, "/url-to-pdf", append(fieldsOf(events.Submission{Content: page}), shown...))
	for _, g := range fieldsOf(events.Submission{Content: page}) {
		if secret := g.name == "render.headers" || g.name == "render.cookies"; secret && (!g.secret || g.value != "") {
			t.Errorf("%s is shown: %q", g.name, g.value)
		}
	}
	wantShown(t, "/html-to-image", fieldsOf(events.Submission{SubmitJob: events.SubmitJob{Operation: events.HTMLToImage}, Content: events.Content{Image: &image, Load: &load}}))
}

// A full document is shown with its files, as they are sent again; of content that was stored only that it was.
func TestFullDocumentIsShown(t *testing.T) {
	full := events.Content{HTML: "<p>", Full: true, Assets: []contract.Asset{{Name: "a", Content: []byte("x")}}, Image: &contract.Image{}}
	stored := events.Content{Full: true, Stored: &events.Stored{File: "f"}, Image: &contract.Image{}}
	for want, c := range map[string]events.Content{
		"html=<p> html_mode=full assets=[{\"name\":\"a\",\"content\":\"eA==\"}]": full,
		"html_mode=full large=true": stored,
	} {
		var got []string
		for _, g := range fieldsOf(events.Submission{Content: c}) {
			if !strings.HasPrefix(g.name, "options.") && g.name != "test" {
				got = append(got, g.name+"="+g.value)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("shown %q, want %q", text, want)
		}
	}
}

// wantShown fails for each option of an operation that is not shown.
func wantShown(t *testing.T, path string, shown []given) {
	t.Helper()
	var walk func(path string, k schema.Kind)
	walk = func(path string, k schema.Kind) {
		inner, isObject := schema.Properties(k)
		for _, p := range inner {
			walk(path+"."+p.Name, p.Kind)
		}
		if !isObject && !slices.ContainsFunc(shown, func(g given) bool { return g.name == path }) {
			t.Errorf("%s is not shown", path)
		}
	}
	operation, _ := request.ByPath(path)
	body, _ := schema.Properties(operation.Kind())
	for _, p := range body {
		if p.Name == "options" || p.Name == "render" {
			walk(p.Name, p.Kind)
		}
	}
}
