package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// leaves returns the fields of a kind that are not objects, by path.
func leaves(k schema.Kind) map[string]schema.Property {
	all := map[string]schema.Property{}
	properties, _ := schema.Properties(k)
	for _, p := range properties {
		if _, isObject := schema.Properties(p.Kind); !isObject || p.Name == "template" {
			all[p.Name] = p
			continue
		}
		for path, leaf := range leaves(p.Kind) {
			all[p.Name+"."+path] = leaf
		}
	}
	return all
}

// valueOf returns a value other than the field's default.
func valueOf(p schema.Property) any {
	if p.Example != nil {
		return p.Example
	}
	switch k := p.Kind.(type) {
	case schema.Bool:
		return p.Default != true
	case schema.Integer:
		return k.Max
	case schema.Number:
		return k.Max
	case schema.String:
		if others := slices.DeleteFunc(slices.Clone(k.OneOf), func(v string) bool { return v == p.Default }); len(others) > 0 {
			return others[len(others)-1]
		}
	}
	return "x"
}

// odd lists values of fields whose declaration implies none.
var odd = map[string]any{
	"assets":                      []any{map[string]any{"name": "a", "content": "eA=="}},
	"delivery.url":                "https://store.test/x",
	"einvoice.rule_sets":          []any{"en16931"},
	"options.watermark.color":     "red",
	"options.watermark.image":     "data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnLz4=",
	"options.clip.x":              3,
	"options.clip.y":              3,
	"options.viewport.width":      640,
	"options.viewport.height":     640,
	"options.watermarks":          []any{map[string]any{"text": "a", "color": "red", "font_size": "2cm", "rotation_degrees": 0, "position": "top"}, map[string]any{"text": "b", "color": "red", "font_size": "1cm", "rotation_degrees": 5}},
	"options.watermark.font_size": "1cm",
	"render.cookies":              []any{map[string]any{"name": "session", "value": "7"}},
	"render.headers":              map[string]any{"X-Tenant": "7"},
	"einvoice.rules":              "warn",
	"rules":                       "warn",
	"rule_sets":                   []any{"en16931"},
	"tags":                        map[string]any{"a": "1"},
}

// beside lists the other fields that a body needs for a field to be valid.
var beside = map[string]map[string]any{
	"auth.type":               {"auth.value": "x"},
	"auth.value":              {"auth.type": "bearer"},
	"einvoice.":               {"einvoice.xml": "x"},
	"einvoice.rule_sets":      {"einvoice.rules": "warn"},
	"rule_sets":               {"rules": "warn"},
	"options.width":           {"options.height": "5in"},
	"options.height":          {"options.width": "5in"},
	"options.permissions.":    {"options.user_password": "x"},
	"options.watermark.":      {"options.watermark.text": "t", "options.watermark.color": "red", "options.watermark.font_size": "1in", "options.watermark.rotation_degrees": 5}, // whose default depends on others
	"options.watermark.image": {"options.watermark.text": nil},
	"options.clip.":           {"options.clip.width": 7, "options.clip.height": 7},
	"options.quality":         {"options.format": "webp"},
}

// notKept lists the fields that are not kept, and why.
var notKept = map[string]string{
	"delivery.mode": "it has one value",
	"large":         "what fits into the log is not stored",
	"template":      "it takes a whole template",
	"template_id":   "the template is kept itself",
	"wait":          "its job is waited for",
}

// The kept part of a request has each given field, and no other. The job's record is made of it, and so is the form prefilled with its request.
func TestEveryFieldIsKept(t *testing.T) {
	d := newFixture(t)
	for _, op := range request.Operations() {
		for path, p := range leaves(op.Kind()) {
			if notKept[path] != "" || strings.HasPrefix(path, "options.toc.") && op.Name == events.URLToPDF {
				continue
			}
			sent := map[string]any{}
			if steps := strings.Split(path, "."); len(steps) > 1 {
				sent[strings.Join(steps[:len(steps)-1], ".")] = map[string]any{} // whose defaults do not count
			}
			for _, place := range slices.Sorted(maps.Keys(beside)) {
				if place == path || strings.HasSuffix(place, ".") && strings.HasPrefix(path, place) {
					maps.Copy(sent, beside[place])
				}
			}
			base, valid := d.kept(op, sent)
			if !valid { // beside this field alone
				base, _ = d.kept(op, nil)
			}
			if sent[path] = valueOf(p); odd[path] != nil {
				sent[path] = odd[path]
			}
			if got, valid := d.kept(op, sent); valid {
				checkKept(t, op, path, p, sent, base, got)
			} else {
				t.Errorf("%s with %s is refused: give the field an example", op.Name, path)
			}
		}
	}
}

func checkKept(t *testing.T, op *request.Operation, path string, p schema.Property, sent map[string]any, base, got map[string]string) {
	t.Helper()
	want := asText(sent[path])
	switch kind, isText := p.Kind.(schema.String); {
	case isText && kind.Secret, path == "webhook_url", path == "render.headers", path == "render.cookies":
		want = asText(schema.Hidden{})
	case strings.HasSuffix(path, "_template"):
		want = asText("safe " + sent[path].(string)) // it is sanitised
	case path == "markdown":
		path, want, sent = "html", asText("<p>"+sent[path].(string)), map[string]any{"html": ""}
	}
	if got[path] != want {
		t.Errorf("%s: %s is %s and not %s", op.Name, path, got[path], want)
	}
	for other := range sent {
		delete(base, other)
		delete(got, other)
	}
	if !maps.Equal(base, got) {
		t.Errorf("%s: with %s, the rest is %v and was %v", op.Name, path, got, base)
	}
}

// kept submits a job with some fields, by path. If the body is valid, it returns what is kept of it, by path too.
func (d *fixture) kept(op *request.Operation, fields map[string]any) (all map[string]string, valid bool) {
	d.t.Helper()
	body := map[string]any{}
	switch op.Name {
	case events.URLToPDF, events.URLToImage:
		body["url"] = "https://example.com/"
	case events.HTMLToPDF, events.HTMLToImage:
		body["html"], body["html_mode"] = "<p>x", "full"
	case events.MarkdownToPDF:
		body["markdown"] = "x"
	case events.EInvoiceToPDF:
		body["xml"] = "x"
	}
	for _, path := range slices.Sorted(maps.Keys(fields)) { // an object before its fields
		into, steps := body, strings.Split(path, ".")
		for _, step := range steps[:len(steps)-1] {
			if into[step] == nil {
				into[step] = map[string]any{}
			}
			into = into[step].(map[string]any)
		}
		into[steps[len(steps)-1]] = fields[path]
	}
	b, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	d.commands = nil
	if a := d.do("POST", op.Path(), string(b)); len(d.commands) != 1 {
		d.t.Logf("%s %s: %d %s", op.Name, b, a.StatusCode, a.body)
		return nil, false
	}
	all = map[string]string{}
	flatten(request.Kept(d.commands[0].(events.Submission)), "", all)
	return all, true
}

func flatten(members schema.Ordered, path string, into map[string]string) {
	for _, m := range members {
		if inner, isObject := m.Value.(schema.Ordered); isObject {
			flatten(inner, path+m.Name+".", into)
			continue
		}
		into[path+m.Name] = asText(m.Value)
	}
}

// asText returns a value as JSON; a hidden one as its type.
func asText(v any) string {
	if v == (schema.Hidden{}) {
		return fmt.Sprintf("%T", v)
	}
	b, err := json.Marshal(v)
	var plain any // whose members are in the order of their names
	err = errors.Join(err, json.Unmarshal(b, &plain))
	b, _ = json.Marshal(plain)
	return fmt.Sprint(string(b), err)
}
