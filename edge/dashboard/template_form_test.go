package dashboard

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// anyText accepts every text.
func anyText(string) error { return nil }

// typed lists what a test fills in, by the end of the path; labels and texts get other values.
var typed = map[string][]string{
	"locale": {"de", "en-GB", "de-AT-1996"}, "accent_color": {"#abc", "#01F29a"}, "font": {"Noto Sans", ""},
	"logo":   {`data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"/>`},
	"format": {"A4", "a3", "LETTER"}, "margin": {"1cm", "10mm 5mm 1in 0"},
}

// labels are sample label texts.
var labels = []string{
	"", " ", "Invoice", "Rechnung {number}\nvom {issue_date}", "\n\nleading", "trailing\n", `"><script>alert(1)</script>`, "&lt;b&gt;", "فاتورة 請求書 🧾",
	strings.Repeat("é", 2000),
}

// someTemplate returns a random template that the API accepts, with some of the possible fields.
func someTemplate(rng *rand.Rand, n formNode) (any, bool) {
	switch {
	case n.field != nil:
		if rng.IntN(2) == 0 {
			return nil, false
		}
		if n.field.Kind == page.InputSwitch {
			return rng.IntN(2) == 0, true
		}
		if list := typed[n.field.Name()]; list != nil {
			return list[rng.IntN(len(list))], true
		}
		return labels[rng.IntN(len(labels))], true
	case n.constant != nil:
		return n.constant, true
	case !n.object:
		var all []any
		for _, child := range n.children {
			v, _ := someTemplate(rng, child)
			all = append(all, v)
		}
		return all, true
	}
	members := map[string]any{}
	for _, child := range n.children {
		if v, set := someTemplate(rng, child); set {
			members[child.name] = v
		}
	}
	return members, n.required || n.name == "" || rng.IntN(4) > 0
}

// normal removes from a template everything that is equivalent to absence.
func normal(n formNode, value any) (any, bool) {
	switch {
	case value == nil:
		return nil, false
	case n.field != nil && n.field.Kind == page.InputSwitch:
		return value, value != (n.field.Default == "true")
	case n.field != nil && len(n.field.Choices) > 0:
		i := slices.IndexFunc(n.field.Choices, func(c string) bool { return strings.EqualFold(c, value.(string)) })
		return n.field.Choices[i], true
	case n.field != nil:
		return value, value != "" || n.field.Kind == page.InputLines // an empty font is the default
	case n.constant != nil:
		return value, true
	case !n.object:
		var all []any
		for i, child := range n.children {
			v, _ := normal(child, value.([]any)[i])
			all = append(all, v)
		}
		return all, true
	}
	members := map[string]any{}
	for _, child := range n.children {
		if v, set := normal(child, value.(map[string]any)[child.name]); set {
			members[child.name] = v
		}
	}
	return members, len(members) > 0
}

// sent returns the fields that a browser sends for a form: line breaks are CRLF, and unchecked switches are missing.
func sent(groups []page.TemplateGroup) (fields map[string]string, blank []string) {
	fields = map[string]string{}
	for _, g := range groups {
		for _, f := range g.Fields {
			fields[f.Path] = strings.ReplaceAll(f.Value, "\n", "\r\n")
			if f.On {
				fields[f.Path] = "on"
			}
			if f.Blank {
				blank = append(blank, f.Path)
			}
		}
	}
	return fields, blank
}

func through(t *testing.T, template []byte) []byte {
	t.Helper()
	groups, err := filledForm(template)
	if err != nil {
		t.Fatal(err)
	}
	fields, blank := sent(groups)
	return templateOf(sentForm(func(path string) string { return fields[path] }, blank))
}

// Every template that the API accepts survives the form unchanged, except for what is equivalent to absence.
func TestTemplatesThroughTheForm(t *testing.T) {
	rng := testkit.Rand(t)
	for range 500 {
		tree, _ := someTemplate(rng, templateForm)
		template, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := request.CheckTemplate(template, anyText); len(wrong) > 0 {
			t.Fatalf("the test made %s: %v", template, wrong)
		}
		got := through(t, template)
		if wrong := request.CheckTemplate(got, anyText); len(wrong) > 0 {
			t.Fatalf("%s became %s: %v", template, got, wrong)
		}
		var gotTree, wantTree any
		if err := errors.Join(json.Unmarshal(got, &gotTree), json.Unmarshal(template, &wantTree)); err != nil {
			t.Fatal(err)
		}
		gotTree, _ = normal(templateForm, gotTree)
		wantTree, _ = normal(templateForm, wantTree)
		if !reflect.DeepEqual(gotTree, wantTree) {
			t.Fatalf("%s became %s", template, got)
		}
		if again := through(t, got); string(again) != string(got) {
			t.Fatalf("%s became %s the second time", got, again)
		}
	}
}

// The form has every declared field, and offers placeholders exactly where they are checked.
func TestFieldsOfTemplates(t *testing.T) {
	groups, err := filledForm([]byte(`{}`))
	if err != nil || len(groups) != 10 || groups[1].Key != "invoice-heading" || groups[9].Key != "document-footer" || groups[9].Number != 9 {
		t.Fatalf("got %+v (%v)", groups, err)
	}
	kinds := map[page.InputKind]int{}
	for _, g := range groups {
		for _, f := range g.Fields {
			kinds[f.Kind]++
			checked := false
			one := func(path string) string {
				if path == f.Path {
					return "{nope}"
				}
				return ""
			}
			for _, v := range request.CheckTemplate(templateOf(sentForm(one, nil)), func(text string) error {
				if text == "{nope}" {
					return errors.New("unknown")
				}
				return nil
			}) {
				checked = checked || pathOf(v) == f.Path && v.Msg == "Value error, unknown"
			}
			if checked != f.Placeholders {
				t.Errorf("%s: placeholders are checked: %t, offered: %t", f.Path, checked, f.Placeholders)
			}
		}
	}
	if kinds[page.InputSwitch] != 11 || kinds[page.InputLines] != 18 || kinds[page.InputColor] != 1 || kinds[page.InputChoice] != 1 || kinds[page.InputPicture] != 1 || kinds[page.InputText] != 3 {
		t.Errorf("got %v", kinds)
	}
	if formats := groups[0].Fields[4]; formats.Name() != "format" || !slices.Equal(formats.Choices, contract.InvoiceFormats()) {
		t.Errorf("got %+v", formats)
	}
}

// Errors are shown beside their field; those without a field are listed.
func TestWrongFields(t *testing.T) {
	fields := map[string]string{"locale": "!", "blocks.0.labels.title": strings.Repeat("x", 2001), "page.format": "A0", "branding.accent_color": "red"}
	groups := sentForm(func(path string) string { return fields[path] }, nil)
	wrong := withWrong(groups, request.CheckTemplate(templateOf(groups), anyText))
	wrong = append(wrong, withWrong(groups, []schema.Violation{{Loc: []any{"body", "nowhere"}, Msg: "x"}, {Msg: "y"}})...)
	if len(wrong) != len(fields)+2 || wrong[len(wrong)-2].Path != "nowhere" || wrong[len(wrong)-1].Path != "" {
		t.Errorf("got %+v", wrong)
	}
	for _, g := range groups {
		for _, f := range g.Fields {
			if _, bad := fields[f.Path]; bad != (f.Wrong != "") {
				t.Errorf("%s: %q", f.Path, f.Wrong)
			}
		}
	}
	fields = map[string]string{"blocks.0.labels.title": strings.Repeat("x", 2000)}
	groups = sentForm(func(path string) string { return fields[path] }, nil)
	if wrong := request.CheckTemplate(templateOf(groups), anyText); len(wrong) > 0 {
		t.Errorf("got %+v", wrong)
	}
}

// A form can be filled with any JSON.
func TestFormOfAnything(t *testing.T) {
	for _, template := range []string{`null`, `[]`, `7`, `{"blocks":7}`, `{"blocks":[[],{"labels":[]}]}`, `{"branding":{"font":[{}]},"blocks":[{"enabled":"x","labels":{"title":7}}]}`} {
		if _, err := filledForm([]byte(template)); err != nil {
			t.Errorf("%s: %v", template, err)
		}
	}
	if _, err := filledForm([]byte(`{`)); err == nil {
		t.Error("half a template is one")
	}
}
