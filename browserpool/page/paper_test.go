package page

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"platen.dev/events/contract"
)

func TestOptionsRefused(t *testing.T) {
	for _, options := range []contract.Paper{
		{Format: "A7"},
		{Scale: 0.49},
		{Scale: 2.01},
		{Scale: math.NaN()},
		{Scale: -1},
		{Width: "10cm"},
		{Width: "10cm", Height: "9mm"},
		{Width: "201in", Height: "10cm"},
		{Width: "2cm", Height: "10cm"}, // the margins take it all
		{PageRanges: "3-1"},
		{MarginTop: "1em"},
		{MarginTop: "10"},
		{MarginLeft: "11cm", MarginRight: "10cm"},
		{MarginTop: "30cm"},
		{Landscape: true, MarginTop: "11cm", MarginBottom: "11cm"},
	} {
		if _, err := paramsOf(options); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: got %v, want ErrOptions", options, err)
		}
	}
	if _, err := paramsOf(contract.Paper{Format: "Legal", Scale: 2, MarginTop: "0"}); err != nil {
		t.Error(err)
	}
}

// Margins are sent in inches, 1 cm where none is set.
func TestMargins(t *testing.T) {
	p, err := paramsOf(contract.Paper{MarginTop: "96px", MarginRight: "25.4mm", MarginBottom: "0"})
	if err != nil {
		t.Fatal(err)
	}
	for side, c := range map[string]struct{ got, want float64 }{
		"top": {p.MarginTop, 1}, "right": {p.MarginRight, 1}, "bottom": {p.MarginBottom, 0}, "left": {p.MarginLeft, 1 / 2.54},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("the %s margin is %v in, want %v", side, c.got, c.want)
		}
	}
}

// Every option of the paper changes the request to the browser: its parameters or the page rules.
func TestEveryPaperOptionTakesEffect(t *testing.T) {
	asked := func(o contract.Paper) string {
		p, err := paramsOf(o)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(p, p.pageRules(o), p.withTemplates(o, o.FirstHeader, o.FirstFooter), p.withTemplates(o, o.LastHeader, o.LastFooter))
	}
	for field := range reflect.TypeFor[contract.Paper]().Fields() {
		if field.Name == "TOC" { // it adds pages to the document: TestContents
			continue
		}
		base := contract.Paper{HeaderFooter: true} // otherwise there are no templates
		if field.Name == "Width" || field.Name == "Height" {
			base.Width, base.Height = "10cm", "10cm"
		}
		o := base
		switch v := reflect.ValueOf(&o).Elem().FieldByIndex(field.Index); v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Float64:
			v.SetFloat(1.5)
		case reflect.String:
			v.SetString("4cm")
			switch field.Name {
			case "Format":
				v.SetString("A3")
			case "PageRanges":
				v.SetString("2-")
			}
		case reflect.Pointer:
			v.Set(reflect.ValueOf(new("text")))
		default:
			t.Fatalf("no value for %s", field.Name)
		}
		if asked(o) == asked(base) {
			t.Errorf("%s has no effect", field.Name)
		}
	}
}
